"""Opens files and never closes them.

failed: Too many open files
"""

import os

from polite import begin

begin()
while True:
    os.open("/dev/null", os.O_RDONLY)
