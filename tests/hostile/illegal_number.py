"""Plays a column that is not there.

illegal: 7
"""

from polite import begin, move

move(begin(), 7)
