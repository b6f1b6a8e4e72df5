"""Makes a move, closes its input and goes on.

failed: closed its pipe
"""

import os
import time

from polite import begin, move

turn = begin()
os.close(0)
move(turn)
time.sleep(1_000)
