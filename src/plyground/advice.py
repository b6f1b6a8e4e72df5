"""A game's advice to searches, asked from Python: the optional kernels, one function each."""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import random_stream
from plyground.compile import (
    call_bound,
    call_loud,
    call_order,
    call_rollout,
    call_unwise,
    loop,
)
from plyground.game import Position


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


def order(position: Position, action: int) -> float:
    """Say how early a search should try an action."""
    rules = position.game.rules_with("order")
    return float(_order(rules, position.setup, position.state, action))


def loud(position: Position) -> list[int]:
    """List the actions that quiescence follows."""
    out = np.empty(position.game.facts.branching, np.int64)
    count = _loud(position.game.rules_with("loud"), position.setup, position.state, out)
    return out[:count].tolist()  # type: ignore[no-any-return]


def unwise(position: Position, action: int) -> bool:
    """Say whether forward pruning may drop an action."""
    rules = position.game.rules_with("unwise")
    return bool(_unwise(rules, position.setup, position.state, action))


def rollout(position: Position, seed: int) -> int:
    """Draw an action as a play-out does."""
    rules = position.game.rules_with("rollout")
    return int(_rollout(rules, position.setup, position.state, random_stream(seed)))


def bound(position: Position) -> int:
    """Give the fewest plies in which a puzzle can still be solved."""
    return int(_bound(position.game.rules_with("bound"), position.setup, position.state))
