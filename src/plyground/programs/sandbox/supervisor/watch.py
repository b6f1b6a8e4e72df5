"""The watching process: starts the program, enforces its limits, stops it between its turns."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from typing import Any

from . import CALLS, FILES, FROZEN
from .program import become, settle
from .system import LINUX, adopt_orphans, descendants, processes, send, sweep
from .system_calls import filtered
from .usage import Usage

TICK = 0.1
"""Seconds between two checks of what the program uses."""
GRACE = 0.3
"""Seconds the program has to end after its input is closed, and again after SIGTERM."""
OUT_OF_TURN = 0.1
"""Seconds of CPU time that a program may use while stopped: a system call in progress goes on."""
KEPT = 4096
"""How many bytes at the end of standard error are kept."""

STOP, CONTINUE, CPU_TIME = b"s", b"c", b"u"
"""The requests over `control`; only CPU_TIME is answered."""


def supervise(settings: dict[str, Any]) -> None:
    """Start the program, watch it, end it and all it started; write the report to `channel`."""
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    for file in (settings["control"], settings["channel"], *settings["group"].values()):
        os.set_inheritable(file, False)
    settle(settings)
    adopt_orphans()
    channel = socket.socket(fileno=settings["channel"])
    _, pipes, _, _ = socket.recv_fds(channel, 1, 2)
    for pipe in pipes:
        os.set_inheritable(pipe, False)
    errors, program_end = os.pipe()
    pipes.append(program_end)
    child = os.fork()
    if child == 0:
        become(settings, pipes)
    for pipe in pipes:
        os.close(pipe)
    watch = Watch(child, errors, settings)
    watch.run()
    channel.sendall(json.dumps(watch.report()).encode())


class Watch:
    """Watches the program from its start to its end."""

    def __init__(self, child: int, errors: int, settings: dict[str, Any]) -> None:
        self.child, self.errors, self.control = child, errors, settings["control"]
        self.alone = settings["confined_by"] != "nothing"
        """Whether this is process 1 of a namespace: then all other processes are the program's."""
        self.freeze = settings["group"].get("freeze")
        """The file by which the kernel stops the program, if it has a control group."""
        self.usage = Usage(settings, self.everyone)
        self.rested = 0.0
        """The CPU time that the program had used when it was stopped."""
        self.seen = -1.0
        """The CPU time that it had used when it was last compared with all limits."""
        self.excess = ""
        """The limit that was exceeded, if any."""
        self.status: int | None = None
        self.closing = self.forced = self.stopped = False
        self.error_output = b""
        self.poll = select.poll()

    def run(self) -> None:
        """Wait until the program ends, `control` is closed or a limit is exceeded; then end it."""
        for pipe in (self.errors, self.control):
            os.set_blocking(pipe, False)
            self.poll.register(pipe, select.POLLIN)
        if hasattr(os, "pidfd_open"):
            self.poll.register(os.pidfd_open(self.child), select.POLLIN)
        look = time.monotonic() + TICK
        while not (self.ended() or self.closing or self.excess):
            self.wait(max(0.0, look - time.monotonic()))
            if time.monotonic() >= look:
                self.look()
                look = time.monotonic() + TICK
        self.proceed()
        if self.closing and not self.ends_within(GRACE):
            self.forced = True
            self.signal(signal.SIGTERM)
            self.ends_within(GRACE)
        self.signal(signal.SIGKILL)
        sweep()
        self.drain()

    def wait(self, seconds: float) -> None:
        """Wait for a request, the end of the program, or output on standard error."""
        for pipe, _ in self.poll.poll(seconds * 1000):
            if pipe == self.control:
                self.obey()
            elif pipe == self.errors and not self.drain():
                self.poll.unregister(pipe)

    def obey(self) -> None:
        """Handle a request over `control`; when `control` is closed, the program has to end."""
        request = os.read(self.control, 1)
        if request == STOP:
            self.halt()
        elif request == CONTINUE:
            self.proceed()
        elif request == CPU_TIME:
            os.write(self.control, f"{self.usage.cpu_seconds():.6f}\n".encode())
        else:
            self.closing = True
            self.poll.unregister(self.control)

    def look(self) -> None:
        """Compare what the program uses with its limits."""
        used = self.look_at_clock()
        if self.stopped and used == self.seen:
            return  # what has not computed has not grown
        self.seen = used
        excess = self.usage.excess(lambda: self.wait(0))
        self.excess = self.excess or excess

    def look_at_clock(self) -> float:
        """Return the CPU time; compare that of a stopped program with that when it was stopped."""
        used = self.usage.cpu_seconds()
        if self.stopped and used - self.rested > OUT_OF_TURN and not self.excess:
            self.excess = f"computed for {used - self.rested:.2f} s when it was not its turn"
        return used

    def halt(self) -> None:
        """Stop every process of the program."""
        if self.freeze is not None:
            os.write(self.freeze, b"1")
        else:
            self.signal(signal.SIGSTOP)
            stopped: set[int] = set()
            while not self.alone and not stopped.issuperset(running := set(self.everyone())):
                self.signal(signal.SIGSTOP)  # again: a process may have forked in the meantime
                stopped |= running
        self.stopped = True
        self.rested = self.usage.cpu_seconds()

    def proceed(self) -> None:
        """Continue every process of the program, if they are stopped."""
        if self.stopped:
            self.look_at_clock()
            self.stopped = False
            if self.freeze is not None:
                os.write(self.freeze, b"0")
            else:
                self.signal(signal.SIGCONT)

    def signal(self, number: int) -> None:
        """Send a signal to every process of the program."""
        if self.alone:
            send(-1, number)  # the kernel signals all of them in one step
        elif LINUX:
            for pid in self.everyone():
                send(pid, number)
        elif self.status is None:
            os.killpg(self.child, number)

    def everyone(self) -> Iterator[int]:
        """Return the processes of the program."""
        if self.alone:
            return (pid for pid in processes() if pid != os.getpid())
        return descendants(os.getpid())

    def drain(self) -> bool:
        """Read standard error and keep the end of it; return False if it is closed."""
        try:
            read = os.read(self.errors, 2**16)
        except BlockingIOError:
            return True
        self.error_output = (self.error_output + read)[-KEPT:]
        return bool(read)

    def ended(self) -> bool:
        """Return whether the program itself has ended; reap all processes that have."""
        while self.status is None:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == self.child:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def ends_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < until:
            self.wait(min(TICK, max(0.0, until - time.monotonic())))
        return self.ended()

    def report(self) -> dict[str, Any]:
        """Return how the program ended, the end of its standard error, and what the kernel kept."""
        kept = [
            (FROZEN, self.freeze is not None),
            (FILES, self.usage.settings["quota"]),
            (CALLS, filtered()),
        ]
        return {
            "excess": self.excess,
            "forced": self.forced,
            "status": self.status,
            "errors": self.error_output.decode(errors="replace"),
            "kept": [name for name, is_kept in kept if is_kept],
        }
