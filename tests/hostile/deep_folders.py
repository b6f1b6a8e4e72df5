"""Makes folders so deep that they have no path, and locks them.

failed: status 0
"""

import os

from polite import begin

for _ in range(1_500):
    os.mkdir("deeper")
    os.chdir("deeper")
os.mkdir("locked")
os.chmod("locked", 0)
begin()
