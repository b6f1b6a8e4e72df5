"""Expects more than any number of a machine holds.

failed: its value is 1000
"""

from polite import begin, say

turn = begin()
say(type="move", turn=turn["turn"], action=0, value=10**400)
