"""When a search stops: early enough for its answer to be in time, on a busy machine too."""

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
from plyground.control import CLOCK, DEADLINE, STOP

FADING = 0.95
"""What is left of a reserve after each search: a hiccup is forgotten after some twenty."""

LARGEST = 0.6
"""The largest share of a move's time that is kept in reserve: the rest is for thinking."""

LOOKS = 20
"""How often a search looks at the clock, each time seeing how late it is woken."""

FIRST = 0.02
"""Seconds that are kept as long as nothing is known of the machine."""

AT_ONCE = 1.0
"""Work for so many seconds runs in the calling thread: Ctrl-C waits for its end."""

SHORTEST, LONGEST = 0.005, 0.2
"""Seconds between two looks at the clock."""


def own_time() -> float:
    """Return the time that passes, but for that in which this thread waited for a processor.

    Players are judged by it: how long the referee itself is kept waiting is nobody's fault.
    """
    return perf_counter() - kept_waiting()


def kept_waiting() -> float:
    """Return the seconds in which this thread could have run but had no processor; 0 if unknown."""
    try:
        if not hasattr(_OWN, "schedule"):
            _OWN.schedule = _Schedule()
        return int(os.pread(_OWN.schedule.file, 100, 0).split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


class _Schedule:
    """The file in which the kernel counts for one thread: opening it takes longer than reading."""

    def __init__(self) -> None:
        self.file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if hasattr(self, "file"):
            os.close(self.file)


_OWN = threading.local()
if hasattr(os, "register_at_fork"):  # a child's first thread is another one
    os.register_at_fork(after_in_child=_OWN.__dict__.clear)


class Reserve:
    """How long before their time is up searches stop: as long as they were kept waiting of late.

    A lag is what passes between the moment at which a search was to go on, and that at which it
    does: on a busy machine a thread that is woken waits for a processor.
    """

    def __init__(self) -> None:
        self.lag = FIRST
        """The longest lag seen; those of earlier searches fade."""

    def note(self, lag: float) -> None:
        """Take notice of a lag."""
        self.lag = max(self.lag, lag)

    def fade(self) -> None:
        """Begin another search: what was seen before counts for less."""
        self.lag *= FADING

    def of(self, seconds: float) -> float:
        """Return how much of a move's seconds to keep."""
        return min(self.lag, LARGEST * seconds)


RESERVE = Reserve()
"""Of this process: all its searches wait for the same processors."""


class Work:
    """Something that is done in a thread of its own."""

    def __init__(self, work: Callable[[], None]) -> None:
        """Start; unlike `threading.Thread` without waiting until the thread has a processor."""
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
        """Wait for its end, for so long at most; return whether it came, or raise its error."""
        ended = self._ended.wait(seconds)
        if self._failure is not None:
            raise self._failure
        return ended


class Timer:
    """The clock of one search, from its beginning to its answer.

    It counts seconds that pass, or with `cpu` those that all threads of this process compute.
    """

    def __init__(
        self,
        seconds: float | None = None,
        cpu: bool = False,
        every: float | None = None,
        reserve: Reserve = RESERVE,
    ) -> None:
        """Start; `run` gives control back every so many seconds, if `every` is given."""
        self.read = process_time if cpu else perf_counter
        self.began = self.read()
        self.seconds, self.cpu, self.every, self.reserve = seconds, cpu, every, reserve
        self.stopped: float | None = None
        """The moment at which it was to stop, once it has passed."""
        self._others: list[Work] = []
        reserve.fade()

    @property
    def elapsed(self) -> float:
        """Return the seconds since the beginning, more than 0."""
        return max(self.read() - self.began, 1e-9)

    @property
    def left(self) -> float:
        """Return the seconds until the search is to stop."""
        if self.seconds is None:
            return inf
        return self.seconds - self.reserve.of(self.seconds) - (self.read() - self.began)

    def run(self, work: Callable[[], None], stop: Words, threads: int = 1) -> Iterator[None]:
        """Run compiled work in so many threads at once until it is done or its time is up.

        `stop` begins as a search's control does; compiled work looks at the clock itself. Short
        work runs in the calling thread: on a busy machine another would wait for a processor, and
        this one then for it. Long work runs beside it, so that this thread stays free to see the
        clock and the keyboard; `stop` is set when the time is up, on Ctrl-C, or when nobody asks
        any more. When the time is up, work in other threads that does not end within half of the
        reserve is left behind: what it found so far must do. `finish` waits for it.
        """
        if self.seconds is not None and self.seconds < inf and HAS_CLOCKS:
            kind = time.CLOCK_PROCESS_CPUTIME_ID if self.cpu else time.CLOCK_MONOTONIC
            stop[CLOCK] = kind
            stop[DEADLINE] = time.clock_gettime_ns(kind) + max(1, int(self.left * 1e9))
        here = HAS_CLOCKS and self.every is None and (self.seconds or inf) <= AT_ONCE
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
        for each in self._others:
            each.wait(max(0.0, until - self.read()) / 2)

    def _watch(self) -> Iterator[None]:
        """Wait until the work is done or its time is up."""
        shown = perf_counter()
        while (left := self.left) > 0 and not all(self._wait(each, left) for each in self._others):
            if self.every is not None and perf_counter() >= shown + self.every:
                shown = perf_counter()
                yield

    def _wait(self, work: Work, left: float) -> bool:
        """Wait a little, and note how late we are woken; return whether the work has ended."""
        if self.seconds is None:
            return work.wait(self.every)
        if self.cpu:  # it passes as fast as there are processors
            left = max(left / (os.cpu_count() or 1), SHORTEST / 10)
        look = min(max(self.seconds / LOOKS, SHORTEST), LONGEST)
        until = perf_counter() + min(left, look, self.every or look)
        ended = work.wait(until - perf_counter())
        if not ended:
            self.reserve.note(perf_counter() - until)
        return ended

    def answered(self) -> None:
        """Note how long after the moment to stop the answer was there."""
        if self.stopped is not None:
            self.reserve.note(self.read() - self.stopped)

    def finish(self) -> None:
        """Wait until all work has ended, so that another search may use its memory."""
        for each in self._others:
            each.wait()
