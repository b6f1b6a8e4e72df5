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
    """A notice that something was corrected or left out; the program goes on."""


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
    """The words of a setup or state are no position of the game."""


class IllegalAction(PlygroundError):
    """The action is not legal in the position."""


class BadGame(PlygroundError):
    """A game breaks the contract: a kernel is missing or does not compile."""


class KernelFailed(BadGame):
    """A kernel that runs as plain Python raised an error, such as an index out of range."""


class LoadFailed(PlygroundError):
    """A file or package that should define a game, an agent or a study cannot be loaded."""


class CannotPlay(PlygroundError):
    """The agent cannot play this game."""


class StoreFailed(PlygroundError):
    """The store cannot be opened, read or written; its content is unchanged."""


class AgentFailed(PlygroundError):
    """An agent returned no valid action; `fault` is one of FAULTS."""

    def __init__(self, fault: str, reason: str) -> None:
        super().__init__(reason)
        self.fault = fault


FAULTS = ("illegal", "late", "failed")
"""Why a player forfeits: an illegal move, no move in time, or any other failure."""


DEBUG = "PLYGROUND_DEBUG"
"""The environment variable that `--debug` sets, so that worker processes show tracebacks too."""


def show_traceback(error: BaseException) -> None:
    """Write an error's traceback to standard error if `--debug` was given."""
    import os
    import sys
    from traceback import format_exception

    if os.environ.get(DEBUG):
        for line in "".join(format_exception(error)).splitlines():
            print(cleaned(line), file=sys.stderr)


def cleaned(text: str) -> str:
    """Return untrusted text as one line that is safe in terminals, pages, tables and databases.

    White space becomes a blank; any other character that cannot be printed (escape codes, control
    characters, lone surrogates) becomes a question mark. Printable text is unchanged.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "?" for letter in text
    )


def one_line(text: str, longest: int) -> str:
    """Return the beginning of an untrusted text as one clean line, with single blanks."""
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
    """Return a text cut to 60 characters, to be quoted in a message."""
    return text if len(text) <= 60 else text[:57] + "..."


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant, or else a list of all known names."""
    names = list(known)
    close = get_close_matches(shortened(name), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(names) or 'none'}"
