"""Takes all the memory it can get.

failed: memory
"""

from polite import begin

begin()
hoard = []
while True:
    hoard.append(bytearray(10_000_000))
