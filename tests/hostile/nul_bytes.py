"""Answers with bytes of zero.

failed: not a JSON object
"""

import sys

from polite import begin

begin()
sys.stdout.write("\0" * 100 + "\n")
sys.stdout.flush()
