"""Writes a line that is not a message.

failed: not a JSON object
"""

from polite import begin

begin()
print("Hello, world!", flush=True)
