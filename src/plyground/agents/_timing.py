"""When a search stops: early enough for its answer to be in time, on a busy machine too."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from math import inf
from time import perf_counter, process_time

from plyground.compile import Words

FADING = 0.95
"""What is left of a reserve after each search: a hiccup is forgotten after some twenty."""

LARGEST = 0.6
"""The largest share of a move's time that is kept in reserve: the rest is for thinking."""

LOOKS = 20
"""How often a search looks at the clock, each time seeing how late it is woken."""

FIRST = 0.02
"""Seconds that are kept as long as nothing is known of the machine."""

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
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


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
        self.thread: threading.Thread | None = None
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

    def run(self, work: Callable[[], None], stop: Words) -> Iterator[None]:
        """Run compiled work beside the main thread until it is done or its time is up.

        `stop` is set when the time is up, on Ctrl-C, or when nobody asks any more. Kernels hold no
        lock, so the main thread stays free to see the clock and the keyboard. When the time is up
        the work gets half of the reserve to end: on a busy machine it may wait for a processor for
        longer than that, and what it has found so far must do. `finish` waits for its end.
        """
        failure: list[BaseException] = []
        context = copy_context()  # NumPy keeps there that words may wrap round

        def target() -> None:
            try:
                context.run(work)
            except BaseException as error:
                failure.append(error)

        self.thread = thread = threading.Thread(target=target, daemon=True)
        thread.start()
        shown, patience = perf_counter(), None
        try:
            while thread.is_alive():
                left = self.left
                if left <= 0:
                    self.stopped = self.read() + left
                    patience = max(0.0, self.reserve.of(self.seconds or 0.0) + left) / 2
                    break
                self._wait(thread, left)
                if self.every is not None and perf_counter() >= shown + self.every:
                    shown = perf_counter()
                    if thread.is_alive():
                        yield
        finally:
            stop[0] = 1
            thread.join(patience)
        if failure:
            raise failure[0]

    def _wait(self, thread: threading.Thread, left: float) -> None:
        """Wait a little, and note how late we are woken while the search goes on."""
        if self.seconds is None:
            thread.join(self.every)
            return
        if self.cpu:  # it passes as fast as there are processors
            left = max(left / (os.cpu_count() or 1), SHORTEST / 10)
        look = min(max(self.seconds / LOOKS, SHORTEST), LONGEST)
        until = perf_counter() + min(left, look, self.every or look)
        thread.join(until - perf_counter())
        if thread.is_alive():
            self.reserve.note(perf_counter() - until)

    def answered(self) -> None:
        """Note how long after the moment to stop the answer was there."""
        if self.stopped is not None:
            self.reserve.note(self.read() - self.stopped)

    def finish(self) -> None:
        """Wait until the work has ended, so that another may use its memory."""
        if self.thread is not None:
            self.thread.join()
