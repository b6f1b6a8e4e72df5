"""Self-play: many games at once, played by tree search with a network.

The games can be in two groups: the trees of one group grow while the network evaluates the leaves
of the other. The games depend on the seed and the network only, not on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from plyground.arithmetic import derive_seed
from plyground.errors import BadOption
from plyground.game import Game, Position
from plyground.learn.games import Games
from plyground.learn.samples import Samples, joined
from plyground.learn.starts import Starts
from plyground.search.forest import Evaluate, Evaluation, Gumbel, Puct


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
        replaced at any time, for instance with a newer network.
        """
        if games < groups or games % groups:
            raise BadOption(f"games={games}: a multiple of the {groups} groups is needed")
        self.game, self.evaluate = game, evaluate
        self.evaluations = self.games = 0
        """The number of rows that `evaluate` was asked about, and of finished games."""
        self._starts = Starts(game, derive_seed(seed, -1), start, dealers, games // groups)
        self._groups = [
            Games(
                game, games // groups, simulations, rule or Gumbel(), threads=threads,
                seed=derive_seed(seed, group),
            )
            for group in range(groups)
        ]  # fmt: skip
        self._asked: list[Evaluation | None] = [None] * groups
        self._turn, self._stopped = 0, False

    def play(self, positions: int) -> Samples:
        """Play until games with at least `positions` positions in all are finished; return them.

        Games under way go on in the next call. All batches have the same size.
        """
        parts, count = [], 0
        while count < positions and not self._stopped:
            parts.append(self._step(self._ask_all, more=True))
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
        parts, count, more = [], 0, True
        while more or any(len(group.active) for group in self._groups):
            parts.append(self._step(self._ask_active, more=more))
            count += parts[-1].size
            begun = sum(int(group.plies[group.active].sum()) for group in self._groups)
            more = count + begun < positions
        return joined(parts)

    def _step(self, ask: Callable[[Games], Evaluation | None], *, more: bool) -> Samples:
        """Bring one group to its next leaves; return the games that finished.

        With `more`, new games begin in all vacant places.
        """
        turn, group = self._turn, self._groups[self._turn]
        self._turn = (turn + 1) % len(self._groups)
        asked, places = self._asked[turn], group.vacant
        if asked is not None:
            group.forest.take(asked)
        if more and len(places):
            group.begin(places, self._starts.take(len(places)))
        group.step()
        self._asked[turn] = ask(group)
        samples = group.finished()
        self.games += len(samples.setups)
        return samples

    def _ask_all(self, group: Games) -> Evaluation:
        """Evaluate the whole batch, as suits networks that are compiled for one size of batch."""
        self.evaluations += len(group.status)
        return self.evaluate(group.forest.planes, group.forest.entries)

    def _ask_active(self, group: Games) -> Evaluation | None:
        """Evaluate the rows of games that go on."""
        rows, forest = group.active, group.forest
        if len(rows) == len(group.status):
            return self._ask_all(group)
        if not len(rows):
            return None
        self.evaluations += len(rows)
        asked = self.evaluate(forest.planes[rows], forest.entries[rows])
        sizes = self.game.facts.players, self.game.facts.branching
        whole = Evaluation(*(np.zeros((len(group.status), size), np.float32) for size in sizes))
        whole.values[rows], whole.logits[rows] = asked
        return whole
