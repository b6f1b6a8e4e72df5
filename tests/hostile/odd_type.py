"""Gives an object where a word is wanted.

failed: not 'move'
"""

from polite import begin, say

begin()
say(type={"type": "move"}, action=0)
