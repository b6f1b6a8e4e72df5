"""Nests arrays until a parser's stack is full.

failed: not a JSON object
"""

from polite import begin

begin()
print("[" * 60_000, flush=True)
