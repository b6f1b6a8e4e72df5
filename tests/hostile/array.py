"""Answers with an array, not an object.

failed: no JSON object
"""

from polite import begin

begin()
print("[1, 2, 3]", flush=True)
