"""Writes a legal answer without the end of the line.

late: no move
"""

import time

from polite import begin

begin()
print('{"type":"move","turn":1,"action":0}', end="", flush=True)
time.sleep(1_000)
