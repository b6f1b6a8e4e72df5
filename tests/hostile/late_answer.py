"""Answers, a little too late.

late: no move
"""

import time

from polite import begin, move

turn = begin()
time.sleep(1)
move(turn)
