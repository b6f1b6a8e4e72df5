"""Touches memory that is not there.

failed: SIGSEGV
"""

import ctypes

from polite import begin

begin()
ctypes.string_at(0)
