"""A confined program in a process of its own, with which lines are exchanged without blocking."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from plyground.errors import AgentError, CannotPlayError, warn_once
from plyground.programs.sandbox.copies import copy_all, hand_over
from plyground.programs.sandbox.server import PATIENCE, SUPERVISOR, libraries, start_supervisor
from plyground.programs.sandbox.supervisor import CALLS, FILES, FROZEN, MEMORY, SETTINGS
from plyground.programs.sandbox.supervisor.system import CONFINED_BY, remove
from plyground.programs.sandbox.supervisor.watch import CONTINUE, CPU_TIME, STOP
from plyground.programs.sandbox.view import SYSTEM, is_open, links, visible
from plyground.text import one_line

LONGEST_LINE = 2**16
"""The most bytes of an answer."""

LONGEST_REASON = 200
"""How many characters of a program's own error message are kept."""

TOO_LONG = f"its answer is longer than {LONGEST_LINE} bytes"

SIGNALS = {number.value: number.name for number in signal.Signals}

HOME = "/bot"
"""The path at which a confined program sees its own folder."""


STRICT = "PLYGROUND_STRICT"
"""The environment variable that makes it an error if the limits of programs cannot be kept."""

NOT_KEPT = {
    FROZEN: "limits on the CPU time of processes that nobody waits for (needs control groups)",
    MEMORY: "limits on memory that no process shows (needs control groups)",
    FILES: "limits on files within a tenth of a second (needs mounts)",
    CALLS: "bots from locks, keys and leases (needs a filter of system calls)",
}
"""What a program can do where the kernel does not keep it from it."""


@cache
def kept(way: str) -> tuple[str, ...] | None:
    """Return what the kernel keeps (see NOT_KEPT) of programs confined in a way, which is tried.

    It is None if that way does not work on this machine.
    """
    if way == "bubblewrap" and shutil.which("bwrap") is None:
        return None
    program = Process(["true"], Confinement(64, 16, 16, 60, False), way=way)
    with suppress(AgentError):
        program.receive(monotonic() + PATIENCE)  # fails when the program has ended
    return program.kept if program.end() == "it ended with status 0" else None


@cache
def confined_by() -> str:
    """Return the first way of CONFINED_BY that works on this machine; the last always does."""
    return next((way for way in CONFINED_BY[:-1] if kept(way) is not None), CONFINED_BY[-1])


def require_confinement() -> None:
    """Warn of what cannot be kept on this machine; raise CannotPlayError if STRICT is set."""
    way = confined_by()
    missing = [text for name, text in NOT_KEPT.items() if name not in (kept(way) or ())]
    if way == CONFINED_BY[-1]:
        missing.insert(0, "bots from your files (needs bubblewrap or user namespaces)")
    if missing:
        why = f"not kept here: {'; '.join(missing)}"
        if os.environ.get(STRICT):
            raise CannotPlayError(f"{why} (--strict refuses to run them)")
        warn_once(why)


@dataclass(frozen=True)
class Confinement:
    """The limits of a program together with all processes that it starts."""

    memory: int
    """MiB of memory, of each process and of all together."""
    processes: int
    """Processes and threads."""
    disk: int
    """MiB of files, of each file and of all together."""
    cpu: int
    """Seconds of CPU time of one process."""
    network: bool


