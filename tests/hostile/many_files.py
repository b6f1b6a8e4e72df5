"""Writes so many files that listing them takes long.

failed: No space left on device
"""

import os
import time

for number in range(2_100):
    os.close(os.open(str(number), os.O_CREAT))
time.sleep(1_000)
