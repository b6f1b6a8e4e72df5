"""Leaves a daemon behind in a session of its own, deaf to signals.

failed: status 0
"""

import os
import signal
import sys
import time

from polite import begin

begin()
if os.fork():
    sys.exit()
os.setsid()
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
if os.fork():
    os._exit(0)
for pipe in (0, 1, 2):
    os.close(pipe)
time.sleep(1_000)
