"""Answers with a line of a million letters.

failed: longer than
"""

from polite import begin

begin()
print("x" * 1_000_000, flush=True)
