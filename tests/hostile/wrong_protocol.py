"""Speaks a protocol of the future.

failed: protocol 2
"""

from polite import hear, say

hear()
say(type="hello", protocol=2)
hear()
