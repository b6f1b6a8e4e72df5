"""Self-play: many games at once, played by tree search with a network.

The games are in two halves: the trees of one half grow while the network evaluates the leaves of
the other. The games depend on the seed and the network only, not on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

from plyground.arithmetic import derive_seed
from plyground.errors import BadOption
from plyground.game import Game, Position
from plyground.learn.games import Games
from plyground.learn.samples import Samples, joined
from plyground.learn.starts import Starts
from plyground.search.forest import Evaluate, Evaluation, Gumbel, Puct

HALVES = 2


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
    ) -> None:
        """Play `games` games at once; each batch for `evaluate` has one row for half of them.

        Each move takes `simulations`, after the evaluation of its position; the default rule is
        `Gumbel()`. `start` returns the first position of a game for a seed, by default
        `game.start`; `dealers` are processes that call it ahead, if it is slow. `evaluate` may be
        replaced at any time, for instance with a newer network.
        """
        if games < HALVES or games % HALVES:
            raise BadOption(f"games={games}: an even number of at least {HALVES} is needed")
        self.game, self.evaluate = game, evaluate
        self.evaluations = self.games = 0
        """The number of evaluated rows, and of finished games."""
        self._starts = Starts(game, derive_seed(seed, HALVES), start, dealers, games // HALVES)
        self._halves = [
            Games(
                game, games // HALVES, simulations, rule or Gumbel(), threads=threads,
                seed=derive_seed(seed, half),
            )
            for half in range(HALVES)
        ]  # fmt: skip
        self._asked: list[Evaluation | None] = [None] * HALVES
        self._turn = 0

    def play(self, positions: int) -> Samples:
        """Play until games with at least `positions` positions in all are finished; return them."""
        parts, count = [], 0
        while count < positions:
            samples = self._step()
            count += samples.size
            if len(samples.setups):
                parts.append(samples)
        return joined(parts)

    def _step(self) -> Samples:
        """Bring one half to its next leaves; return the games that finished."""
        turn, half = self._turn, self._halves[self._turn]
        self._turn = (turn + 1) % HALVES
        asked = self._asked[turn]
        if asked is None:
            self._fill(half)
        else:
            half.forest.take(asked)
        half.step()
        self._asked[turn] = self.evaluate(half.forest.planes, half.forest.entries)
        self.evaluations += len(half.status)
        samples = half.finished()
        self.games += len(samples.setups)
        self._fill(half)
        return samples

    def _fill(self, half: Games) -> None:
        """Begin new games in all vacant places."""
        places = half.vacant
        if len(places):
            half.begin(places, *self._starts.take(len(places)))
