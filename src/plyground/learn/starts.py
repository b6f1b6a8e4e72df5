"""First positions for self-play, in an order that depends on the seed only."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future

import numpy as np

from plyground.arithmetic import derive_seed
from plyground.compile import Words
from plyground.errors import BadOption
from plyground.game import Game, Position

CHUNK = 32
"""Positions per task of an executor."""

Dealt = tuple[Words, Words]
"""Setups and states, one row for each position."""


class Starts:
    """Makes positions on demand, or ahead of time in the processes of an executor.

    That can be slow: a board of Robot Reboot and the proof that it can be solved take more than a
    millisecond, the time of several hundred tree steps.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        start: Callable[[int], Position] | None = None,
        executor: Executor | None = None,
        ahead: int = 0,
    ) -> None:
        """Make positions by `start` from seeds; the default is `game.start`.

        For an executor of processes `start` must be picklable; it makes `ahead` positions ahead.
        """
        self.game, self._seed = game, seed
        self._start, self._executor = start or game.start, executor
        self._chunks = -(-ahead // CHUNK)
        self._begun: deque[Future[Dealt]] = deque()
        self._setups, self._states = (np.zeros((0, size), np.int64) for size in game.sizes)
        self._next = 0

    def take(self, count: int) -> Dealt:
        """Return the words of the next positions."""
        parts = [(self._setups, self._states)]
        while (missing := count - sum(len(states) for _, states in parts)) > 0:
            parts.append(self._chunk(missing))
        setups, states = (np.concatenate(words) for words in zip(*parts, strict=True))
        self._setups, self._states = setups[count:], states[count:]
        return setups[:count], states[:count]

    def _chunk(self, missing: int) -> Dealt:
        """Return the next positions: `missing` ones, or one chunk of the executor."""
        if self._executor is None:
            return _deal(self.game, self._start, self._seeds(missing))
        while len(self._begun) < max(self._chunks, -(-missing // CHUNK)):
            task = self.game, self._start, self._seeds(CHUNK)
            self._begun.append(self._executor.submit(_deal, *task))
        return self._begun.popleft().result()

    def _seeds(self, count: int) -> list[int]:
        """Return the seeds of the next positions."""
        self._next += count
        return [derive_seed(self._seed, each) for each in range(self._next - count, self._next)]


def _deal(game: Game, start: Callable[[int], Position], seeds: list[int]) -> Dealt:
    positions = [start(seed) for seed in seeds]
    for position in positions:
        if not _fits(position.game, game) or position.observer is not None:
            raise BadOption(f"{position!r} is no first position of {game} or a variant like it")
    setups = np.stack([position.setup for position in positions])
    return setups, np.stack([position.state for position in positions])


def _fits(variant: Game, game: Game) -> bool:
    """Return whether the kernels of a game can play a variant: other starts, the same sizes."""
    alike = variant.kernels == game.kernels and variant.facts == game.facts
    return variant is game or (alike and variant.sizes == game.sizes)
