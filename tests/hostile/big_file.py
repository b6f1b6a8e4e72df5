"""Writes one big file.

failed: file
"""

from polite import begin

begin()
with open("big", "wb") as file:
    for _ in range(100):
        file.write(bytes(1_000_000))
