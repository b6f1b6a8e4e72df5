"""Answers a turn with a greeting.

failed: not 'move'
"""

from polite import begin, say

begin()
say(type="hello", protocol=1)
