"""Time limits of searches: they stop early enough to answer in time, even on a busy machine."""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from math import inf
from time import perf_counter, process_time

from plyground.compile import HAS_CLOCKS, Words
from plyground.control import CLOCK, DEADLINE, LOOK, STOP

FADING = 0.95
"""Factor of the reserve per search: one long delay is forgotten after some twenty searches."""

LARGEST = 0.6
"""The largest share of a move's time that is kept in reserve."""

LOOKS = 20
"""How often a waiting thread wakes during a search, each time measuring how late it wakes."""

FIRST = 0.02
"""The reserve in seconds before any delay has been measured."""

AT_ONCE = 1.0
"""Under a clock, work of at most so many seconds runs in the calling thread."""

CALM = 0.4
"""The share of a move's time after which a search with a settled choice begins no iteration."""

FALL = 0.1
"""A fall of the value by more than this is a reason to go on."""

SHORTEST, LONGEST = 0.005, 0.2
"""The least and the most seconds between two readings of the clock."""

TRIES, AT_ONE_MOMENT = 4, 50e-6
"""How often time and waiting are read at most, until both are read within so many seconds."""


def own_time() -> float:
    """Return the wall-clock time, less the time in which this thread waited for a processor.

    The referee measures players by it: they are not charged for its own waiting.

    Law: in a thread it never runs backwards.
    """
    for _ in range(TRIES):
        now, waited = perf_counter(), kept_waiting()
        if perf_counter() - now < AT_ONE_MOMENT:  # the thread has not lost its processor in between
            break
    _OWN.latest = max(getattr(_OWN, "latest", -inf), now - waited)
    return _OWN.latest


def kept_waiting() -> float:
    """Return the seconds in which this thread was ready but had no processor.

    Where the system does not tell, they are 0 for as long as the thread runs.
    """
    try:
        if not hasattr(_OWN, "schedule"):
            _OWN.schedule = None
            _OWN.schedule = _Schedule()
        if _OWN.schedule is not None:
            return int(os.pread(_OWN.schedule.file, 100, 0).split()[1]) / 1e9
    except (OSError, IndexError):
        _OWN.schedule = None
    return 0.0


class _Schedule:
    """The system's scheduling statistics of one thread, kept open since opening is slow."""

    def __init__(self) -> None:
        self.file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if hasattr(self, "file"):
            os.close(self.file)


_OWN = threading.local()
if hasattr(os, "register_at_fork"):  # a forked child has other threads
    os.register_at_fork(after_in_child=_OWN.__dict__.clear)


class Reserve:
    """How long before the end of their time searches stop: as long as recent scheduling lags.

    A lag is the time between the moment at which a thread should have continued and the moment at
    which it does: on a busy machine a thread that wakes has to wait for a processor.
    """

    def __init__(self) -> None:
        self.lag = FIRST
        """The longest lag measured; those of earlier searches decay."""

    def note(self, lag: float) -> None:
        """Record a lag."""
        self.lag = max(self.lag, lag)

    def fade(self) -> None:
        """Let earlier lags decay, at the beginning of a search."""
        self.lag *= FADING

    def of(self, seconds: float) -> float:
        """Return how many of a move's seconds to keep in reserve."""
        return min(self.lag, LARGEST * seconds)


RESERVE = Reserve()
"""The reserve of this process: all its searches compete for the same processors."""


class Work:
    """A function that runs in a thread of its own."""

    def __init__(self, work: Callable[[], None]) -> None:
        """Start it; unlike `threading.Thread`, without waiting until the thread runs."""
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        _thread.start_new_thread(copy_context().run, (self._run, work))

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self._failure = error
        finally:
            self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most so long for its end; return whether it has ended, or raise its error."""
        ended = self._ended.wait(seconds)
        if self._failure is not None:
            raise self._failure
        return ended


class Pace:
    """How long a search by iterative deepening goes on, by how settled its choice is."""

    def __init__(self, seconds: float) -> None:
        """Plan a move that takes so many seconds on average."""
        self.seconds = seconds
        self.unrest = 0.0
        """Changes of the choice and falls of its value; half is forgotten at each iteration."""
        self._action: int | None = None

    def note(self, action: int, fall: float) -> None:
        """Record an iteration's choice, and how far its value fell since an earlier iteration."""
        self.unrest /= 2
        self.unrest += self._action not in (None, action)
        self.unrest += fall > FALL
        self._action = action

    @property
    def last_start(self) -> float:
        """The seconds after which no further iteration begins, as it would hardly end in time."""
        return self.seconds * CALM * (1 + self.unrest)


