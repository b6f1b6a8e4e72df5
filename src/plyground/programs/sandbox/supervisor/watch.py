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

from .program import become, settle
from .system import LINUX, adopt_orphans, descendants, processes, send, sweep
from .usage import Usage

TICK = 0.1
"""Seconds between two looks at what the program uses; its files are looked at every tenth time."""
FAREWELL = 0.3
"""Seconds to end by itself once there is nothing more to read; then, to end when told to."""
KEPT = 4096
"""How much of standard error is kept: the end of it."""

STOP, CONTINUE, CPU_TIME = b"s", b"c", b"u"
"""What can be asked over `control`; only the last is answered."""


def supervise(settings: dict[str, Any]) -> None:
    """Start the program, watch it, end it and all it started; write the report to `told`."""
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    for pipe in (settings["control"], settings["told"]):
        os.set_inheritable(pipe, False)
    settle(settings)
    adopt_orphans()
    told = socket.socket(fileno=settings["told"])
    _, pipes, _, _ = socket.recv_fds(told, 1, 2)
    for pipe in pipes:
        os.set_inheritable(pipe, False)
    errors, theirs = os.pipe()
    pipes.append(theirs)
    child = os.fork()
    if child == 0:
        become(settings, pipes)
    for pipe in pipes:
        os.close(pipe)
    watch = Watch(child, errors, settings)
    watch.run()
    told.sendall(json.dumps(watch.report()).encode())


class Watch:
    """What is known of the program, from its start to its end."""

    def __init__(self, child: int, errors: int, settings: dict[str, Any]) -> None:
        self.child, self.errors, self.control = child, errors, settings["control"]
        self.alone = settings["confined_by"] != "nothing"
        """Whether this is process 1 of a namespace, in which all others are the program's."""
        self.usage = Usage(settings, self.everyone)
        self.excess = ""
        """Which limit was overstepped."""
        self.status: int | None = None
        self.told_to_end = self.forced = self.stopped = False
        self.said = b""
        self.poll = select.poll()

    def run(self) -> None:
        """Wait until the program ends, is to end, or takes too much; then end it."""
        for pipe in (self.errors, self.control):
            os.set_blocking(pipe, False)
            self.poll.register(pipe, select.POLLIN)
        if hasattr(os, "pidfd_open"):
            self.poll.register(os.pidfd_open(self.child), select.POLLIN)
        look = time.monotonic() + TICK
        while not (self.ended() or self.told_to_end or self.excess):
            self.wait(max(0.0, look - time.monotonic()))
            if time.monotonic() >= look:
                if not self.stopped:
                    self.excess = self.usage.excess()
                look = time.monotonic() + TICK
        self.proceed()
        if self.told_to_end and not self.ends_within(FAREWELL):
            self.forced = True
            self.signal(signal.SIGTERM)
            self.ends_within(FAREWELL)
        self.signal(signal.SIGKILL)
        sweep()
        self.drain()

    def wait(self, seconds: float) -> None:
        """Wait for news: a request, the end of the program, or a line on standard error."""
        for pipe, _ in self.poll.poll(seconds * 1000):
            if pipe == self.control:
                self.obey()
            elif pipe == self.errors and not self.drain():
                self.poll.unregister(pipe)

    def obey(self) -> None:
        """Do what is asked over `control`; its end means that the program is to end."""
        request = os.read(self.control, 1)
        if request == STOP:
            self.halt()
        elif request == CONTINUE:
            self.proceed()
        elif request == CPU_TIME:
            os.write(self.control, f"{self.usage.cpu_seconds():.6f}\n".encode())
        else:
            self.told_to_end = True
            self.poll.unregister(self.control)

    def halt(self) -> None:
        """Stop every process of the program."""
        self.stopped = True
        self.signal(signal.SIGSTOP)
        stopped: set[int] = set()
        while not self.alone and not stopped.issuperset(found := set(self.everyone())):
            self.signal(signal.SIGSTOP)  # again, as one may have been forking
            stopped |= found

    def proceed(self) -> None:
        """Let every process of the program go on."""
        if self.stopped:
            self.stopped = False
            self.signal(signal.SIGCONT)

    def signal(self, number: int) -> None:
        """Send a signal to every process of the program; the kernel does that in one step."""
        if self.alone:
            send(-1, number)
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
        """Read standard error and keep the end of it; False if it is closed."""
        try:
            read = os.read(self.errors, 2**16)
        except BlockingIOError:
            return True
        self.said = (self.said + read)[-KEPT:]
        return bool(read)

    def ended(self) -> bool:
        """Whether the program itself has ended; takes note of all that have."""
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
        """Return how the program ended, and what it said last."""
        said = self.said.decode(errors="replace")
        ending = {"excess": self.excess, "forced": self.forced, "status": self.status}
        return ending | {"said": said}
