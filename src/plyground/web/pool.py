"""Searches in worker processes: a bounded number of them, each of which can be stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from plyground.agents import load_agent
from plyground.agents.agent import Limit, Thought
from plyground.arena.faults import fault_of
from plyground.errors import AgentError, PlygroundError, PlygroundWarning
from plyground.game import Position
from plyground.games import load_game
from plyground.processes import follow_parent

REPLY, HINT, ANALYSIS = range(3)
"""Why an agent thinks; the first come first, and analyses leave one worker to the others."""

GRACE = 2.0
"""Seconds that a search has to end after it was stopped; then its process is ended."""

STARTING = 300.0
"""Further seconds for a process that starts, loads or compiles kernels."""

MOST_WAITING = 300
"""Searches that may wait for a worker."""

NICENESS = 10
"""Workers give way to the server, which answers clicks."""


MEMORY = 6 * 2**30
"""Bytes that a worker may allocate: a search with absurd tables fails, and nothing else does."""


class BusyError(PlygroundError):
    """Too many searches are waiting."""


@dataclass(frozen=True)
class Task:
    """A position to think about, as plain data."""

    game: str
    start: str
    actions: tuple[int, ...]
    agent: str
    limit: Limit
    seed: int
    view: bool = True
    """Whether the agent sees only what the player to move sees."""
    prove: bool = False
    """Whether to go on after a proof, with the values of all actions."""

    def position(self) -> Position:
        """Return the position."""
        position = load_game(self.game).parse(self.start)
        for action in self.actions:
            position = position.replay(action)
        return position.observe(position.player) if self.view else position


@dataclass(eq=False)
class Job:
    """A task on its way: an iterator of ever better thoughts, with the seconds since its start."""

    number: int
    task: Task
    purpose: int
    seconds: float
    """Seconds after which it is stopped; its last thought stands."""
    thoughts: asyncio.Queue[tuple[Thought, float] | Exception | None] = field(
        default_factory=asyncio.Queue
    )
    is_stopped: bool = False
    is_done: bool = False

    async def __aiter__(self) -> AsyncIterator[tuple[Thought, float]]:
        while (item := await self.thoughts.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item


class _Worker:
    """A process, the job that it works on, and the thread that reads its answers."""

    def __init__(self, context: Any, receive: Callable[[_Worker, Any], None]) -> None:
        self.pipe, theirs = context.Pipe()
        self.stop = context.RawValue("q", -1)
        self.process = context.Process(target=_work, args=(theirs, self.stop), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.timer: asyncio.TimerHandle | None = None
        loop = asyncio.get_running_loop()

        def read() -> None:
            try:
                while True:
                    loop.call_soon_threadsafe(receive, self, self.pipe.recv())
            except Exception:  # the process has ended, or sent what cannot be read
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(receive, self, None)

        threading.Thread(target=read, daemon=True).start()

    def end(self) -> None:
        """End the process at once."""
        if self.timer is not None:
            self.timer.cancel()
        self.process.kill()
        self.process.join(5)
        self.pipe.close()


class Pool:
    """Worker processes that think; all methods are called from one event loop."""

    def __init__(self, workers: int) -> None:
        self._size = workers
        self._workers: list[_Worker] = []
        self._waiting: list[Job] = []
        self._numbers = count()
        self._is_closed = False
        preferred = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        self._context: Any = get_context(preferred)
        if preferred == "forkserver":
            self._context.set_forkserver_preload([__name__])
        self._starting: asyncio.Task[None] | None = None
        """The start of the process from which workers are forked, once there are tasks."""

    @property
    def running(self) -> int:
        """Return how many searches are under way."""
        return sum(worker.job is not None for worker in self._workers)

    @property
    def waiting(self) -> int:
        """Return how many searches wait for a worker."""
        return len(self._waiting)

    def submit(self, task: Task, purpose: int, seconds: float) -> Job:
        """Think about a task as soon as a worker is free; raise Busy if too many wait."""
        if len(self._waiting) >= MOST_WAITING or self._is_closed:
            raise BusyError("too many searches are waiting: try again later")
        job = Job(next(self._numbers), task, purpose, seconds)
        self._waiting.append(job)
        self._assign()
        return job

    async def last(
        self, job: Job, show: Callable[[tuple[Thought, float]], None] = lambda last: None
    ) -> tuple[Thought, float]:
        """Return a job's last thought, and its seconds; each thought is shown as it comes.

        When the caller is cancelled, the search is stopped.
        """
        last = None
        try:
            async for last in job:
                show(last)
        finally:
            self.stop(job)
        if last is None:
            raise AgentError("failed", "it was stopped before its first thought")
        return last

    def stop(self, job: Job) -> None:
        """Stop a job; what it has thought so far stands."""
        if job.is_done or job.is_stopped:
            return
        job.is_stopped = True
        if job in self._waiting:
            self._waiting.remove(job)
            self._finish(job, None)
        for worker in self._workers:
            if worker.job is job:
                worker.stop.value = job.number
                self._expect(worker, GRACE)

    def close(self) -> None:
        """End all processes at once."""
        self._is_closed = True
        for job in self._waiting:
            self._finish(job, None)
        for worker in self._workers:
            if worker.job is not None:
                self._finish(worker.job, None)
            worker.end()
        self._workers.clear()

    async def _start(self) -> None:
        """Start the first process in a thread: it imports this module, which takes seconds."""
        first = self._context.Process(target=int)
        with suppress(OSError):  # the next start says why
            await asyncio.to_thread(first.start)
            await asyncio.to_thread(first.join)

    def _assign(self) -> None:
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(lambda started: self._assign())
        if not self._starting.done() or self._is_closed:
            return
        self._waiting.sort(key=lambda job: (job.purpose, job.number))
        for job in list(self._waiting):
            analyses = sum(w.job is not None and w.job.purpose == ANALYSIS for w in self._workers)
            if job.purpose == ANALYSIS and analyses >= max(1, self._size - 1):
                return
            worker = next((worker for worker in self._workers if worker.job is None), None)
            if worker is None:
                if len(self._workers) == self._size:
                    return
                try:
                    worker = _Worker(self._context, self._receive)
                except OSError as error:  # no memory, or too many processes or files
                    self._waiting.remove(job)
                    reason = f"no process can be started: {error.strerror}"
                    self._finish(job, AgentError("failed", reason))
                    continue
                self._workers.append(worker)
            self._waiting.remove(job)
            worker.job = job
            self._expect(worker, STARTING)
            with suppress(OSError):  # the process has died, which its thread reports
                worker.pipe.send((job.number, job.task, job.purpose))

    def _expect(self, worker: _Worker, seconds: float) -> None:
        """Do something about a worker that does not report within so many seconds."""
        if worker.timer is not None:
            worker.timer.cancel()
        loop = asyncio.get_running_loop()
        worker.timer = loop.call_later(seconds, self._overdue, worker)

    def _overdue(self, worker: _Worker) -> None:
        job = worker.job
        if job is None:
            return
        if not job.is_stopped and worker.stop.value != job.number:
            worker.stop.value = job.number
            self._expect(worker, GRACE)
            return
        self._workers.remove(worker)
        worker.job = None
        worker.end()
        self._finish(job, AgentError("late", f"did not answer within {job.seconds:g} s"))
        self._assign()

    def _receive(self, worker: _Worker, message: Any) -> None:
        job = worker.job
        if message is None:  # the process has ended
            if worker in self._workers:
                self._workers.remove(worker)
                worker.end()
                if job is not None:
                    worker.job = None
                    self._finish(job, AgentError("failed", "its process ended"))
                self._assign()
            return
        number, kind, content = message
        if job is None or job.number != number:
            return
        if kind == "begun":
            if not job.is_stopped:
                self._expect(worker, job.seconds)
            return
        if kind == "thought":
            job.thoughts.put_nowait(content)
            return
        if worker.timer is not None:
            worker.timer.cancel()
        worker.job = None
        self._finish(job, None if kind == "done" else AgentError(*content))
        self._assign()

    def _finish(self, job: Job, error: Exception | None) -> None:
        job.is_done = True
        job.thoughts.put_nowait(None if job.is_stopped else error)


def _work(pipe: Connection, stop: Any) -> None:
    """Entry point of a worker process: think about tasks until the parent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    warnings.simplefilter("ignore", PlygroundWarning)
    follow_parent()
    _confine()
    try:
        while True:
            number, task, purpose = pipe.recv()
            try:
                for item in _thoughts(task, purpose, partial(pipe.send, (number, "begun", None))):
                    pipe.send((number, "thought", item))
                    if stop.value == number:
                        break
                pipe.send((number, "done", None))
            except (EOFError, OSError):
                raise
            except (Exception, SystemExit) as error:
                pipe.send((number, "failed", fault_of(error)))
    except (EOFError, OSError):
        pass  # the parent is gone


def _confine() -> None:
    """Let this process give way to the server, and limit its memory, where the system can."""
    try:
        import resource
    except ImportError:
        return
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _thoughts(
    task: Task, purpose: int, begin: Callable[[], None]
) -> Iterator[tuple[Thought, float]]:
    """Yield ever better thoughts; unless values are to be proved, a proof is the last."""
    position, agent = task.position(), load_agent(task.agent)
    agent.prepare(position.game)
    begin()
    limit = task.limit
    if purpose == REPLY and len(position.legal_actions) == 1:
        limit = limit.within(depth=1)  # a forced move: keep the time for other moves
    began = perf_counter()
    for thought in agent.analyse(position, limit, task.seed):
        yield thought, perf_counter() - began
        if thought.proof is not None and not task.prove:
            return
