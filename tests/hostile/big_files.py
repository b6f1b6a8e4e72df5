"""Writes many big files.

failed: No space left on device
"""

import time

from polite import begin

for number in range(10):
    with open(str(number), "wb") as file:
        file.write(bytes(10_000_000))
begin()
time.sleep(1_000)
