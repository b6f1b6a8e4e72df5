"""Training: data from a source, steps of a learner, checkpoints, until the limit is reached."""

from __future__ import annotations

import json
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from plyground.arithmetic import derive_seed
from plyground.errors import BadOption
from plyground.games import load_game
from plyground.learn import checkpoint
from plyground.learn.learner import Learner
from plyground.learn.network import Shape
from plyground.learn.samples import Batch, Replay
from plyground.learn.selection import Selection
from plyground.learn.sources import SelfPlaySettings, SelfPlaySource, Source, TeacherSource

WARM_UP = 200
"""Steps over which the learning rate rises."""
STAGES = 4
"""How often the network is compared with the best so far, the last time at the end."""
CURVE = "curve.jsonl"
AHEAD = 3
"""Batches that are made ahead."""


@dataclass(frozen=True)
class Recipe:
    """What a training does; kept with it, so that it is resumed as it began."""

    games: tuple[str, ...]
    """The game, and variants of it whose starts are played too."""
    source: str = "selfplay"
    channels: int = 64
    blocks: int = 6
    batch: int = 1024
    rate: float = 1e-3
    shard: int = 16_384
    """Samples per file."""
    reuse: float = 4.0
    """How often a sample is seen, in the mean."""
    first: int = 4
    """Files that must be there before the first step."""
    capacity: int = 4_000_000
    seed: int = 0
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)

    def shards_for(self, step: int) -> int:
        """Return how many files must be there for a step: that alone decides what it sees."""
        return self.first + int(step * self.batch / (self.reuse * self.shard))


class Progress(NamedTuple):
    """What is known of a training under way; a row of its curve."""

    step: int
    seconds: float
    share: float
    """How much of the training is done, from 0 to 1."""
    samples: int
    """How many different samples were used so far."""
    games: int
    """Games of self-play, and evaluations by the network in them, in this process."""
    evaluations: int
    policy: float
    """The losses of policy and value, and how often the likeliest action was the best."""
    value: float
    hits: float
    score: float | None = None
    """How the network plays, where it was compared: see `selection.Verdict`."""
    kept: bool = False


class Limit(NamedTuple):
    """When a training ends: after so many steps, or so many seconds, whichever is given."""

    steps: int | None = None
    seconds: float | None = None

    def share(self, step: int, seconds: float) -> float:
        """Return how much of it is done, from 0 to 1."""
        return min(1.0, step / self.steps if self.steps else seconds / (self.seconds or 1.0))


def train(
    recipe: Recipe,
    folder: Path,
    limit: Limit,
    *,
    workers: int = 1,
    threads: int = 2,
    resume: bool = False,
    report: Callable[[Progress, Learner], None] = lambda progress, learner: None,
    every: float = 10.0,
    keep_every: float = 60.0,
) -> Learner:
    """Train a network as the recipe says; return the learner, whose averaged network plays.

    The folder gets checkpoints, the samples, the curve (`curve.jsonl`) and the best network so far
    (`network.onnx`). After Ctrl-C a checkpoint is kept first.
    """
    game = load_game(recipe.games[0])
    learner = Learner(Shape.of(game, recipe.channels, recipe.blocks), recipe.seed)
    before = _take_up(folder, learner, resume)
    about: dict[str, Any] = {"game": repr(game), "recipe": asdict(recipe)}
    selection = Selection(game, folder, about, recipe.seed)
    replay = Replay(game, recipe.capacity, threads)
    began = reported = kept = monotonic()
    stage = int(STAGES * limit.share(learner.steps, before))
    with (
        _ctrl_c() as pressed,
        closing(_source(recipe, folder / "samples", learner, workers, threads)) as source,
        closing(_Batches(recipe, replay, source, learner.steps)) as batches,
        (folder / CURVE).open("a") as curve,
    ):
        while not pressed:
            step, seconds = batches.step, before + monotonic() - began
            share = limit.share(step, seconds)
            if share >= 1.0:
                break
            rate = recipe.rate * min(1.0, (step + 1) / WARM_UP) * (1.0 - share)
            losses = learner.learn(batches.take(), rate)
            share = limit.share(step + 1, before + monotonic() - began)
            staged = int(STAGES * share) > stage
            if staged or monotonic() > reported + every:
                policy, value, hits = map(float, losses)
                counts = replay.added, source.games, source.evaluations
                progress = Progress(step + 1, seconds, share, *counts, policy, value, hits)
                if staged:
                    stage = int(STAGES * share)
                    verdict = selection.consider(learner)
                    progress = progress._replace(score=verdict.score, kept=verdict.kept)
                print(json.dumps(progress._asdict()), file=curve, flush=True)
                report(progress, learner)
                reported = monotonic()
            if monotonic() > kept + keep_every:
                _keep(recipe, folder, learner, seconds)
                kept = monotonic()
    _keep(recipe, folder, learner, before + monotonic() - began)
    if pressed:
        raise KeyboardInterrupt
    return learner


