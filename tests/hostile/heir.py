"""Exits, and leaves its output open in a child that does not.

failed: status 0
"""

import os
import sys
import time

from polite import begin

begin()
if os.fork():
    sys.exit()
time.sleep(1_000)
