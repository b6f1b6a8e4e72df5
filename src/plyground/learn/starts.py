"""First positions for self-play, in an order that depends on the seed only."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.arena.opening import open_game
from plyground.arithmetic import derive_seed
from plyground.compile import Words
from plyground.errors import OptionError
from plyground.game import Game, Position
from plyground.games import load_game

CHUNK = 32
"""Positions per task of an executor."""


class Dealt(NamedTuple):
    """First positions, one row each."""

    seeds: NDArray[np.uint64]
    setups: Words
    states: Words


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
        self._left = deal(game, self._start, ())
        self._next = 0

    def take(self, count: int) -> Dealt:
        """Return the next positions."""
        parts = [self._left]
        while (missing := count - sum(len(part.seeds) for part in parts)) > 0:
            parts.append(self._chunk(missing))
        seeds, setups, states = (np.concatenate(fields) for fields in zip(*parts, strict=True))
        self._left = Dealt(seeds[count:], setups[count:], states[count:])
        return Dealt(seeds[:count], setups[:count], states[:count])

    def _chunk(self, missing: int) -> Dealt:
        """Return the next positions: `missing` ones, or one chunk of the executor."""
        if self._executor is None:
            return deal(self.game, self._start, self._seeds(missing))
        while len(self._begun) < max(self._chunks, -(-missing // CHUNK)):
            task = self.game, self._start, self._seeds(CHUNK)
            self._begun.append(self._executor.submit(deal, *task))
        return self._begun.popleft().result()

    def _seeds(self, count: int) -> list[int]:
        """Return the seeds of the next positions."""
        self._next += count
        return [derive_seed(self._seed, each) for each in range(self._next - count, self._next)]


def deal(game: Game, start: Callable[[int], Position], seeds: Sequence[int]) -> Dealt:
    """Return the first positions of seeds; they may be starts of another variant of the game."""
    setups, states = (np.zeros((len(seeds), size), np.int64) for size in game.sizes)
    for row, seed in enumerate(seeds):
        position = start(seed)
        if not is_variant(game, position.game) or position.observer is not None:
            raise OptionError(f"{position!r} is no first position of {game}")
        setups[row], states[row] = position.setup, position.state
    return Dealt(np.array(seeds, np.uint64), setups, states)


def is_variant(game: Game, other: Game) -> bool:
    """Return whether one batch can hold positions of both: all that differs is in the setup."""
    alike = type(game) is type(other) and game.facts == other.facts
    return alike and game.sizes == other.sizes


def grouped(games: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return variants of a game in groups of one shape each, within which `is_variant` holds."""
    groups: list[tuple[Game, list[str]]] = []
    for name in games:
        game = load_game(name)
        if groups and type(game) is not type(groups[0][0]):
            raise OptionError(f"{game} is no variant of {groups[0][0]}")
        for first, names in groups:
            if is_variant(first, game):
                names.append(name)
                break
        else:
            groups.append((game, [name]))
    return tuple(tuple(names) for _, names in groups)


def start_any(games: tuple[str, ...], seed: int, opening: int = 0) -> Position:
    """Return the start of one of several variants of a game, which the seed picks.

    At most `opening` random plies follow, whose number the seed picks too; not in puzzles.
    """
    game = load_game(games[seed % len(games)])
    return open_game(game, seed, random.Random(seed).randint(0, opening))