class Process:
    """A running program, its folder, and the pipes to it and to its supervisor."""

    def __init__(
        self,
        command: Sequence[str],
        confinement: Confinement,
        bring: Sequence[Path] = (),
        *,
        home: str = HOME,
        way: str = "",
    ) -> None:
        """Start a program; its folder, which it sees at `home`, has copies of the paths `bring`."""
        self.folder = tempfile.mkdtemp(prefix="plyground-bot-")
        self._read = b""
        self._computed = 0.0
        """The CPU seconds that were read last."""
        self._ending: str | None = None
        self.error_output = ""
        """The end of its standard error, once it has ended."""
        self.kept: tuple[str, ...] = ()
        """What the kernel kept, of NOT_KEPT, once it has ended."""
        try:
            self._start(command, confinement, bring, home, way or confined_by())
        except BaseException:
            remove(self.folder)
            raise

    def _start(
        self,
        command: Sequence[str],
        confinement: Confinement,
        bring: Sequence[Path],
        home: str,
        way: str,
    ) -> None:
        confined = way != CONFINED_BY[-1]
        places = {"home": home, "tmp": "/tmp", "shm": "/dev/shm"}  # noqa: S108 - inside, it is private
        writable = {f"{self.folder}/{name}": place for name, place in places.items()}
        for folder in writable:
            os.mkdir(folder)
        copy_all(bring, Path(self.folder, "home"))
        read_only = {path: path for path in visible([*command, *SUPERVISOR], confinement.network)}
        if os.getuid() == 0:
            read_only = self._open_to_all(read_only) if confined else read_only
            hand_over(self.folder)
        seen_home, seen_tmp, _ = writable.values() if confined else writable
        settings = asdict(confinement) | {
            "command": command,
            "confined_by": way,
            "bubblewrap": shutil.which("bwrap"),
            "folder": self.folder,
            "quota": False,
            "home": seen_home,
            "writable": writable,
            "counted": list(writable.values() if confined else writable),
            "read_only": read_only,
            "links": links(),
            "environment": _environment(seen_home, seen_tmp),
        }
        Path(self.folder, SETTINGS).write_text(json.dumps(settings))
        theirs_in, self._input = os.pipe()
        self._output, theirs_out = os.pipe()
        self._control, control = socket.socketpair()
        self._report, report = os.pipe()
        theirs = (theirs_in, theirs_out, control.fileno(), report)
        try:
            self._supervisor = start_supervisor(self.folder, theirs)
        except BaseException:
            self._control.close()
            for pipe in (self._input, self._output, self._report):
                os.close(pipe)
            raise
        finally:
            control.close()
            for pipe in (theirs_in, theirs_out, report):
                os.close(pipe)
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._control.settimeout(PATIENCE)

    def _open_to_all(self, read_only: dict[str, str]) -> dict[str, str]:
        """Return the paths with copies of those that only root can read.

        The program will not run as root, but must be able to read its own files.
        """
        readable = {}
        for number, path in enumerate(read_only):
            if path in SYSTEM or is_open(Path(path)):
                readable[path] = path
            else:
                copied = Path(self.folder, f"copy{number}")
                copied.mkdir()
                copy_all([Path(path)], copied)
                readable[str(copied / Path(path).name)] = path
        return readable

    def freeze(self) -> None:
        """Stop the program and all processes it started, until `thaw`."""
        self._request(STOP)

    def thaw(self) -> None:
        """Let the program continue."""
        self._request(CONTINUE)

    def cpu_seconds(self) -> float:
        """Return the CPU time that the program and all processes it started have used so far.

        Law: it never runs backwards, though the time of processes that end is known less exactly.
        """
        self._request(CPU_TIME)
        with suppress(OSError):
            answer = self._control.recv(64)
            if answer:
                self._computed = max(self._computed, float(answer))
                return self._computed
        raise AgentError("failed", self.end())

    def _request(self, request: bytes) -> None:
        """Send a request to the supervisor, which handles them in order."""
        with suppress(OSError):  # the program has ended; the next `receive` reports it
            self._control.sendall(request)

    def send(self, line: str, until: float) -> None:
        """Write a line to its standard input; raise AgentError if it is not read in time."""
        self._check_open()
        data = memoryview(line.encode() + b"\n")
        while data:
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                self._wait(self._input, select.POLLOUT, until)
            except BrokenPipeError:
                raise AgentError("failed", self.end()) from None

    def receive(self, until: float, heard: Callable[[], None] = lambda: None) -> str:
        """Return a line of its standard output; raise AgentError if there is none in time.

        `heard` is called whenever a part of a line was read that is not its end.
        """
        while b"\n" not in self._read:
            if len(self._read) > LONGEST_LINE:
                raise AgentError("failed", TOO_LONG)
            self._wait(self._output, select.POLLIN, until)
            if not self._take():
                raise AgentError("failed", self.end())
            if b"\n" not in self._read:
                heard()
        line, _, self._read = self._read.partition(b"\n")
        if len(line) > LONGEST_LINE:
            raise AgentError("failed", TOO_LONG)
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise AgentError("failed", f"its answer is not UTF-8: {line[:20]!r}") from None

    def unexpected_output(self) -> bytes:
        """Return the beginning of what the program wrote without being asked; usually b""."""
        with suppress(BlockingIOError):
            self._take()
        return self._read[:20]

    def _take(self) -> bool:
        """Read what is available; return False once the program has closed its output."""
        self._check_open()
        read = os.read(self._output, LONGEST_LINE)
        self._read += read
        return bool(read)

    def _wait(self, pipe: int, event: int, until: float) -> None:
        poll = select.poll()
        poll.register(pipe, event)
        if not poll.poll(max(0.0, until - monotonic()) * 1000):
            raise AgentError("late", "it took too long")

    def _check_open(self) -> None:
        if self._ending is not None:  # the pipes' numbers may belong to other files by now
            raise AgentError("failed", self._ending)

    def end(self) -> str:
        """End the program and all it started, remove its files, and return how it ended."""
        if self._ending is None:
            self._ending = ""
            self._control.close()
            for pipe in (self._input, self._output):
                os.close(pipe)
            report = self._await_report()
            os.close(self._report)
            self._ending = _described(report) if report else "it ended its supervisor"
            self.error_output = report.get("errors", "")
            self.kept = tuple(report.get("kept", ()))
            if os.path.lexists(self.folder):
                remove(self.folder)
        return self._ending

    def _await_report(self) -> dict[str, Any]:
        report, until = b"", monotonic() + PATIENCE
        try:
            while True:
                self._wait(self._report, select.POLLIN, until)
                read = os.read(self._report, LONGEST_LINE)
                if not read:
                    break
                report += read
        except AgentError:  # the supervisor hangs: none of its work takes so long
            os.kill(self._supervisor, signal.SIGKILL)
        return json.loads(report) if report else {}


def _environment(home: str, temporary: str) -> dict[str, str]:
    """Return a minimal environment, of which only the search paths are taken from ours."""
    return libraries() | {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _described(report: dict[str, Any]) -> str:
    """Return one printable line: how a program ended, and its last line of standard error."""
    if report["excess"]:
        how = f"it {report['excess']}"
    elif report["forced"]:
        how = "it closed its pipe and did not end"
    else:
        status = report["status"]
        name = SIGNALS.get(-status if status < 0 else status - 128)  # 128 + signal, as in shells
        how = f"it was ended by {name}" if name else f"it ended with status {status}"
    lines = report["errors"].strip().splitlines()
    return f"{how}; its last error line: {one_line(lines[-1], LONGEST_REASON)}" if lines else how
