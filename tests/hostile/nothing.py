"""Plays nothing.

illegal: None
"""

from polite import begin, say

turn = begin()
say(type="move", turn=turn["turn"])
