"""Plays every column at once.

illegal: [0, 1
"""

from polite import begin, move

turn = begin()
move(turn, turn["legal"])
