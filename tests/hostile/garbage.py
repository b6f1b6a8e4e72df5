"""Says something that is no message.

failed: not a JSON object
"""

from polite import begin

begin()
print("Hello, world!", flush=True)
