"""Gives up with a long reason full of colours, bells and half letters.

failed: ?[31m?
"""

from polite import begin, say

begin()
say(type="failed", fault="everyone else's", reason="\033[31m\a\ud800" * 500)
