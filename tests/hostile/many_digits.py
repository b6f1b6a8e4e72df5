"""Plays a number of 5,000 digits, which takes long to read.

failed: not a JSON object
"""

from polite import begin

begin()
print('{"type":"move","turn":1,"action":' + "9" * 5_000 + "}", flush=True)
