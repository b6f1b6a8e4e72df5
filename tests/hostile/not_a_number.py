"""Plays NaN.

illegal: nan
"""

from polite import begin, move

move(begin(), float("nan"))
