"""Plays true, which equals the legal 1.

illegal: True
"""

from polite import begin, move

move(begin(), True)
