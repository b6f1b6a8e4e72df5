"""Training: data from a source, steps of a learner, checkpoints, until the limit is reached."""

from __future__ import annotations

import shutil
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from typing import NamedTuple, Self, TextIO, TypeVar

import jax
import numpy as np

from plyground.arena.cluster import ClusterExecutor
from plyground.arithmetic import derive_seed
from plyground.errors import OptionError, PlygroundError
from plyground.games import load_game
from plyground.inference import find_weights
from plyground.inference.file import NetworkFile
from plyground.learn import checkpoint
from plyground.learn.curve import Progress, open_curve
from plyground.learn.learner import Learner, Losses
from plyground.learn.network import Shape
from plyground.learn.recipe import Limit, Recipe, check_recipe, keep_recipe
from plyground.learn.samples import SUFFIX, Batch, Replay, blank_batch, widened
from plyground.learn.selection import LATEST, Selection, write_network
from plyground.learn.sources import (
    ActorSource,
    InThisProcess,
    Made,
    SelfPlaySource,
    Source,
    TeacherSource,
)
from plyground.processes import end_executor, new_executor
from plyground.text import one_line

WARM_UP = 200
"""Steps over which the learning rate rises."""
STAGES = 4
"""How often the network is compared with the best so far, the last time at the end."""
AHEAD = 3
"""Batches that are made ahead."""
PATIENCE = 2.0
"""Seconds within which Ctrl-C ends a wait."""
CHECKPOINTS, SAMPLES = "checkpoints", "samples"

Result = TypeVar("Result")


