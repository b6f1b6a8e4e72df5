"""Counts columns from the end.

illegal: -1
"""

from polite import begin, move

move(begin(), -1)
