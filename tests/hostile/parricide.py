"""Kills its parent, and waits.

late: no move
"""

import os
import signal
import time

from polite import begin

begin()
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(1_000)
