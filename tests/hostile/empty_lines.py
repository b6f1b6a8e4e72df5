"""Answers with an empty line.

failed: no JSON object
"""

from polite import begin

begin()
print(flush=True)
