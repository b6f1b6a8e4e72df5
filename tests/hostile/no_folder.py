"""Deletes the folder it is in.

failed: FileNotFoundError
"""

import os

from polite import begin

begin()
os.rmdir(os.environ["HOME"])
os.getcwd()
