"""Faults: what a player did wrong, as a kind of forfeit and a reason in one line."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

import plyground
from plyground.errors import (
    AgentFailed,
    IllegalAction,
    PlygroundError,
    cleaned,
    one_line,
    show_traceback,
)

LONGEST_REASON = 500
"""Letters of the reason that a record keeps for a forfeit."""

_LIBRARIES = tuple(
    f"{Path(folder).resolve()}{os.sep}"
    for folder in (*plyground.__path__, *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
)
"""The folders of code that is not the user's own."""


def fault_of(error: BaseException) -> tuple[str, str]:
    """Return which fault a player's error is (one of FAULTS), and the reason as one line.

    With `--debug` the traceback is shown as well.
    """
    show_traceback(error)
    if isinstance(error, AgentFailed):
        return error.fault, one_line(str(error), LONGEST_REASON) or error.fault
    fault = "illegal" if isinstance(error, IllegalAction) else "failed"
    return fault, located(error)


def located(error: BaseException) -> str:
    """Return an error as one line: its type, its text, and the file and line where it happened.

    That is the last line of a file of the user's own, if the error passed through one; else errors
    whose text is meant for users (PlygroundError) stay as they are.
    """
    steps = extract_tb(error.__traceback__)
    own = [step for step in steps if _is_own(step)]
    is_ours = isinstance(error, PlygroundError)
    text = str(error) if is_ours else f"{type(error).__name__}: {error}".removesuffix(": ")
    where = own[-1] if own else None if is_ours or not steps else steps[-1]
    file = "" if where is None else cleaned(Path(where.filename).name)
    place = "" if where is None else f" ({file}, line {where.lineno})"
    return one_line(text, LONGEST_REASON - len(place)) + place


def _is_own(step: FrameSummary) -> bool:
    """Return whether a step of a traceback is in a file of the user's own."""
    path = Path(step.filename)
    return path.is_file() and not str(path.resolve()).startswith(_LIBRARIES)
