"""Ends, and leaves its output to a child that does not.

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
