"""Sends its answer byte by byte, so that something always comes.

late: no move
"""

import time

from polite import begin

begin()
while True:
    print(" ", end="", flush=True)
    time.sleep(0.02)
