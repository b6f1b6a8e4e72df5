"""Answers with an empty line.

failed: not a JSON object
"""

from polite import begin

begin()
print(flush=True)
