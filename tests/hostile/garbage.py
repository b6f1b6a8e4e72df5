"""Says something that is no message.

failed: no JSON object
"""

from polite import begin

begin()
print("Hello, world!", flush=True)
