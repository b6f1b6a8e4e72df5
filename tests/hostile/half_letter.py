"""Plays half a letter, which no file can hold.

illegal: ud800
"""

from polite import begin, move

move(begin(), "\ud800")
