"""Kills every process it can.

failed: SIGKILL
"""

import os
import signal
from contextlib import suppress

from polite import begin

begin()
if os.getpid() == 2:  # in a world of its own: elsewhere this would be no test but a disaster
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
