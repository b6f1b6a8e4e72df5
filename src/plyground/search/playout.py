"""Play-outs: random games from a position to the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.arithmetic import random_below, random_stream
from plyground.compile import (
    call_legal,
    call_over,
    call_play,
    call_returns,
    helper,
    loop,
)
from plyground.errors import OptionError
from plyground.game import Position
from plyground.game.numbers import whole
from plyground.text import one_line


@helper
def play_out(rules, setup, state, actions, random):
    """Play random legal actions until the game is over; return the number of plies."""
    plies = 0
    while not call_over(rules, setup, state):
        count = call_legal(rules, setup, state, actions)
        call_play(rules, setup, state, actions[random_below(random, count)])
        plies += 1
    return plies


@loop("i8(rules, setup, state, words, words, reals, reals, random, i8)")
def _play_outs(rules, setup, start, state, actions, returns, totals, random, count):
    """Play from `start` to the end `count` times; add the returns to `totals`; return the plies."""
    plies = 0
    for _ in range(count):
        state[:] = start
        plies += play_out(rules, setup, state, actions, random)
        call_returns(rules, setup, state, returns)
        for player in range(len(returns)):
            totals[player] += returns[player]
    return plies


@loop("i8(rules, setup, words, words, words, random)")
def _random_line(rules, setup, state, actions, line, random):
    """Play one random game in place, writing its actions to `line`; return the number of plies."""
    plies = 0
    while not call_over(rules, setup, state) and plies < len(line):
        count = call_legal(rules, setup, state, actions)
        line[plies] = actions[random_below(random, count)]
        call_play(rules, setup, state, line[plies])
        plies += 1
    return plies


def play_outs(position: Position, count: int, seed: int = 0) -> tuple[tuple[float, ...], int]:
    """Play `count` random games from a position; return the players' mean returns and the plies.

    In an observer's view, what is hidden is guessed first.
    """
    shown, count = one_line(repr(count), 60), whole(count)
    if count < 1:
        raise OptionError(f"count={shown}; allowed: at least 1")
    position = position.determinize(seed)
    facts = position.game.facts
    totals = np.zeros(facts.players)
    plies = _play_outs(
        position.game.rules(),
        position.setup,
        position.state,
        position.state.copy(),
        np.empty(facts.branching, np.int64),
        np.empty(facts.players),
        totals,
        random_stream(seed),
        count,
    )
    return tuple((totals / count).tolist()), int(plies)


def random_line(position: Position, seed: int = 0) -> list[Any]:
    """Return the actions of one random game from a position; what is hidden is guessed first."""
    position = position.determinize(seed)
    facts = position.game.facts
    line = np.empty(facts.longest, np.int64)
    plies = _random_line(
        position.game.rules(),
        position.setup,
        position.state.copy(),
        np.empty(facts.branching, np.int64),
        line,
        random_stream(seed),
    )
    return line[:plies].tolist()
