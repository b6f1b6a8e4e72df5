"""Numbers that come from outside: what counts as an integer."""

from __future__ import annotations

from operator import index
from typing import Any

NO_NUMBER = -2
"""No action, player, ply or symmetry has this number."""


def whole(number: Any) -> int:
    """Return an integer of any type as Python's; NO_NUMBER for what is no integer."""
    try:
        return index(number)
    except TypeError:
        return NO_NUMBER
