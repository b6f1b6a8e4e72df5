"""Perft: the number of lines of play to a depth, for comparing rules with other programs."""

from __future__ import annotations

import numpy as np

from plyground.compile import Words, call_legal, call_over, call_play, helper, loop
from plyground.errors import OptionError
from plyground.game import Position
from plyground.game.numbers import whole
from plyground.text import one_line


@helper
def _count(rules, setup, states, actions, ply, depth):  # type: ignore[no-untyped-def]
    if call_over(rules, setup, states[ply]):
        return 0
    count = call_legal(rules, setup, states[ply], actions[ply])
    if depth == 1:
        return count
    leaves = 0
    for index in range(count):
        states[ply + 1, :] = states[ply]
        call_play(rules, setup, states[ply + 1], actions[ply, index])
        leaves += _count(rules, setup, states, actions, ply + 1, depth - 1)
    return leaves


@loop("i8(rules, setup, words2, words2, i8)")
def _perft(rules, setup, states, actions, depth):  # type: ignore[no-untyped-def]
    return _count(rules, setup, states, actions, np.int64(0), np.int64(depth))


def perft(position: Position, depth: int) -> int:
    """Return the number of lines of play of exactly `depth` plies.

    A game that ends at exactly that depth counts; one that ended earlier does not.
    """
    shown, depth = one_line(repr(depth), 60), whole(depth)
    if depth < 0:
        raise OptionError(f"depth={shown}; allowed: at least 0")
    if depth > position.game.facts.longest:
        return 0
    states: Words = np.empty((depth + 1, len(position.state)), np.int64)
    states[0] = position.state
    actions = np.empty((depth + 1, position.game.facts.branching), np.int64)
    return (
        int(_perft(position.game.rules(), position.setup, states, actions, depth)) if depth else 1
    )
