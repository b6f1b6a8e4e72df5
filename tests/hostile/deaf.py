"""Ignores SIGTERM.

late: no move
"""

import signal
import time

from polite import begin

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
begin()
while True:
    time.sleep(1_000)
