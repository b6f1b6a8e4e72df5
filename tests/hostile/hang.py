"""Sleeps instead of answering.

late: no move
"""

import time

from polite import begin

begin()
time.sleep(1_000)
