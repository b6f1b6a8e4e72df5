"""Plays a number that fits no word.

illegal: 1000000
"""

from polite import begin, move

move(begin(), 10**1000)