class Timer:
    """The clock of one search, from its beginning to its answer.

    It measures wall-clock time, or with `cpu` the processor time of all threads of this process.
    """

    def __init__(
        self,
        seconds: float | None = None,
        cpu: bool = False,
        every: float | None = None,
        reserve: Reserve = RESERVE,
    ) -> None:
        """Start the clock; with `every`, `run` yields every so many seconds."""
        self.read = process_time if cpu else perf_counter
        self.began = self.read()
        self.seconds, self.cpu, self.every, self.reserve = seconds, cpu, every, reserve
        self.stopped: float | None = None
        """The moment at which the search had to stop, once it has passed."""
        self._others: list[Work] = []
        reserve.fade()

    @property
    def elapsed(self) -> float:
        """The seconds since the beginning, more than 0."""
        return max(self.read() - self.began, 1e-9)

    @property
    def left(self) -> float:
        """The seconds until the search has to stop."""
        if self.seconds is None:
            return inf
        return self.seconds - self.reserve.of(self.seconds) - (self.read() - self.began)

    def run(self, work: Callable[[], None], stop: Words, threads: int = 1) -> Iterator[None]:
        """Run compiled work in so many threads at once until it is done or its time is up.

        `stop` is a control array (see `control`), whose deadline compiled work checks itself; in
        the main thread it also looks for signals, such as Ctrl-C. Work that takes long under a
        clock, or of which `every` asks for news, runs in other threads, so that this one can react
        to the clock; all other work runs in the calling thread, as starting a thread takes longer
        than a short search, and on a busy machine each has to wait for a processor. STOP is set
        when the time is up, on Ctrl-C, or when the caller drops this iterator. When the time is up,
        threads that do not end within half of the reserve are not waited for: their results so far
        are used, and `finish` waits for them.
        """
        seconds = inf if self.seconds is None else self.seconds
        if seconds < inf and HAS_CLOCKS:
            kind = time.CLOCK_PROCESS_CPUTIME_ID if self.cpu else time.CLOCK_MONOTONIC
            stop[CLOCK] = kind
            stop[DEADLINE] = time.clock_gettime_ns(kind) + max(1, int(self.left * 1e9))
        here = HAS_CLOCKS and self.every is None and not AT_ONCE < seconds < inf
        if here and threading.current_thread() is threading.main_thread():
            stop[LOOK] = 0
        self._others = [Work(work) for _ in range(threads - here)]
        try:
            if here:
                work()
            yield from self._watch()
        except BaseException:
            stop[STOP] = 1
            self.finish()
            raise
        stop[STOP] = 1
        if self.left > 0:
            self.finish()
            return
        self.stopped = self.read() + self.left
        until = self.began + (self.seconds or 0.0)
        for other in self._others:
            other.wait(max(0.0, until - self.read()) / 2)

    def _watch(self) -> Iterator[None]:
        """Wait until the work is done or its time is up."""
        shown = perf_counter()
        while (left := self.left) > 0 and not all(self._wait(work, left) for work in self._others):
            if self.every is not None and perf_counter() >= shown + self.every:
                shown = perf_counter()
                yield

    def _wait(self, work: Work, left: float) -> bool:
        """Wait a little and record the lag; return whether the work has ended."""
        if self.seconds is None:
            return work.wait(self.every)
        if self.cpu:  # processor time passes faster than wall-clock time
            left = max(left / (os.cpu_count() or 1), SHORTEST / 10)
        look = min(max(self.seconds / LOOKS, SHORTEST), LONGEST)
        until = perf_counter() + min(left, look, self.every or look)
        ended = work.wait(until - perf_counter())
        if not ended:
            self.reserve.note(perf_counter() - until)
        return ended

    def answered(self) -> None:
        """Record how long after the moment to stop the answer was ready."""
        if self.stopped is not None:
            self.reserve.note(self.read() - self.stopped)

    def finish(self) -> None:
        """Wait until all work has ended, so that another search may use its memory."""
        for other in self._others:
            other.wait()
