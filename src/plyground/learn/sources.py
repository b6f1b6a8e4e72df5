"""Where training data comes from: numbered files of samples, by teachers or by self-play.

What a teacher says depends on the seed and the number of the file alone. A file of self-play also
depends on the network, which is that of the step `Recipe.played_at`. So a training is repeatable
with any number of workers, wherever they are, and after a kill. Only where this process plays all
games, as suits an accelerator, does it go on with other games after a kill.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from plyground.arithmetic import derive_seed
from plyground.game import Game
from plyground.games import load_game
from plyground.inference import Inference
from plyground.inference.cache import EvaluationCache
from plyground.learn.exact import begin_labels, labelled
from plyground.learn.recipe import EXACT_SELFPLAY, Recipe
from plyground.learn.samples import SUFFIX, Samples, joined
from plyground.learn.selfplay import SelfPlay
from plyground.learn.starts import deal, start_any
from plyground.learn.teacher import Teacher, lesson, make_teacher
from plyground.search.forest import Evaluate, Evaluation
from plyground.workspace import Entries, Halves

GROUPS = 8
"""Groups of games beside the learner, each of which takes its steps in a thread: while the network
evaluates the leaves of some, the trees of the others grow on as many cores."""

OPEN_FILES = 3
"""Files that are played or labelled at the same time, so that no worker has to wait."""


def file_path(folder: Path, number: int) -> Path:
    """Return the path of a file of samples by its number."""
    return folder / f"{number:08d}{SUFFIX}"


class Made(NamedTuple):
    """The samples of a file, and the evaluations that they took."""

    samples: Samples
    evaluations: int = 0


class InThisProcess(Executor):
    """Calls a function here, when its result is asked for."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        return _Call(partial(function, *arguments, **more))


class _Call(Future[Any]):
    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__()
        self._function = function

    def result(self, timeout: float | None = None) -> Any:
        if not self.done():
            self.set_result(self._function())
        return super().result()


class Source(ABC):
    """Makes files of samples, in the order of their numbers."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self.recipe, self.folder = recipe, folder
        folder.mkdir(parents=True, exist_ok=True)

    @abstractmethod
    def advance(self, step: int) -> None:
        """Begin the files that can be begun before a step."""

    @abstractmethod
    def make(self, number: int) -> Made:
        """Return the samples of that file once it is there."""

    def close(self) -> None:  # noqa: B027 (tasks end with their executor)
        """End what works beside the learner in this process."""

    def forget(self, oldest: int) -> None:
        """Delete the files before a number."""
        for path in self.folder.glob(f"*{SUFFIX}"):
            if path < file_path(self.folder, oldest):
                path.unlink(missing_ok=True)


class TaskSource(Source):
    """Files that are made by tasks of an executor, or read by them if they are there."""

    def __init__(self, recipe: Recipe, folder: Path, executor: Executor, first: int) -> None:
        """Make files from the number `first` on."""
        super().__init__(recipe, folder)
        self._executor, self._next = executor, first
        self._begun: dict[int, Future[Made]] = {}

    def begin(self, function: Callable[..., Made], *arguments: Any) -> None:
        """Begin the next file, which the function makes."""
        path = file_path(self.folder, self._next)
        if path.exists():
            function, arguments = read_file, (self.recipe, self.recipe.group_of(self._next), path)
        self._begun[self._next] = self._executor.submit(function, *arguments)
        self._next += 1

    def make(self, number: int) -> Made:
        path = file_path(self.folder, number)
        made = self._begun.pop(number).result()
        if not path.exists():
            made.samples.save(path)
        return made


class TeacherSource(TaskSource):
    """Files of positions that a teacher labelled."""

    def __init__(
        self, recipe: Recipe, folder: Path, executor: Executor, first: int, ahead: int
    ) -> None:
        """Make files from the number `first` on, at most `ahead` more than are needed."""
        super().__init__(recipe, folder, executor, first)
        self._ahead = ahead
        for game in recipe.games:  # compiled here, once for all workers
            lesson(make_teacher(load_game(game), recipe.source), load_game(game).start(), 0)

    def advance(self, step: int) -> None:
        while self._next < self.recipe.files_for(step) + self._ahead:
            recipe, seed = self.recipe, derive_seed(self.recipe.seed, self._next)
            self.begin(teach_file, recipe, recipe.group_of(self._next), seed)


class ActorSource(TaskSource):
    """Files of games that the network plays against itself, each by an actor.

    The networks that files still need are kept beside the samples, for the time after a kill.
    """

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        executor: Executor,
        first: int,
        export: Callable[[Path], None],
    ) -> None:
        """Make files from the number `first` on; `export` writes the learner's present network."""
        super().__init__(recipe, folder, executor, first)
        self._networks, self._export = folder / "networks", export
        self._networks.mkdir(exist_ok=True)
        _compile_selfplay(load_game(recipe.games[0]))

    def advance(self, step: int) -> None:
        recipe = self.recipe
        while recipe.played_at(self._next) <= step:
            path = self._network(recipe.played_at(self._next))
            if not path.exists() and not file_path(self.folder, self._next).exists():
                self._export(path)
            network = path.read_bytes() if path.exists() else b""
            games = recipe.group_of(self._next)
            self.begin(play_file, recipe, games, derive_seed(recipe.seed, self._next), network)

    def make(self, number: int) -> Made:
        made = super().make(number)
        needed = self._network(self.recipe.played_at(number + 1))
        for path in self._networks.iterdir():
            if path < needed:
                path.unlink()
        return made

    def _network(self, step: int) -> Path:
        return self._networks / f"{step:010d}.onnx"


