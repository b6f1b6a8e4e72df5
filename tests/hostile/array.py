"""Answers with an array, not an object.

failed: not a JSON object
"""

from polite import begin

begin()
print("[1, 2, 3]", flush=True)
