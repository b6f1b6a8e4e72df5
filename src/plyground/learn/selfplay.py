"""Self-play: many games at once, played by tree search with a network.

The games are in groups. Each group takes its steps in a thread, so that the trees of some groups
grow while the network evaluates the leaves of others. The groups' steps are collected by turns: the
games depend on the seed and the network only, not on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from plyground.arithmetic import derive_seed
from plyground.errors import OptionError
from plyground.game import Game, Position
from plyground.learn.games import Games
from plyground.learn.samples import Samples, joined
from plyground.learn.starts import Dealt, Starts
from plyground.search.forest import Evaluate, Evaluation, Gumbel, Puct


class Step(NamedTuple):
    """What a group has done: the games that it finished, and the rows it asks the network about."""

    finished: Samples
    asked: Evaluation | None
    rows: int


class SelfPlay:
    """Plays games and returns the positions of finished ones as training data."""

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate,
        *,
        games: int = 2048,
        simulations: int = 16,
        rule: Puct | Gumbel | None = None,
        threads: int = 1,
        seed: int = 0,
        start: Callable[[int], Position] | None = None,
        dealers: Executor | None = None,
        groups: int = 2,
    ) -> None:
        """Play `games` games at once, in equal groups; a batch for `evaluate` has a group's rows.

        Each move takes `simulations`, after the evaluation of its position; the default rule is
        `Gumbel()`. `start` returns the first position of a game for a seed, by default
        `game.start`; `dealers` are processes that call it ahead, if it is slow. `evaluate` may be
        replaced at any time, for instance with a newer network; with several threads it is called
        by several at a time.
        """
        if games < groups or games % groups:
            raise OptionError(f"games={games}: a multiple of the {groups} groups is needed")
        self.game, self.evaluate = game, evaluate
        self.evaluations = self.games = 0
        """The number of rows that `evaluate` was asked about, and of finished games."""
        self._starts = Starts(game, derive_seed(seed, -1), start, dealers, games // groups)
        self._groups = [
            Games(
                game, games // groups, simulations, rule or Gumbel(),
                seed=derive_seed(seed, group),
            )
            for group in range(groups)
        ]  # fmt: skip
        self._asked: list[Evaluation | None] = [None] * groups
        self._begun: list[Future[Step] | None] = [None] * groups
        self._threads = ThreadPoolExecutor(threads, "self-play")
        self._turn, self._stopped = 0, False

    def play(self, positions: int) -> Samples:
        """Play until games with at least `positions` positions in all are finished; return them.

        Games under way go on in the next call. All batches have the same size.
        """
        parts, count = [], 0
        while count < positions and not self._stopped:
            for turn, begun in enumerate(self._begun):
                if begun is None:
                    self._begin(turn, _ask_all, more=True)
            parts.append(self._collect())
            count += parts[-1].size
        return joined(parts)

    def stop(self) -> None:
        """End `play` in another thread soon; what it returns is not complete."""
        self._stopped = True

    def play_out(self, positions: int) -> Samples:
        """Begin games until they have at least `positions` positions in all; return all of them.

        No game is left under way, so that long games are as frequent as they should be. Batches
        become smaller towards the end.
        """
        under_way = sum(begun is not None for begun in self._begun)
        parts = [self._collect() for _ in range(under_way)]
        count, more = sum(part.size for part in parts), True
        while more or any(len(group.active) for group in self._groups):
            self._begin(self._turn, _ask_active, more=more)
            parts.append(self._collect())
            count += parts[-1].size
            going_on = sum(int(group.plies[group.active].sum()) for group in self._groups)
            more = count + going_on < positions
        return joined(parts)

    def _begin(self, turn: int, ask: Ask, *, more: bool) -> None:
        """Begin the next step of a group; with `more`, new games begin in all vacant places."""
        vacant = self._groups[turn].vacant
        dealt = self._starts.take(len(vacant)) if more and len(vacant) else None
        given = turn, dealt, ask, self.evaluate
        self._begun[turn] = self._threads.submit(self._step, *given)

    def _collect(self) -> Samples:
        """Wait for the step of the group whose turn it is; return the games that finished."""
        turn, begun = self._turn, self._begun[self._turn]
        assert begun is not None
        finished, self._asked[turn], rows = begun.result()
        self._begun[turn] = None
        self._turn = (turn + 1) % len(self._groups)
        self.evaluations += rows
        self.games += len(finished.setups)
        return finished

    def _step(self, turn: int, dealt: Dealt | None, ask: Ask, evaluate: Evaluate) -> Step:
        """Bring a group to its next leaves."""
        group, asked = self._groups[turn], self._asked[turn]
        if asked is not None:
            group.forest.take(asked)
        if dealt is not None:
            group.begin(group.vacant, dealt)
        group.step()
        evaluation, rows = ask(group, evaluate)
        return Step(group.finished(), evaluation, rows)


Ask = Callable[[Games, Evaluate], tuple[Evaluation | None, int]]
"""Asks a network about a group's leaves; returns the evaluation and how many rows it has."""


def _ask_all(group: Games, evaluate: Evaluate) -> tuple[Evaluation | None, int]:
    """Ask about the whole batch, as suits networks that are compiled for one size of batch."""
    return evaluate(group.forest.planes, group.forest.entries), len(group.status)


def _ask_active(group: Games, evaluate: Evaluate) -> tuple[Evaluation | None, int]:
    """Ask about the rows of games that go on."""
    rows, forest, facts = group.active, group.forest, group.game.facts
    if len(rows) == len(group.status):
        return _ask_all(group, evaluate)
    if not len(rows):
        return None, 0
    asked = evaluate(forest.planes[rows], forest.entries[rows])
    sizes = facts.players, facts.branching
    whole = Evaluation(*(np.zeros((len(group.status), size), np.float32) for size in sizes))
    whole.values[rows], whole.logits[rows] = asked
    return whole, len(rows)
