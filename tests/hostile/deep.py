"""Nests arrays until a parser's stack is full.

failed: no JSON object
"""

from polite import begin

begin()
print("[" * 60_000, flush=True)
