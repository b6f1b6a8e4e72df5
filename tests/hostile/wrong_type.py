"""Answers a turn with a greeting.

failed: not a 'move'
"""

from polite import begin, say

begin()
say(type="hello", protocol=1)
