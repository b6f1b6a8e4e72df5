"""Answers with an object where a string is required.

failed: not 'move'
"""

from polite import begin, say

begin()
say(type={"type": "move"}, action=0)
