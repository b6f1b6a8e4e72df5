"""Answers with a line of a million letters.

failed: longer than
"""

import os

from polite import begin

begin()
line = b"x" * 1_000_000 + b"\n"
while line:  # a write to a full pipe that a signal interrupts is cut short: print drops the rest
    line = line[os.write(1, line) :]