class SelfPlaySource(Source):
    """Files of games that the network plays in a thread of this process, beside the learner.

    The next file is begun when one is taken, with the network of that moment.
    """

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        executor: Executor,
        snapshot: Callable[[], Evaluate],
        threads: int,
        seed: int,
    ) -> None:
        """Play with the networks that `snapshot` returns."""
        super().__init__(recipe, folder)
        self._executor, self._snapshot = executor, snapshot
        self._thread = ThreadPoolExecutor(1, "self-play")
        self._begun: deque[Future[tuple[Samples, list[Future[Samples]], int]]] = deque()
        self._plays = [
            self._new_play(games, threads, derive_seed(seed, number))
            for number, games in enumerate(recipe.groups)
        ]

    def _new_play(self, games: tuple[str, ...], threads: int, seed: int) -> SelfPlay:
        """Return the self-play of variants of one shape."""
        game, settings = load_game(games[0]), self.recipe.selfplay
        return SelfPlay(
            game, self._snapshot(), games=settings.games, simulations=settings.simulations,
            rule=settings.rule(game), threads=min(threads, GROUPS), seed=seed,
            start=partial(start_any, games, opening=self.recipe.opening),
            dealers=self._executor, groups=GROUPS,
        )  # fmt: skip

    def advance(self, step: int) -> None:
        pass

    def make(self, number: int) -> Made:
        path = file_path(self.folder, number)
        if path.exists():
            return read_file(self.recipe, self.recipe.group_of(number), path)
        while len(self._begun) < OPEN_FILES:
            group = (number + len(self._begun)) % len(self._plays)
            self._begun.append(self._thread.submit(self._play_file, group, self._snapshot()))
        samples, labels, evaluations = self._begun.popleft().result()
        made = Made(joined(part.result() for part in labels) if labels else samples, evaluations)
        made.samples.save(path)
        return made

    def _play_file(
        self, group: int, evaluate: Evaluate
    ) -> tuple[Samples, list[Future[Samples]], int]:
        """Play a file's games; begin their exact labels, which workers make meanwhile."""
        recipe, play = self.recipe, self._plays[group]
        before, play.evaluate = play.evaluations, evaluate
        samples = play.play(recipe.shard)
        labels = []
        if recipe.source == EXACT_SELFPLAY:
            labels = begin_labels(samples, recipe.groups[group], recipe.opening, self._executor)
        return samples, labels, play.evaluations - before

    def close(self) -> None:
        for play in self._plays:
            play.stop()
        self._thread.shutdown(cancel_futures=True)


# Tasks --------------------------------------------------------------------------------------------


def read_file(recipe: Recipe, games: tuple[str, ...], path: Path) -> Made:
    """Return the samples of a file of variants of one shape."""
    game, start = load_game(games[0]), partial(start_any, games, opening=recipe.opening)
    return Made(Samples.load(path, game, partial(deal, game, start)))


def play_file(recipe: Recipe, games: tuple[str, ...], seed: int, network: bytes) -> Made:
    """Play whole games by a network, which is an ONNX file, until there are enough positions."""
    game, settings = load_game(games[0]), recipe.selfplay
    with TemporaryDirectory() as folder:
        path = Path(folder, "network.onnx")
        path.write_bytes(network)
        evaluate = EvaluationCache(Inference(game, str(path)).evaluate)
    play = SelfPlay(
        game, evaluate, games=recipe.games_at_once(game),
        simulations=settings.simulations, rule=settings.rule(game), seed=seed,
        start=partial(start_any, games, opening=recipe.opening), groups=1,
    )  # fmt: skip
    samples = play.play_out(recipe.shard)
    if recipe.source == EXACT_SELFPLAY:
        samples = labelled(samples, games, recipe.opening)
    return Made(samples, evaluate.evaluated)


def _compile_selfplay(game: Game) -> None:
    """Play two games without a network: kernels are compiled here, once for all workers."""

    def evaluate(planes: Halves, entries: Entries) -> Evaluation:
        values = np.zeros((len(planes), game.facts.players), np.float32)
        return Evaluation(values, np.zeros(entries.shape[:2], np.float32))

    SelfPlay(game, evaluate, games=2, simulations=0).play_out(1)


def teach_file(recipe: Recipe, games: tuple[str, ...], seed: int) -> Made:
    """Play games by a teacher until enough positions are labelled."""
    teachers = _teachers(games, recipe.source)
    parts: list[Samples] = []
    count = 0
    while count < recipe.shard:
        each = derive_seed(seed, len(parts))
        start = start_any(games, each, recipe.opening)
        samples = lesson(teachers[each % len(games)], start.without_line(), each)
        parts.append(samples)
        count += int(samples.policy.any(axis=1).sum())
    return Made(joined(parts))


@lru_cache(maxsize=1)
def _teachers(games: tuple[str, ...], teacher: str) -> list[Teacher]:
    return [make_teacher(load_game(game), teacher) for game in games]
