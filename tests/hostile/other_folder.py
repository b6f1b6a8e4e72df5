"""Puts a link to another folder where its own was.

failed: status 0
"""

import os

from polite import begin

begin()
os.rmdir(os.environ["HOME"])
os.symlink(os.path.dirname(__file__), os.environ["HOME"])
