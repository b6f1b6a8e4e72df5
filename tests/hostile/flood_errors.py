"""Complains without end instead of answering.

late: no move
"""

import sys

from polite import begin

begin()
while True:
    sys.stderr.write("why? " * 10_000)
