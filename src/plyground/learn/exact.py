"""Exact labels in self-play: what a game's solver can answer soon is not left to the search.

The late positions of a game are solved by processes while the network plays on. Their policy
becomes the best actions, their value the proved result. What is too hard keeps the search's policy
and the result of its game.
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.errors import BadOption
from plyground.game import Solver, Stop
from plyground.games import load_game
from plyground.learn.samples import Samples
from plyground.processes import end_executor, new_executor

if TYPE_CHECKING:
    from plyground.game import Game

CHUNK = 512
"""Positions per task of a process."""


class Labels(NamedTuple):
    """What was solved."""

    rows: NDArray[np.intp]
    best: NDArray[np.float32]
    """1 for each of the best actions, 0 for the others."""
    values: NDArray[np.float32]
    """For the player to move."""


def plies_of(samples: Samples) -> NDArray[np.int64]:
    """Return the ply of each position; those of a game follow one another from its start."""
    first = np.flatnonzero(np.r_[True, np.diff(samples.game) != 0])
    lengths = np.diff(np.r_[first, samples.size])
    return np.arange(samples.size) - np.repeat(first, lengths)


def hastened(values: float | NDArray[np.float32], plies: int | NDArray[np.int64], haste: float,
             longest: int) -> NDArray[np.float32]:  # fmt: skip
    """Return values that fall with the plies at the end of the game, to 1 - haste of a longest one.

    So a network learns to win soon and to lose late.
    """
    return np.asarray(values * (1.0 - haste * np.asarray(plies) / longest), np.float32)


def with_haste(samples: Samples, haste: float, longest: int) -> Samples:
    """Return samples of whole games whose values tell soon from late."""
    lengths = np.bincount(samples.game)[samples.game]
    return samples._replace(values=hastened(samples.values, lengths[:, None], haste, longest))


class ExactLabels:
    """Solves positions of self-play in processes."""

    def __init__(
        self, game: Game, *, first: int, nodes: int, haste: float = 0.0, workers: int = 1
    ) -> None:
        """Solve positions from ply `first` on, with at most so many nodes for each."""
        if game.facts.players != 2 or game.solver() is None:
            raise BadOption(f"{game} has no exact solver for two players")
        self.game, self.first = game, first
        self._task = repr(game), nodes, haste
        self._pool = new_executor(workers)

    def begin(self, samples: Samples) -> list[Future[Labels]]:
        """Begin to solve positions of whole games."""
        plies = plies_of(samples)
        late = np.flatnonzero(plies >= self.first)
        parts = np.array_split(late, -(-len(late) // CHUNK)) if len(late) else []
        return [
            self._pool.submit(
                _label, *self._task, samples.setups[samples.game[part]], samples.states[part],
                plies[part], part,
            )
            for part in parts
        ]  # fmt: skip

    def finish(self, samples: Samples, begun: list[Future[Labels]]) -> Samples:
        """Return the samples with their labels, once they are there.

        The positions before the first solved one of a game get its value: how the game went on
        after it says nothing about them.
        """
        values, policy = samples.values.copy(), samples.policy.copy()
        solved = np.zeros(samples.size, bool)
        for part in begun:
            labels = part.result()
            rows, best = labels.rows, labels.best
            solved[rows] = True
            policy[rows] = best / best.sum(axis=1, keepdims=True)
            values[rows] = -labels.values[:, None]
            values[rows, samples.players[rows]] = labels.values
        order = np.where(solved, np.arange(samples.size), samples.size)
        for first, last in _games(samples):
            at = int(order[first:last].min(initial=samples.size))
            if at < samples.size:
                values[first:at] = values[at]
        return samples._replace(values=values, policy=policy)

    def close(self) -> None:
        """End the processes."""
        end_executor(self._pool)


def _games(samples: Samples) -> list[tuple[int, int]]:
    """Return the first row of each game and the one after its last."""
    ends = [*np.flatnonzero(plies_of(samples) == 0).tolist(), samples.size]
    return list(pairwise(ends))


@lru_cache(maxsize=1)
def _solver(game: str) -> Solver:
    solver = load_game(game).solver()
    assert solver is not None
    return solver


def _label(
    game: str,
    nodes: int,
    haste: float,
    setups: NDArray[np.int64],
    states: NDArray[np.int64],
    plies: NDArray[np.int64],
    rows: NDArray[np.intp],
) -> Labels:
    """Solve the positions that take no more than so many nodes."""
    solver = _solver(game)
    facts = solver.game.facts
    found, bests, values = [], [], []
    for setup, state, ply, row in zip(setups, states, plies.tolist(), rows, strict=True):
        position = solver.game.position(setup, state)
        solutions = solver.values(position, Stop(nodes=nodes))
        if solutions is None:
            continue
        # The sooner win and the later loss is better, whatever the haste.
        merits = [
            (each.value, -np.sign(each.value) * (each.plies or 0))
            for each in map(solutions.__getitem__, position.legal_actions)
        ]
        best = merits.index(max(merits))
        row_of_best = np.zeros(facts.branching, np.float32)
        row_of_best[: len(merits)] = [merit == merits[best] for merit in merits]
        solution = solutions[position.legal_actions[best]]
        found.append(row)
        bests.append(row_of_best)
        values.append(hastened(solution.value, ply + (solution.plies or 0), haste, facts.longest))
    empty = np.zeros((0, facts.branching), np.float32)
    return Labels(
        np.array(found, np.intp), np.stack(bests) if bests else empty, np.array(values, np.float32)
    )