class Notes(NamedTuple):
    """What a training has taken up so far; a checkpoint holds it beside the learner's state."""

    seconds: float = 0.0
    """How long the training has taken."""
    files: int = 0
    """How many files were taken up, and the number of the oldest that is still learned from."""
    oldest: int = 0
    samples: int = 0
    """How many samples were taken up, in how many games, by how many evaluations."""
    games: int = 0
    evaluations: int = 0
    losses: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The mean losses of the last steps."""
    stages: int = 0
    """How often the network was compared with the best so far."""
    best: int = -1
    """The step of the best network; -1: there is none."""


def train(
    recipe: Recipe,
    folder: Path,
    limit: Limit,
    *,
    workers: int = 1,
    ray: str | None = None,
    threads: int = 2,
    resume: bool = False,
    report: Callable[[Progress, Learner], None] = lambda progress, learner: None,
    every: float = 10.0,
    keep_every: float = 60.0,
) -> Learner:
    """Train a network as the recipe says; return the learner, whose averaged network plays.

    Samples are made by `workers` processes, or on the Ray cluster at the address `ray`; one worker
    is this process. On an accelerator, games of self-play are played in this process on `threads`,
    and the workers deal their starts.

    The folder gets the recipe, checkpoints, the samples, the curve and the best network so far
    (`network.onnx`). After Ctrl-C a checkpoint is kept first. A start that fails leaves nothing in
    the folder.
    """
    try:
        shape = _shape_of(recipe)
        check_recipe(folder, recipe, resume=resume)
        with (
            _failed_start_removed(folder),
            _CtrlC() as ctrl_c,
            _executor(workers, ray) as executor,
        ):
            folder.mkdir(parents=True, exist_ok=True)
            learner, notes = _take_up(shape, recipe, folder)
            keep_recipe(folder, recipe, limit)
            if not learner.steps:  # a network that is too large to be played with ends it here
                write_network(learner, recipe, folder / LATEST)
                NetworkFile(folder / LATEST)
            batches = _Batches(recipe, learner.steps, notes)
            with (
                closing(batches),
                open_curve(folder) as curve,
                _compiling(learner, batches.blanks()) as compiled,
            ):
                with ctrl_c.raised():
                    source = (
                        _play_here(recipe, folder, learner, executor, threads)
                        if recipe.selfplays and ray is None and jax.default_backend() != "cpu"
                        else _play_in_tasks(recipe, folder, learner, executor, notes, workers)
                    )
                # Files of networks are on this machine only.
                selection = Selection(recipe, folder, executor if ray is None else InThisProcess())
                with closing(source):
                    training = _Training(
                        recipe, folder, limit, learner, batches, source, selection, curve,
                        ctrl_c, report,
                    )  # fmt: skip
                    training.run(compiled, every, keep_every)
    except OSError as error:
        reason = one_line(error.strerror or str(error), 200)
        raise PlygroundError(f"{error.filename or folder} cannot be written: {reason}") from error
    if ctrl_c.pressed:
        raise KeyboardInterrupt
    return learner


class _Training:
    """A training under way."""

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        limit: Limit,
        learner: Learner,
        batches: _Batches,
        source: Source,
        selection: Selection,
        curve: TextIO,
        ctrl_c: _CtrlC,
        report: Callable[[Progress, Learner], None],
    ) -> None:
        self.recipe, self.folder, self.limit, self.learner = recipe, folder, limit, learner
        self.batches, self.source, self.selection = batches, source, selection
        self.curve, self.ctrl_c, self.report = curve, ctrl_c, report
        notes = batches.notes
        self._began = monotonic() - notes.seconds
        self._share = limit.share(learner.steps, notes.seconds)
        # A later limit has its stages at other steps.
        self._stages, self._best = min(notes.stages, int(STAGES * self._share)), notes.best
        self._recent: deque[Losses] = deque(maxlen=len(recipe.groups))  # one step of each group

    def run(self, compiled: Future[None], every: float, keep_every: float) -> None:
        """Make steps until the limit is reached, or until Ctrl-C; keep a checkpoint at the end."""
        self.selection.settle(self._best)
        if self.recipe.weights and not self.learner.steps and self.selection.best_step < 0:
            self._compare()  # what is trained must not be worse than these weights
        reported = kept = monotonic()
        if self.learner.steps and self._staged:  # Ctrl-C was pressed while networks were compared
            self._compare()
        # However short the limit is: there is a network at the end.
        while not self.ctrl_c.pressed and (self._share < 1.0 or self.batches.step == 0):
            batch = self.batches.take(self.source, self.ctrl_c)
            if batch is None:
                break
            compiled.result()
            rate = self.recipe.rate * min(1.0, self.batches.step / WARM_UP) * (1.0 - self._share)
            self._recent.append(self.learner.learn(batch, rate))
            self._share = self.limit.share(self.batches.step, self._seconds)
            if self._staged:
                self._compare()
                reported = kept = monotonic()
            elif monotonic() > reported + every:
                self._write(self._progress())
                reported = monotonic()
            if monotonic() > kept + keep_every:
                self._keep()
                kept = monotonic()
        self._keep()

    @property
    def _seconds(self) -> float:
        return monotonic() - self._began

    @property
    def _staged(self) -> bool:
        """Return whether the network is to be compared with the best so far."""
        return int(STAGES * self._share) > self._stages

    def _compare(self) -> None:
        """Compare the network with the best so far; Ctrl-C ends that, and it is made up for later.

        The row of the curve and the checkpoint come before a new network is the best one: whenever
        the training is killed, no network is compared with itself.
        """
        verdict = self.ctrl_c.unless_pressed(partial(self.selection.compare, self.learner))
        if verdict is None:
            return
        self._stages = int(STAGES * self._share)
        if verdict.kept:
            self._best = self.learner.steps
        if self.learner.steps:  # not for the weights that the training begins with
            self._write(self._progress()._replace(**verdict._asdict()))
            self._keep()
        if verdict.kept:
            self.selection.keep()

    def _progress(self) -> Progress:
        notes = self._notes()
        counts = notes.samples, notes.games, notes.evaluations
        step = self.batches.step
        return Progress(step, notes.seconds, self._share, *counts, *notes.losses)

    def _write(self, progress: Progress) -> None:
        progress.write(self.curve)
        self.report(progress, self.learner)

    def _notes(self) -> Notes:
        notes = self.batches.notes
        if self._recent:
            policy, value, hits = np.mean(self._recent, axis=0).tolist()
            notes = notes._replace(losses=(policy, value, hits))
        return notes._replace(seconds=self._seconds, stages=self._stages, best=self._best)

    def _keep(self) -> None:
        """Keep a checkpoint; delete the files of samples that no checkpoint needs."""
        places = self.folder / CHECKPOINTS
        checkpoint.save(places, self.learner.steps, self.learner.state, self._notes()._asdict())
        self.source.forget(min(each["oldest"] for each in checkpoint.kept_notes(places)))


@contextmanager
def _failed_start_removed(folder: Path) -> Iterator[None]:
    """Remove what a start that fails has written, as long as there is nothing to go on with."""
    before = set(folder.iterdir()) if folder.is_dir() else None
    try:
        yield
    except BaseException:
        made = *(folder / SAMPLES).glob(f"*{SUFFIX}"), *(folder / CHECKPOINTS).glob("*")
        if not made and before is None:
            shutil.rmtree(folder, ignore_errors=True)
        elif not made:
            for path in set(folder.iterdir()) - set(before or ()):
                path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
        raise


def _shape_of(recipe: Recipe) -> Shape:
    """Return the shape of a network for all games of a recipe."""
    first, *others = (load_game(group[0]) for group in recipe.groups)
    shape = Shape.of(first, recipe.channels, recipe.blocks)
    for game in others:
        other = Shape.of(game, recipe.channels, recipe.blocks)
        if other != shape.sized(*other.planes[1:]):
            raise OptionError(
                f"one network cannot learn both {first} and {game}: they must have the same kinds "
                "of planes and of policy entries, and policies with the shape of the board"
            )
    return shape


def _take_up(shape: Shape, recipe: Recipe, folder: Path) -> tuple[Learner, Notes]:
    """Return the learner of the latest whole checkpoint, or a new one."""
    learner = Learner(shape, recipe.seed)
    restored = checkpoint.restore(folder / CHECKPOINTS, learner.state)
    if restored is None:
        if recipe.weights:
            path = find_weights(load_game(recipe.games[0]), recipe.weights)
            learner.start_from(NetworkFile(path))
        return learner, Notes()
    for refused in restored.refused:
        warnings.warn(f"checkpoint {refused}; the one before it is used", stacklevel=2)
    learner.state = restored.state
    return learner, Notes(**restored.notes)


@contextmanager
def _executor(workers: int, ray: str | None) -> Iterator[Executor]:
    """Open what makes samples: a cluster, processes, or this process."""
    if ray is not None:
        with ClusterExecutor(ray) as cluster:
            yield cluster
    elif workers > 1:
        processes = new_executor(workers)
        try:
            yield processes
        except BrokenProcessPool:
            raise PlygroundError("a worker process ended before its work was done") from None
        finally:
            end_executor(processes)
    else:
        yield InThisProcess()


def _play_here(
    recipe: Recipe, folder: Path, learner: Learner, executor: Executor, threads: int
) -> Source:
    """Return self-play in this process, as suits an accelerator: large batches, no copies."""
    seed = derive_seed(recipe.seed, learner.steps)  # games under way are not kept
    place = folder / SAMPLES
    return SelfPlaySource(recipe, place, executor, learner.snapshot, threads, seed)


def _play_in_tasks(
    recipe: Recipe, folder: Path, learner: Learner, executor: Executor, notes: Notes, workers: int
) -> Source:
    """Return a teacher or self-play, each file of which is a task of an executor."""
    given = recipe, folder / SAMPLES, executor, notes.oldest
    if recipe.selfplays:
        return ActorSource(*given, partial(write_network, learner, recipe))
    return TeacherSource(*given, ahead=2 * workers)


@contextmanager
def _compiling(learner: Learner, blanks: list[Batch]) -> Iterator[Future[None]]:
    """Compile the learner for all shapes of batches while the first data is made."""
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(learner.prepare, blanks)


class _CtrlC:
    """Takes note of Ctrl-C instead of raising it: a step is never cut in two."""

    def __init__(self) -> None:
        self.pressed = self._waits = False
        self._presses: SimpleQueue[bool] = SimpleQueue()
        """True for each Ctrl-C, False at the end."""

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            threading.Thread(target=self._insist, daemon=True).start()
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *raised: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._before)
            self._presses.put(False)

    def _note(self, number: int, frame: object) -> None:
        self.pressed = True
        if self._waits:
            self._presses.put(True)
            raise KeyboardInterrupt

    def _insist(self) -> None:
        """Press Ctrl-C again where it is without effect: Python drops what a destructor raises."""
        main = threading.main_thread().ident
        while self._presses.get():
            sleep(PATIENCE)
            if self._waits and main is not None:
                signal.pthread_kill(main, signal.SIGINT)

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Let Ctrl-C end at once what is done within."""
        self._waits = True
        try:
            if self.pressed:
                raise KeyboardInterrupt
            yield
        finally:
            self._waits = False

    def unless_pressed(self, make: Callable[[], Result]) -> Result | None:
        """Return what is made; None after Ctrl-C, which ends the wait for it at once."""
        try:
            with self.raised():
                return make()
        except KeyboardInterrupt:
            return None


