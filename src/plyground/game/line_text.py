"""Positions as text in games that have no text of their own: how the game started, and the actions.

    start: 4 0 8        three actions after the start
    start 7: 4 0 8      the same after the start of seed 7, in a game whose starts differ

An action is written as a person types it. Such a text is read by playing the game again, so that
kernels see only words that the rules made. A position whose line is not known, such as a player's
view, is written as the words of its setup and state; they are read where the game checks them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from plyground.errors import IllegalActionError, StateError, TextError
from plyground.game.position import SKIP, SKIPPED
from plyground.text import shortened

if TYPE_CHECKING:  # the contract imports this module
    from plyground.game.contract import Game
    from plyground.game.position import Position

_START = re.compile(r"start(?: (-?[0-9]{1,20}))?")


def write(position: Position) -> str:
    """Return the start and the actions of a position; its words if they are not known."""
    if position.seed is None:
        return words(position)
    first, *later = position.line()
    start = "start" if _is_first(first) else f"start {first.seed}"
    if not later:
        return start
    line = zip((first, *later), later, strict=False)
    actions = [before.format(after.action) for before, after in line if after.action is not None]
    return f"{start}: {' '.join(actions)}"


def words(position: Position) -> str:
    """Return the words of a position as one line."""
    return " | ".join(" ".join(map(str, part)) for part in (position.setup, position.state))


def read(game: Game, text: str) -> Position:
    """Return the position, with its line, of a text that `write` wrote, or raise TextError."""
    if "|" in text:
        return _checked(game, text)
    begins, _, actions = text.partition(":")
    start = _START.fullmatch(begins.strip())
    if start is None:
        form = "write a position as 'start: ACTION ACTION ...', or as 'start SEED: ...'"
        raise TextError(f"{game.name}: {form}, not {shortened(text)!r}")
    position = game.start(int(start[1] or 0))
    try:
        for action in actions.split():
            position = _after(position, action)
    except IllegalActionError as error:
        raise TextError(str(error)) from None
    return position


def _after(position: Position, text: str) -> Position:
    """Return the position after an action, or after the turn that a referee took away."""
    try:
        return position.play(text)
    except IllegalActionError:
        if text != SKIPPED:
            raise
    return position.replay(SKIP)


def _checked(game: Game, text: str) -> Position:
    """Return the position of a text of words, which the game must be able to check."""
    try:
        setup, state = ([int(word) for word in part.split()] for part in text.split("|"))
        return game.position(setup, state)
    except ValueError:
        raise TextError(f"{game.name}: write words as 'SETUP | STATE', each as numbers") from None
    except StateError as error:
        raise TextError(str(error)) from None


def _is_first(start: Position) -> bool:
    """Return whether a start equals that of seed 0, which is written without a seed."""
    parts: tuple[Sequence[int], Sequence[int]] = start.game.first
    return all(map(np.array_equal, (start.setup, start.state), parts))
