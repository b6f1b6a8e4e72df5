"""Pools of workers that play the games of a plan: this process, or several others."""

from __future__ import annotations

import os
import signal
import warnings
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from multiprocessing import forkserver, get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from time import perf_counter
from traceback import format_exception
from typing import Any, Self

from plyground.arena.plan import Pairing, Tournament
from plyground.arena.record import Record
from plyground.arena.referee import Referee
from plyground.cache import kernel_folder
from plyground.errors import PlygroundError, PlygroundWarning
from plyground.processes import follow_parent

TICK = 0.25
"""Seconds after which an empty batch is yielded."""

CHUNK = 0.05
"""Seconds of play per chunk: long enough to make the communication cheap."""

MOST = 200
"""Games per chunk at most."""

AHEAD = 4000
"""Games read ahead, as a plan may have millions."""

DEATHS = 3
"""Deaths of workers in one game after which the player to move forfeits it."""


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool(ABC):
    """Workers that play the games of one plan after the other."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @abstractmethod
    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        """Play games of a plan; yield records in batches, in any order; batches may be empty."""

    @abstractmethod
    def close(self) -> None:
        """End the workers."""


class Here(Pool):
    """Plays in this process, one game after the other."""

    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        referee = Referee(plan)
        for pairing in pairings:
            yield [referee.play(pairing)]

    def close(self) -> None:
        pass


class Deal:
    """Games waiting for workers, handed out in chunks that are larger if games are short."""

    def __init__(self, pairings: Iterable[Pairing]) -> None:
        self._unread = iter(pairings)
        self._waiting: deque[Pairing] = deque()
        self._size = 1.0

    def __bool__(self) -> bool:
        """Return whether games are left."""
        self._waiting.extend(islice(self._unread, max(0, AHEAD - len(self._waiting))))
        return bool(self._waiting)

    def chunk(self, workers: int) -> list[Pairing]:
        """Return the next games for one of several workers; fewer if not many are left."""
        fair = ceil(len(self._waiting) / (2 * workers))
        return [self._waiting.popleft() for _ in range(min(int(self._size), fair))]

    def put_back(self, pairings: Iterable[Pairing]) -> None:
        """Put games back, to be handed out next."""
        self._waiting.extendleft(pairings)

    def learn(self, games: int, seconds: float) -> None:
        """Set the size of chunks by how long games took."""
        self._size = min(MOST, max(1.0, CHUNK * games / max(seconds, 1e-9)))


@dataclass
class _Worker:
    """A worker process, the chunks it was sent, and the seat to move in its game."""

    process: Any
    pipe: Connection
    turn: Any
    plan: Tournament | None = None
    """The plan that it was last sent."""
    dealt: deque[list[Pairing]] = field(default_factory=deque)
    alone: bool = False
    """Whether it plays a single game in which another worker died."""


class Processes(Pool):
    """Plays in worker processes; one that dies is replaced, and its games are replayed."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()
        self._suspects: deque[Pairing] = deque()
        preferred = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        self._context: Any = get_context(preferred)
        kernel_folder()  # chosen here, so that workers use the same folder
        if preferred == "forkserver":  # the server imports while this process compiles kernels
            self._context.set_forkserver_preload([__name__])
            forkserver.ensure_running()

    def close(self) -> None:
        self._dismiss(self._workers)

    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        if any(worker.dealt for worker in self._workers):
            raise RuntimeError("these workers still play other games: close that iterator first")
        referee = Referee(plan)
        deal = Deal(pairings)
        self._deaths.clear()
        self._suspects.clear()
        try:
            while len(self._workers) < self._count:
                self._workers.append(self._start())
            while deal or self._suspects or any(worker.dealt for worker in self._workers):
                for worker in self._workers:
                    self._deal(plan, worker, deal)
                batch: list[Record] = []
                ready = wait([worker.pipe for worker in self._workers], TICK)
                for index, worker in enumerate(self._workers):
                    if worker.pipe in ready:
                        try:
                            batch += self._receive(worker, deal)
                        except (EOFError, OSError):
                            batch += self._recover(referee, worker, deal)
                            self._workers[index] = self._start()
                yield batch
        finally:  # after an interruption, workers that still play are not needed
            self._dismiss([worker for worker in self._workers if worker.dealt])

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        turn = self._context.RawValue("i", -1)
        process = self._context.Process(target=_work, args=(theirs, turn), daemon=False)
        process.start()
        theirs.close()
        return _Worker(process, ours, turn)

    def _dismiss(self, workers: list[_Worker]) -> None:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join(5)
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()
        self._workers = [worker for worker in self._workers if worker not in workers]

    def _deal(self, plan: Tournament, worker: _Worker, deal: Deal) -> None:
        """Send a worker up to two chunks, so that it never waits; a suspect game goes alone."""
        while (deal or self._suspects) and len(worker.dealt) < 2 and not worker.alone:
            if self._suspects:
                if worker.dealt:
                    return
                chunk, worker.alone = [self._suspects.popleft()], True
            else:
                chunk = deal.chunk(len(self._workers))
            worker.dealt.append(chunk)
            try:
                if worker.plan is not plan:
                    worker.pipe.send(plan)
                    worker.plan = plan
                worker.pipe.send(chunk)
            except OSError:
                return  # the worker died, which the next read from its pipe detects

    def _receive(self, worker: _Worker, deal: Deal) -> list[Record]:
        received = worker.pipe.recv()
        if isinstance(received, PlygroundError):
            raise received
        records, seconds = received
        worker.dealt.popleft()
        worker.alone = False
        deal.learn(len(records), seconds)
        return records  # type: ignore[no-any-return]

    def _recover(self, referee: Referee, worker: _Worker, deal: Deal) -> list[Record]:
        """Put a dead worker's games back; return a forfeit if its game killed too many workers."""
        worker.process.join()
        worker.pipe.close()
        if worker.plan is None:
            raise PlygroundError(f"a worker could not start (exit code {worker.process.exitcode})")
        if not worker.dealt:
            return []  # it died without a game
        chunk, *others = worker.dealt
        for other in others:
            deal.put_back(other)
        self._deaths.update(pairing.number for pairing in chunk)
        if worker.alone and self._deaths[chunk[0].number] >= DEATHS:
            seat = max(0, worker.turn.value)
            return [referee.forfeit(chunk[0], seat, f"{DEATHS} processes died of this game")]
        self._suspects.extend(chunk)
        return []


def _work(pipe: Connection, turn: Any) -> None:
    """Entry point of a worker process: play the games it is sent until the parent ends it.

    A plan is sent before the chunks of its games.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that players are closed
    warnings.simplefilter("ignore", PlygroundWarning)  # the parent has shown them
    follow_parent()
    try:
        while True:
            received = pipe.recv()
            if isinstance(received, Tournament):
                referee = Referee(received)
                continue
            began = perf_counter()
            records = []
            for pairing in received:
                turn.value = -1
                records.append(referee.play(pairing, turn))
            pipe.send((records, perf_counter() - began))
    except PlygroundError as error:
        failure = PlygroundError(str(error))
        failure.add_note("".join(format_exception(error)))  # shown by `--debug`
        pipe.send(failure)
    except (KeyboardInterrupt, EOFError, OSError):
        pass  # the parent has no more work, or is gone
