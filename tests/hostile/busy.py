"""Computes for ever.

late: no move
"""

from polite import begin

begin()
while True:
    pass
