"""Kills every process it can.

failed: SIGKILL
"""

import os
import signal
from contextlib import suppress

from polite import begin

begin()
if os.getpid() == 2:  # only in a namespace of its own; elsewhere it would kill the tests
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
