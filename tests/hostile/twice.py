"""Answers twice.

failed: turn
"""

from polite import begin, hear, move

turn = begin()
move(turn)
move(turn)
hear()
hear()
