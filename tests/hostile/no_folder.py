"""Tries to delete the folder it is in.

failed: Read-only file system
"""

import os

from polite import begin

begin()
os.rmdir(os.environ["HOME"])
