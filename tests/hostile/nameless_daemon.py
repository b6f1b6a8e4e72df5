"""Leaves a daemon behind that has no environment to be known by.

failed: status 0
"""

import os
import sys

from polite import begin

begin()
if os.fork():
    sys.exit()
os.setsid()
if os.fork():
    os._exit(0)
code = "import time; time.sleep(1_000)"
os.execve(sys.executable, [sys.executable, "-I", "-c", code, __file__], {})
