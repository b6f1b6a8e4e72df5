"""Kills its process group.

failed: SIGKILL
"""

import os
import signal

from polite import begin

begin()
os.killpg(0, signal.SIGKILL)
