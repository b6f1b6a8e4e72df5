"""Takes much memory, little of it in any one process.

failed: more than 100 MiB of memory
"""

import os
import time

from polite import begin

begin()
for _ in range(3):
    os.fork()
hoard = bytearray(50_000_000)
time.sleep(1_000)
