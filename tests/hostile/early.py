"""Answers before it is asked, and never listens.

failed: turn
"""

import time

from polite import say

say(type="hello", protocol=1)
say(type="ready")
for _ in range(100):
    say(type="move", turn=1, action=0)
time.sleep(1_000)