class _Batches:
    """Batches in the order of steps, made ahead by threads; each depends on its step alone."""

    def __init__(self, recipe: Recipe, step: int, notes: Notes) -> None:
        self.step, self.notes = step, notes
        """The step of the next batch, and what was taken up so far."""
        self._recipe, self._next = recipe, notes.oldest
        games = [load_game(group[0]) for group in recipe.groups]
        self._replays = [Replay(game, recipe.capacity // len(games)) for game in games]
        self._actions = max(game.facts.branching for game in games)
        self._begun: deque[Future[Batch]] = deque()
        self._pool = ThreadPoolExecutor(AHEAD)

    def take(self, source: Source, ctrl_c: _CtrlC) -> Batch | None:
        """Return the batch of the next step, once its data is there; None after Ctrl-C."""
        recipe = self._recipe
        source.advance(self.step)
        while self._next < recipe.files_for(self.step):
            made = ctrl_c.unless_pressed(partial(source.make, self._next))
            if made is None:
                return None
            self._add(made)
        while len(self._begun) < AHEAD:
            ahead = self.step + len(self._begun)
            if recipe.files_for(ahead) > self._next:
                break  # it will see data that is not there yet
            self._begun.append(self._pool.submit(self._make, ahead))
        self.step += 1
        return self._begun.popleft().result()

    def blanks(self) -> list[Batch]:
        """Return a batch of zeros of each shape, if there are several."""
        blank = {
            replay.game.plane_shape: blank_batch(replay.game, self._recipe.batch)
            for replay in self._replays
        }
        several = len(blank) > 1
        return [widened(batch, self._actions) for batch in blank.values()] if several else []

    def _make(self, step: int) -> Batch:
        """Return the batch of a step, which is of one shape."""
        random = np.random.default_rng(derive_seed(self._recipe.seed, step))
        replay = self._replays[step % len(self._replays)]
        return widened(replay.batch(self._recipe.batch, random), self._actions)

    def _add(self, made: Made) -> None:
        """Take up the next file."""
        notes, samples = self.notes, made.samples
        self._replays[self._next % len(self._replays)].add(self._next, samples)
        self._next += 1
        if self._next > notes.files:  # after a resumption some files are taken up again
            notes = notes._replace(
                files=self._next,
                samples=notes.samples + samples.size,
                games=notes.games + len(samples.seeds),
                evaluations=notes.evaluations + made.evaluations,
            )
        oldest = min(replay.oldest for replay in self._replays if len(replay))
        self.notes = notes._replace(oldest=oldest)

    def close(self) -> None:
        """Wait until no batch is being made."""
        self._pool.shutdown(cancel_futures=True)
