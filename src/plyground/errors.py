"""Exceptions whose text is one clear line: what was wrong, where, and what is allowed.

    PlygroundError              every error that a user can correct
      UnknownNameError          no game, agent, heuristic or option has that name
      SpecError                 a text such as `mcts(simulations=1000)` cannot be read
      OptionError               an option's value has the wrong type or is out of range
      TextError                 a text describes no position, record or file of this kind
      StateError                the words of a setup or state are no position
      IllegalActionError        the action is not legal in the position
      GameError                 a game breaks the contract
        KernelError             a kernel that runs as plain Python raised an error
      LoadError                 a file or package cannot be loaded
      CannotPlayError           the agent cannot play this game
      StoreError                the store cannot be opened, read or written
      AgentError                an agent returned no valid action

Packages that nothing else imports have errors of their own, each a PlygroundError: those of the
site, of `check`, of arrays in files and of checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from traceback import extract_tb
from warnings import warn

from plyground.text import cleaned, shortened, suggestion


class PlygroundError(Exception):
    """The base class of every error that a user can correct."""


class PlygroundWarning(UserWarning):
    """A notice that something was corrected or left out; the program goes on."""


@cache
def warn_once(message: str) -> None:
    """Issue a warning, the same one only once in a process."""
    warn(message, PlygroundWarning, stacklevel=2)


class UnknownNameError(PlygroundError):
    """No game, agent, heuristic or option has that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {shortened(name)!r}; {suggestion(name, known)}")


class SpecError(PlygroundError):
    """A text such as `mcts(simulations=1000)` cannot be read."""


class OptionError(PlygroundError):
    """An option's value has the wrong type or is out of range."""


class TextError(PlygroundError):
    """A text describes no position, record or file of this kind."""


class StateError(PlygroundError):
    """The words of a setup or state are no position of the game."""


class IllegalActionError(PlygroundError):
    """The action is not legal in the position."""


class GameError(PlygroundError):
    """A game breaks the contract: a kernel is missing or does not compile."""


class KernelError(GameError):
    """A kernel that runs as plain Python raised an error, such as an index out of range."""


class LoadError(PlygroundError):
    """A file or package that should define a game, an agent or a study cannot be loaded."""


class CannotPlayError(PlygroundError):
    """The agent cannot play this game."""


class StoreError(PlygroundError):
    """The store cannot be opened, read or written; its content is unchanged."""


class AgentError(PlygroundError):
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
