"""Forks, and so do its children.

failed: more than
"""

import os
import time

from polite import begin

begin()
for _ in range(9):
    os.fork()
time.sleep(1_000)
