"""A game's advice to searches, called from Python: one function per kind of kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.arithmetic import random_stream
from plyground.compile import (
    call_bound,
    call_loud,
    call_order,
    call_rollout,
    call_skip,
    call_unwise,
    loop,
)
from plyground.errors import GameError, IllegalActionError
from plyground.game import Position
from plyground.game.numbers import whole
from plyground.text import one_line


@loop("f8(rules, setup, state, i8)")
def _order(rules, setup, state, action):  # type: ignore[no-untyped-def]
    return call_order(rules, setup, state, action)


@loop("i8(rules, setup, state, words)")
def _loud(rules, setup, state, out):  # type: ignore[no-untyped-def]
    return call_loud(rules, setup, state, out)


@loop("i8(rules, setup, state, i8)")
def _unwise(rules, setup, state, action):  # type: ignore[no-untyped-def]
    return call_unwise(rules, setup, state, action)


@loop("i8(rules, setup, state, random)")
def _rollout(rules, setup, state, random):  # type: ignore[no-untyped-def]
    return call_rollout(rules, setup, state, random)


@loop("i8(rules, setup, state)")
def _bound(rules, setup, state):  # type: ignore[no-untyped-def]
    return call_bound(rules, setup, state)


@loop("none(rules, setup, words)")
def _skip(rules, setup, state):  # type: ignore[no-untyped-def]
    call_skip(rules, setup, state)


def _rules(position: Position, kind: str, name: str) -> Any:
    """Return the table with a kernel of advice, or raise GameError if the game has none."""
    advisor = position.game.advisor(kind, name)
    if advisor is None:
        raise GameError(f"{position.game.name} has no advice of the kind {kind!r}")
    return position.game.rules(None, advisor)


def _legal(position: Position, action: int) -> int:
    """Return a legal action as an int, or raise IllegalActionError: kernels index memory by it."""
    number = whole(action)
    if number not in position.legal_actions:
        shown = one_line(repr(action), 60)
        raise IllegalActionError(f"action {shown} is not legal in {position!r}")
    return number


def order(position: Position, action: int, name: str = "") -> float:
    """Return a legal action's score for move ordering; the highest is tried first."""
    rules = _rules(position, "order", name)
    return float(_order(rules, position.setup, position.state, _legal(position, action)))


def loud(position: Position, name: str = "") -> list[int]:
    """Return the noisy actions that quiescence follows."""
    out = np.empty(position.game.facts.branching, np.int64)
    count = _loud(_rules(position, "loud", name), position.setup, position.state, out)
    return out[:count].tolist()  # type: ignore[no-any-return]


def unwise(position: Position, action: int, name: str = "") -> bool:
    """Return whether a search may prune a legal action."""
    rules = _rules(position, "unwise", name)
    return bool(_unwise(rules, position.setup, position.state, _legal(position, action)))


def rollout(position: Position, seed: int, name: str = "") -> int:
    """Return an action drawn by a play-out policy."""
    rules = _rules(position, "rollout", name)
    return int(_rollout(rules, position.setup, position.state, random_stream(seed)))


def bound(position: Position, name: str = "") -> int:
    """Return a lower bound on the plies in which a puzzle can still be solved."""
    rules = _rules(position, "bound", name)
    return int(_bound(rules, position.setup, position.state))


def skip(position: Position, name: str = "") -> Position:
    """Return the position after a null move: the player to move has passed its turn."""
    state = position.state.copy()
    _skip(_rules(position, "skip", name), position.setup, state)
    return position.game._trusted(position.setup, state)
