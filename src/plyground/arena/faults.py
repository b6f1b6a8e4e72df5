"""Faults of players: the kind of a forfeit, and its reason in one line."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

import plyground
from plyground.errors import (
    AgentError,
    IllegalActionError,
    PlygroundError,
    show_traceback,
)
from plyground.text import cleaned, one_line

LONGEST_REASON = 500
"""Characters of a forfeit's reason at most, as it is recorded."""

LONGEST_LOG = 4096
"""Characters of a program's standard error that are recorded at most: the last ones."""

_LIBRARIES = tuple(
    f"{Path(folder).resolve()}{os.sep}"
    for folder in (*plyground.__path__, *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
)
"""Folders of Plyground, the standard library and installed packages: not the user's code."""


def fault_of(error: BaseException) -> tuple[str, str]:
    """Return the kind of a player's error (one of FAULTS), and the reason as one line.

    With `--debug` the traceback is shown as well.
    """
    show_traceback(error)
    if isinstance(error, AgentError):
        return error.fault, one_line(str(error), LONGEST_REASON) or error.fault
    fault = "illegal" if isinstance(error, IllegalActionError) else "failed"
    return fault, located(error)


def cleaned_lines(text: str) -> str:
    """Return the end of an untrusted text of several lines, each of them clean."""
    return "\n".join(map(cleaned, text[-LONGEST_LOG:].strip().splitlines()))


def located(error: BaseException) -> str:
    """Return an error as one line: its type, its text, and the file and line where it happened.

    The place is the last line in the user's own files, if the error passed through any; otherwise a
    PlygroundError, whose text is meant for users, gets no place.
    """
    steps = extract_tb(error.__traceback__)
    own = [step for step in steps if _is_own(step)]
    is_ours = isinstance(error, PlygroundError)
    text = str(error) if is_ours else f"{type(error).__name__}: {error}".removesuffix(": ")
    step = own[-1] if own else None if is_ours or not steps else steps[-1]
    file = "" if step is None else cleaned(Path(step.filename).name)
    place = "" if step is None else f" ({file}, line {step.lineno})"
    return one_line(text, LONGEST_REASON - len(place)) + place


def _is_own(step: FrameSummary) -> bool:
    """Return whether a step of a traceback is in one of the user's own files."""
    path = Path(step.filename)
    return path.is_file() and not str(path.resolve()).startswith(_LIBRARIES)
