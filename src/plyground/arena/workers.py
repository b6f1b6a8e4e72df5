"""Pools of workers that play the games of plans: this process, or several others."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from multiprocessing import forkserver, get_all_start_methods, get_context, parent_process
from multiprocessing.connection import Connection, wait
from time import perf_counter
from traceback import format_exception
from typing import Any, Self

from plyground.arena.plan import Pairing, Tournament
from plyground.arena.record import Record
from plyground.arena.referee import Referee
from plyground.cache import kernel_folder
from plyground.errors import PlygroundError, PlygroundWarning

TICK = 0.25
"""Seconds after which an empty batch is yielded."""

CHUNK = 0.05
"""Seconds of play that are dealt at a time: enough to make the dealing cheap."""

MOST = 200
"""Games that are dealt at a time, at most."""

AHEAD = 4000
"""Games that are looked at ahead of those dealt: a plan may have millions."""

DEATHS = 3
"""A game in which so many workers died is lost by the player whose turn it was."""


def cores() -> int:
    """Count the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool(ABC):
    """Plays games, here or elsewhere, of one plan after the other."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @abstractmethod
    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        """Play games of a plan; yield the records in batches, in any order, some of them empty."""

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
    """The games still to be dealt, in chunks that grow as games turn out to be short."""

    def __init__(self, pairings: Iterable[Pairing]) -> None:
        self._to_come = iter(pairings)
        self._waiting: deque[Pairing] = deque()
        self._size = 1.0

    def __bool__(self) -> bool:
        """Return whether games are left; only some are read ahead, as a plan may have millions."""
        self._waiting.extend(islice(self._to_come, max(0, AHEAD - len(self._waiting))))
        return bool(self._waiting)

    def chunk(self, hands: int) -> list[Pairing]:
        """Return the next games for one of so many workers; fewer when not many are left."""
        fair = ceil(len(self._waiting) / (2 * hands))
        return [self._waiting.popleft() for _ in range(min(int(self._size), fair))]

    def again(self, pairings: Iterable[Pairing]) -> None:
        """Put games back, to be dealt next."""
        self._waiting.extendleft(pairings)

    def learn(self, games: int, seconds: float) -> None:
        """Set the size of chunks by how long games took."""
        self._size = min(MOST, max(1.0, CHUNK * games / max(seconds, 1e-9)))


@dataclass
class _Worker:
    """A worker process, the chunks it was dealt, and the seat whose turn it is in its game."""

    process: Any
    pipe: Connection
    turn: Any
    plan: Tournament | None = None
    """The plan whose games it plays."""
    dealt: deque[list[Pairing]] = field(default_factory=deque)
    alone: bool = False
    """Whether it plays a single game in which a worker died before."""


class Processes(Pool):
    """Plays in worker processes; one that dies is replaced, and its games are played again."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()
        self._suspects: deque[Pairing] = deque()
        preferred = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        self._context: Any = get_context(preferred)
        kernel_folder()  # workers inherit the choice
        if preferred == "forkserver":  # it imports while kernels are compiled here
            self._context.set_forkserver_preload([__name__])
            forkserver.ensure_running()

    def close(self) -> None:
        self._dismiss(self._workers)

    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        if any(worker.dealt for worker in self._workers):
            raise RuntimeError("these workers still play for somebody else: close that first")
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
                for place, worker in enumerate(self._workers):
                    if worker.pipe in ready:
                        try:
                            batch += self._receive(worker, deal)
                        except (EOFError, OSError):
                            batch += self._bury(referee, worker, deal)
                            self._workers[place] = self._start()
                yield batch
        finally:  # broken off, some are still playing: nobody waits for their games
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
        """Keep two chunks with a worker, so that it never waits; a suspect game is played alone."""
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
                return  # it died: the next look at its pipe will tell

    def _receive(self, worker: _Worker, deal: Deal) -> list[Record]:
        received = worker.pipe.recv()
        if isinstance(received, PlygroundError):
            raise received
        records, seconds = received
        worker.dealt.popleft()
        worker.alone = False
        deal.learn(len(records), seconds)
        return records  # type: ignore[no-any-return]

    def _bury(self, referee: Referee, worker: _Worker, deal: Deal) -> list[Record]:
        """Return a dead worker's games to the deal; one in which too many died is forfeited."""
        worker.process.join()
        worker.pipe.close()
        if worker.plan is None:
            raise PlygroundError(f"a worker could not start (exit code {worker.process.exitcode})")
        if not worker.dealt:
            return []  # it died of nothing that it was dealt
        chunk, *others = worker.dealt
        for each in others:
            deal.again(each)
        self._deaths.update(pairing.number for pairing in chunk)
        if worker.alone and self._deaths[chunk[0].number] >= DEATHS:
            seat = max(0, worker.turn.value)
            return [referee.forfeit(chunk[0], seat, f"{DEATHS} processes died of this game")]
        self._suspects.extend(chunk)
        return []


def _work(pipe: Connection, turn: Any) -> None:
    """Entry point of a worker process: play what is dealt until the parent ends it.

    Chunks of games come after the plan that they belong to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # players still leave their seats
    warnings.simplefilter("ignore", PlygroundWarning)  # the parent has said it
    threading.Thread(target=_follow_parent, daemon=True).start()
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
        failure.add_note("".join(format_exception(error)))  # what `--debug` shows
        pipe.send(failure)
    except (KeyboardInterrupt, EOFError, OSError):
        pass  # the parent has no more work, or is gone


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
