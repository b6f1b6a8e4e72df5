"""Exceptions whose text is one clear line: what was wrong, where, and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from traceback import extract_tb
from warnings import warn


class PlygroundError(Exception):
    """The base class of every error that a user can correct."""


class PlygroundWarning(UserWarning):
    """Something was corrected or left out that a user should know of; the program goes on."""


@cache
def warn_once(message: str) -> None:
    """Issue a warning, the same one only once in a process."""
    warn(message, PlygroundWarning, stacklevel=2)


class UnknownName(PlygroundError):
    """No game, agent, evaluator or option has that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {shortened(name)!r}; {suggestion(name, known)}")


class BadSpec(PlygroundError):
    """A text such as `mcts(simulations=1000)` cannot be read."""


class BadOption(PlygroundError):
    """An option's value has the wrong type or is out of range."""


class BadText(PlygroundError):
    """A position's text does not describe a position of this game."""


class BadState(PlygroundError):
    """Words are no position of the game: their number, type or meaning is wrong."""


class IllegalAction(PlygroundError):
    """The action is not legal in the position."""


class BadGame(PlygroundError):
    """A game breaks the contract: a kernel is missing or does not compile."""


class KernelFailed(BadGame):
    """A kernel that runs as plain Python indexes outside an array, or fails in another way."""


class LoadFailed(PlygroundError):
    """A file or package that should define a game, an agent or a study cannot be loaded."""


class CannotPlay(PlygroundError):
    """The agent does not play games of this kind."""


class StoreFailed(PlygroundError):
    """The store cannot be opened, read or written; its content is unchanged."""


class AgentFailed(PlygroundError):
    """An agent returned no valid action; `fault` is one of FAULTS."""

    def __init__(self, fault: str, reason: str) -> None:
        super().__init__(reason)
        self.fault = fault


FAULTS = ("illegal", "late", "failed")
"""Why a player forfeits: a move that is not legal, no move in time, or anything else."""


DEBUG = "PLYGROUND_DEBUG"
"""The environment variable that `--debug` sets: errors show their traceback, also in workers."""


def show_traceback(error: BaseException) -> None:
    """Write an error's traceback to standard error if `--debug` was given."""
    import os
    import sys
    from traceback import format_exception

    if os.environ.get(DEBUG):
        for line in "".join(format_exception(error)).splitlines():
            print(cleaned(line), file=sys.stderr)


def cleaned(text: str) -> str:
    """Return a text from outside as one line that is safe in terminals, pages, tables and stores.

    White space becomes a blank, and whatever else cannot be printed (escape codes, control
    characters, lone surrogates) a question mark. Specs that we write ourselves stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "?" for letter in text
    )


def one_line(text: str, longest: int) -> str:
    """Return the beginning of a text from outside as one clean line, with single blanks."""
    return " ".join(cleaned(text[: 5 * longest]).split())[:longest]


def place_of(error: BaseException, folder: Path) -> tuple[Path, int] | None:
    """Return the innermost file and line within a folder that an error came from, if any."""
    places = [(Path(step.filename), step.lineno) for step in extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((Path(error.filename), error.lineno))
    within = [
        (file, line)
        for file, line in places
        if line is not None and file.is_relative_to(folder) and "site-packages" not in file.parts
    ]
    return within[-1] if within else None


def shortened(text: str) -> str:
    """Return a text for a message to quote, cut to 60 letters."""
    return text if len(text) <= 60 else text[:57] + "..."


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return which of the known names was probably meant, or a list of them all."""
    names = list(known)
    close = get_close_matches(shortened(name), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(names) or 'none'}"
