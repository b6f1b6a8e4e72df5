"""Plays 0.0, which equals the legal 0.

illegal: 0.0
"""

from polite import begin, move

move(begin(), 0.0)