def _source(recipe: Recipe, folder: Path, learner: Learner, workers: int, threads: int) -> Source:
    folder.mkdir(parents=True, exist_ok=True)
    if recipe.source == "selfplay":
        seed = derive_seed(recipe.seed, learner.steps)  # games under way are not kept
        return SelfPlaySource(
            recipe.games, learner.evaluate, folder, recipe.shard, seed, workers, threads,
            recipe.selfplay,
        )  # fmt: skip
    given = recipe.games, recipe.source, folder, recipe.shard, recipe.seed, workers
    return TeacherSource(*given)


@contextmanager
def _ctrl_c() -> Iterator[list[int]]:
    """List Ctrl-C instead of raising it: a step is never cut in two."""
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _keep(recipe: Recipe, folder: Path, learner: Learner, seconds: float) -> None:
    notes = {"recipe": asdict(recipe), "seconds": seconds, "shape": learner.shape.to_json()}
    checkpoint.save(folder / "checkpoints", learner.steps, learner.state, notes)


def _take_up(folder: Path, learner: Learner, resume: bool) -> float:
    """Restore the learner from the latest checkpoint; return the seconds spent before it."""
    places = folder / "checkpoints"
    if not resume:
        if places.exists() and any(places.iterdir()):
            raise BadOption(f"{folder} holds a training: --resume goes on, another --out begins")
        return 0.0
    restored = checkpoint.restore(places, learner.state)
    if restored is None:
        return 0.0
    for refused in restored.refused:
        warnings.warn(f"checkpoint {refused}; the one before it is used", stacklevel=2)
    learner.state = restored.state
    return float(restored.notes["seconds"])


class _Batches:
    """Batches in the order of steps, made ahead by threads; each depends on its step alone."""

    def __init__(self, recipe: Recipe, replay: Replay, source: Source, step: int) -> None:
        self.step = step
        """The step of the next batch."""
        self._recipe, self._replay, self._source = recipe, replay, source
        self._shards = 0
        self._begun: deque[Future[Batch]] = deque()
        self._pool = ThreadPoolExecutor(AHEAD)

    @property
    def samples(self) -> int:
        """How many samples were taken up so far."""
        return self._replay.added

    def take(self) -> Batch:
        """Return the batch of the next step, once its data is there."""
        recipe = self._recipe
        while self._shards < recipe.shards_for(self.step):
            self._replay.add(self._source.make(self._shards))
            self._shards += 1
        while len(self._begun) < AHEAD:
            ahead = self.step + len(self._begun)
            if recipe.shards_for(ahead) > self._shards:
                break  # it will see data that is not there yet
            random = np.random.default_rng(derive_seed(recipe.seed, ahead))
            self._begun.append(self._pool.submit(self._replay.batch, recipe.batch, random))
        self.step += 1
        return self._begun.popleft().result()

    def close(self) -> None:
        """Wait until no batch is being made."""
        self._pool.shutdown(cancel_futures=True)
