"""Ends after its first move.

failed: status 3
"""

import sys

from polite import begin, hear, move

move(begin())
hear()
sys.exit(3)
