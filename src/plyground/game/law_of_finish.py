"""The law of the kernel `finish`: its random games end as those by `legal` and `play` do.

Both play from the same positions. Where few games are left, every result that is possible is
listed, and `finish` may give no other one. Everywhere the players' results, their squares (which
tell draws from wins and losses) and the mover's result must be alike on average: their differences,
game by game, are as likely positive as negative, so that by Hoeffding's inequality their sum is
beyond SURE times the root of the sum of their squares with a probability below 5e-11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plyground.arithmetic import random_below, random_stream
from plyground.compile import (
    JIT,
    Reals,
    call_finish,
    call_legal,
    call_over,
    call_play,
    call_returns,
    loop,
)
from plyground.game import Position

SURE = 7.0

PLAY_OUTS = 32 if JIT else 1
"""Games by each way from a position."""

FEW = 200 if JIT else 20
"""Positions below one position of which every result is listed."""


@dataclass
class Differences:
    """The sums over all games of the differences between `finish` and `legal` with `play`."""

    total: Any = 0.0
    squares: Any = 0.0
    games: int = 0


@loop("i8(rules, setup, state, words, words, reals2, random, i8)")
def _play_outs(rules, setup, start, state, actions, returns, random, by_finish):  # type: ignore[no-untyped-def]
    """Write the returns of random games; return the number of the first not over, or -1."""
    for row in range(len(returns)):
        for word in range(len(start)):
            state[word] = start[word]
        if by_finish:
            call_finish(rules, setup, state, actions, random)
        else:
            while not call_over(rules, setup, state):
                count = call_legal(rules, setup, state, actions)
                call_play(rules, setup, state, actions[random_below(random, count)])
        if not call_over(rules, setup, state):
            return row
        call_returns(rules, setup, state, returns[row])
    return -1


def problem(position: Position, known: Differences) -> str:
    """Return how `finish` differs from `legal` and `play` in a position and those before, or ""."""
    facts = position.game.facts
    stream = random_stream(position.key, known.games)
    by_finish, by_play = (np.zeros((PLAY_OUTS, facts.players)) for _ in range(2))
    for returns, finishes in ((by_finish, 1), (by_play, 0)):
        unfinished = _play_outs(
            position.game.always, position.setup, position.state, position.state.copy(),
            np.zeros(position.game.look_words, np.int64), returns, stream, finishes,
        )  # fmt: skip
        if unfinished >= 0:
            return "the kernel 'finish' does not play to the end"
    wrong = _wrong(position, by_finish)
    if wrong:
        return wrong
    known.games += PLAY_OUTS
    differences = _features(position, by_finish) - _features(position, by_play)
    known.total = known.total + differences.sum(axis=0)
    known.squares = known.squares + (differences**2).sum(axis=0)
    off = np.abs(known.total) > SURE * np.sqrt(known.squares)
    if not off.any():
        return ""
    name = _names(facts.players)[int(off.argmax())]
    mean = known.total[int(off.argmax())] / known.games
    return (
        f"in {known.games} random games by the kernel 'finish' {name} is {mean:+.2f} on average "
        "above that by 'legal' and 'play'"
    )


def _features(position: Position, returns: Reals) -> Any:
    """Return of each game the results, their squares, and the mover's result."""
    return np.column_stack([returns, returns**2, returns[:, position.player]])


def _names(players: int) -> list[str]:
    results = [f"player {player}'s result" for player in range(players)]
    return [*results, *(f"the square of {result}" for result in results), "the mover's result"]


def _wrong(position: Position, returns: Reals) -> str:
    """Return what is impossible in the returns of finished games, or ""."""
    if np.abs(returns).max() > 1.0:
        return "the kernel 'finish' gives returns that are not within -1..1"
    if position.game.facts.zero_sum and np.abs(returns.sum(axis=1)).max() > 1e-9:
        return "the kernel 'finish' gives returns that do not add up to 0"
    possible = _possible(position)
    if possible is not None:
        for gained in map(tuple, returns.tolist()):
            if gained not in possible:
                return f"the kernel 'finish' gives returns {gained}, which no game from here has"
    return ""


def _possible(position: Position) -> set[tuple[float, ...]] | None:
    """Return the results of all games from a position; None if there are many positions."""
    if position.game.facts.repetition:  # which `finish` does not know
        return None
    found, waiting, seen = set(), [position], 0
    while waiting:
        at = waiting.pop()
        seen += 1
        if seen > FEW:
            return None
        if at.is_over:
            found.add(at.returns)
        waiting += [at.play(action) for action in at.legal_actions]
    return found
