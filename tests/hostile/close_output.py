"""Closes its output and goes on.

failed: closed its pipe
"""

import os
import time

from polite import begin

begin()
os.close(1)
time.sleep(1_000)
