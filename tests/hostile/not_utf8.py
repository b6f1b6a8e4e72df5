"""Answers in bytes that are no text.

failed: not UTF-8
"""

import sys

from polite import begin

begin()
sys.stdout.buffer.write(b"\xff\xfe{}\n")
sys.stdout.flush()
