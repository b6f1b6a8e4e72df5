"""Raises its own limits first, then takes memory.

failed: status
"""

import resource

from polite import begin

begin()
resource.setrlimit(resource.RLIMIT_DATA, (2**40, 2**40))
hoard = bytearray(200_000_000)
