"""Makes a move, and then sends lines without end.

failed: turn
"""

from polite import begin, move

turn = begin()
while True:
    move(turn)
