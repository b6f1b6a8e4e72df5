"""Writes without end, and never ends a line.

failed: longer than
"""

import sys

from polite import begin

begin()
while True:
    sys.stdout.write("x" * 10_000)
