"""Plays a column by a name that is not one.

illegal: left
"""

from polite import begin, move

move(begin(), "left")
