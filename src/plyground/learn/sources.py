"""Where training data comes from: numbered files of samples, by teachers or by self-play.

What a teacher says depends on the seed and the number of the file alone, and self-play on the
network too, so that a training is repeatable with any number of workers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from plyground.arithmetic import derive_seed
from plyground.game import Position
from plyground.games import load_game
from plyground.learn.samples import SUFFIX, joined
from plyground.learn.selfplay import SelfPlay
from plyground.learn.teacher import Teacher, lesson, make_teacher
from plyground.processes import end_executor, new_executor
from plyground.search.forest import Evaluate, Gumbel


def shard_path(folder: Path, number: int) -> Path:
    """Return the path of a file of samples by its number."""
    return folder / f"{number:08d}{SUFFIX}"


@dataclass(frozen=True)
class SelfPlaySettings:
    """How a network plays against itself."""

    games: int = 512
    """How many games are played at once."""
    simulations: int = 16
    considered: int = 8
    """Actions that are searched at the root."""


class Source(ABC):
    """Makes files of samples, in the order of their numbers."""

    games = 0
    """Games of self-play that have ended, and evaluations by the network in them."""
    evaluations = 0

    @abstractmethod
    def make(self, number: int) -> Path:
        """Return the file of that number once it is there."""

    @abstractmethod
    def close(self) -> None:
        """End whatever works in the background."""


class TeacherSource(Source):
    """Files of positions that a teacher labelled, made ahead by processes; one works here."""

    def __init__(
        self, games: Sequence[str], teacher: str, folder: Path, rows: int, seed: int, workers: int
    ) -> None:
        self._task = tuple(games), teacher, str(folder), rows, seed
        self._folder, self._workers = folder, workers
        for game in games:  # compiled here, once for all workers
            lesson(make_teacher(load_game(game), teacher), seed)
        self._begun: dict[int, Future[None]] = {}
        self._pool: ProcessPoolExecutor | None = None
        if workers > 1:
            self._pool = new_executor(workers)

    def make(self, number: int) -> Path:
        if self._pool is None:
            if not shard_path(self._folder, number).exists():
                _make_shard(*self._task, number)
            return shard_path(self._folder, number)
        for each in range(number, number + 2 * self._workers):
            if each not in self._begun and not shard_path(self._folder, each).exists():
                self._begun[each] = self._pool.submit(_make_shard, *self._task, each)
        if number in self._begun:
            self._begun.pop(number).result()
        return shard_path(self._folder, number)

    def close(self) -> None:
        for future in self._begun.values():
            future.cancel()
        if self._pool is not None:
            end_executor(self._pool)


class SelfPlaySource(Source):
    """Files of games that the network plays against itself, between the steps of the learner."""

    def __init__(
        self,
        games: Sequence[str],
        evaluate: Evaluate,
        folder: Path,
        rows: int,
        seed: int,
        workers: int,
        threads: int,
        settings: SelfPlaySettings,
    ) -> None:
        self._folder, self._rows = folder, rows
        self._dealers = new_executor(workers)
        start = partial(start_any, tuple(games))
        slow = load_game(games[0]).facts.players == 1  # puzzles are dealt with a proof
        self._play = SelfPlay(
            load_game(games[0]), evaluate, games=settings.games, simulations=settings.simulations,
            rule=Gumbel(considered=settings.considered), threads=threads, seed=seed,
            start=start, dealers=self._dealers if slow else None,
        )  # fmt: skip

    def make(self, number: int) -> Path:
        path = shard_path(self._folder, number)
        if not path.exists():
            self._play.play(self._rows).save(path)
            self.games, self.evaluations = self._play.games, self._play.evaluations
        return path

    def close(self) -> None:
        end_executor(self._dealers)


def start_any(games: tuple[str, ...], seed: int) -> Position:
    """Return the start of one of several variants of a game, which the seed picks."""
    return load_game(games[seed % len(games)]).start(seed)


@lru_cache(maxsize=1)
def _teachers(games: tuple[str, ...], teacher: str) -> list[Teacher]:
    return [make_teacher(load_game(game), teacher) for game in games]


def _make_shard(
    games: tuple[str, ...], teacher: str, folder: str, rows: int, seed: int, number: int
) -> None:
    """Play games by the teacher until there are enough rows; write them."""
    teachers = _teachers(games, teacher)
    parts, count, game = [], 0, 0
    while count < rows:
        samples = lesson(teachers[game % len(games)], derive_seed(seed, number, game))
        game += 1
        if samples is not None:
            parts.append(samples)
            count += samples.size
    joined(parts).save(shard_path(Path(folder), number))
