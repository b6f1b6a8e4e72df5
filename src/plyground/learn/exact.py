"""Exact labels in self-play: what a game's solver can answer soon is not left to the search.

From its end backwards, the positions of a game are solved until that has taken too long, and those
of its opening as far as a book knows them. The policy of a solved position becomes its best
actions, its value the proved result. One game in DEEP is solved with many more nodes, and keeps the
search's policy where even these do not suffice; such positions get the value of the first one after
them that is solved, as how the game went on from there says nothing about them. Of the other games
only what is solved is learned from: in the middle of a game the search's policy is often wrong, and
a network that sees far more of it than of exact ones learns its mistakes. Values fall with the
length of the game, so that a network learns to win soon and to lose late.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from functools import lru_cache

import numpy as np

from plyground.errors import OptionError
from plyground.game import Solver, Stop
from plyground.games import load_game
from plyground.learn.samples import Samples
from plyground.learn.starts import start_any

MOST_NODES = 200_000
"""Nodes of the solver for most games: with 100,000, half of the games of Connect Four are solved
from ply 15 on or earlier, in 12 ms, with 300,000 from ply 12 on, in 34 ms."""

DEEP, DEEP_NODES = 10, 5_000_000
"""One game in DEEP has so many nodes: in Connect Four all but ply 8 or 9 is solved, in 0.2 s."""

HASTE = 0.5
"""How much less a win counts at the end of a longest game than a win at once."""

GAMES = 8
"""Games per task of an executor."""


def begin_labels(
    samples: Samples, games: tuple[str, ...], opening: int, executor: Executor
) -> list[Future[Samples]]:
    """Begin to label whole games in an executor; `samples.joined` puts the parts together."""
    return [executor.submit(labelled, part, games, opening) for part in _parts(samples)]


def labelled(samples: Samples, games: tuple[str, ...], opening: int = 0) -> Samples:
    """Return games with exact labels where they are found soon.

    They are of variants of one shape, and begin after a random opening: see `starts.start_any`.
    """
    solver = _solver(games[0])
    values, policy = samples.values.copy(), samples.policy.copy()
    longest = solver.game.facts.longest
    for seed, rows in zip(samples.seeds.tolist(), _games(samples), strict=True):
        before = start_any(games, seed, opening).ply
        values[rows] *= 1.0 - HASTE * (before + rows.stop - rows.start) / longest
        setup = samples.setups[samples.game[rows.start]]
        line = [solver.game._trusted(setup, state) for state in samples.states[rows]]
        is_deep = seed % DEEP == 0
        solved = solver.best_actions(line, Stop(nodes=DEEP_NODES if is_deep else MOST_NODES))
        following = values[rows.stop - 1].copy()  # of the game's end, as long as nothing is solved
        for row, best in zip(reversed(range(rows.start, rows.stop)), reversed(solved), strict=True):
            if best is not None:
                plies = before + row - rows.start + best.plies
                following[:] = -best.value * (1.0 - HASTE * plies / longest)
                following[samples.players[row]] *= -1.0
                policy[row] = np.isin(samples.actions[row], best.actions)
                policy[row] /= policy[row].sum()
            elif not is_deep:
                policy[row] = 0.0  # it is not learned from
            values[row] = following
    return samples._replace(values=values, policy=policy)


def _games(samples: Samples) -> Iterator[slice]:
    """Return the rows of each game."""
    ends = np.cumsum(np.bincount(samples.game)).tolist()
    for first, end in zip([0, *ends], ends, strict=False):
        yield slice(first, end)


def _parts(samples: Samples) -> Iterator[Samples]:
    """Return a few games at a time."""
    for first in range(0, len(samples.setups), GAMES):
        of = slice(first, first + GAMES)
        rows = slice(*np.searchsorted(samples.game, (first, first + GAMES)).tolist())
        fields = (getattr(samples, name)[rows] for name in Samples._fields[3:])
        yield Samples(samples.seeds[of], samples.setups[of], samples.game[rows] - first, *fields)


@lru_cache(maxsize=1)
def _solver(game: str) -> Solver:
    solver = load_game(game).solver()
    if solver is None or solver.game.facts.players != 2:
        raise OptionError(f"{game} has no exact solver for two players: learn from selfplay")
    return solver
