"""Sends its parent every signal that can be caught, and waits.

late: no move
"""

import os
import signal
import time

from polite import begin

begin()
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    os.kill(os.getppid(), number)
time.sleep(1_000)
