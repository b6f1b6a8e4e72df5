"""A program in a process of its own, spoken to in lines: nothing it does holds us up."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from plyground.errors import AgentFailed, CannotPlay, one_line, warn_once
from plyground.programs.sandbox.copies import copy_all, hand_over
from plyground.programs.sandbox.server import PATIENCE, SUPERVISOR, libraries, start_supervisor
from plyground.programs.sandbox.supervisor import SETTINGS
from plyground.programs.sandbox.supervisor.system import CONFINED_BY, remove
from plyground.programs.sandbox.supervisor.watch import CONTINUE, CPU_TIME, STOP
from plyground.programs.sandbox.view import SYSTEM, is_open, links, visible

LONGEST_LINE = 2**16
"""How many bytes an answer may have."""

LONGEST_SAYING = 200
"""How many letters of what a program says of itself are kept as a reason."""

TOO_LONG = f"its answer is longer than {LONGEST_LINE} bytes"

SIGNALS = {each.value: each.name for each in signal.Signals}

HOME = "/bot"
"""Where a confined program finds its own folder."""


@cache
def confined_by() -> str:
    """Return the best way to confine programs on this machine, by trying: one of CONFINED_BY."""
    for way in CONFINED_BY[:-1]:
        if way == "bubblewrap" and shutil.which("bwrap") is None:
            continue
        program = Process(["true"], Confinement(64, 16, 16, 60, False), way=way)
        with suppress(AgentFailed):
            program.receive(monotonic() + PATIENCE)  # there is none: it fails once it has ended
        if program.end() == "it ended with status 0":
            return way
    return CONFINED_BY[-1]


STRICT = "PLYGROUND_STRICT"
"""The environment variable that makes programs which cannot be confined an error."""


def require_confinement() -> None:
    """Warn that programs are not confined where they cannot be; an error if STRICT is set."""
    if confined_by() != CONFINED_BY[-1]:
        return
    why = "programs cannot be confined here: neither bubblewrap nor user namespaces work"
    if os.environ.get(STRICT):
        raise CannotPlay(f"{why} (--strict refuses to run them)")
    warn_once(f"{why}; they can read your files and disturb each other")


@dataclass(frozen=True)
class Confinement:
    """What a program may take, together with all that it starts."""

    memory: int
    """MiB, of one process as well as of all together."""
    processes: int
    """Processes and threads."""
    disk: int
    """MiB of files, in all and in any one of them."""
    cpu: int
    """Seconds of computing, of one process."""
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
        """Start a program in a folder with copies of files and folders, which it sees as `home`."""
        self.folder = tempfile.mkdtemp(prefix="plyground-bot-")
        self._read = b""
        self._ending: str | None = None
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
        """Copy what only root can read: the program is not to be root, yet to see its own files."""
        seen = {}
        for number, path in enumerate(read_only):
            if path in SYSTEM or is_open(Path(path)):
                seen[path] = path
            else:
                copied = Path(self.folder, f"copy{number}")
                copied.mkdir()
                copy_all([Path(path)], copied)
                seen[str(copied / Path(path).name)] = path
        return seen

    def freeze(self) -> None:
        """Stop the program and all it started; it computes nothing until `thaw`."""
        self._tell(STOP)

    def thaw(self) -> None:
        """Let the program go on."""
        self._tell(CONTINUE)

    def cpu_seconds(self) -> float:
        """Return the CPU time that the program and all it started have used so far."""
        self._tell(CPU_TIME)
        with suppress(OSError):
            answer = self._control.recv(64)
            if answer:
                return float(answer)
        raise AgentFailed("failed", self.end())

    def _tell(self, request: bytes) -> None:
        """Send a request to the supervisor, which does one after the other."""
        with suppress(OSError):  # it has ended, as the next answer of the program will show
            self._control.sendall(request)

    def send(self, line: str, until: float) -> None:
        """Write a line to its standard input; fail if it does not take it by then."""
        self._check_open()
        data = memoryview(line.encode() + b"\n")
        while data:
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                self._wait(self._input, select.POLLOUT, until)
            except BrokenPipeError:
                raise AgentFailed("failed", self.end()) from None

    def receive(self, until: float) -> str:
        """Read a line of its standard output; fail if there is none by then."""
        while b"\n" not in self._read:
            if len(self._read) > LONGEST_LINE:
                raise AgentFailed("failed", TOO_LONG)
            self._wait(self._output, select.POLLIN, until)
            if not self._take():
                raise AgentFailed("failed", self.end())
        line, _, self._read = self._read.partition(b"\n")
        if len(line) > LONGEST_LINE:
            raise AgentFailed("failed", TOO_LONG)
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise AgentFailed("failed", f"its answer is not UTF-8: {line[:20]!r}") from None

    def unasked(self) -> bytes:
        """Return the beginning of what it wrote without being asked; mostly nothing."""
        with suppress(BlockingIOError):
            self._take()
        return self._read[:20]

    def _take(self) -> bool:
        """Read what there is; False once there will never be more."""
        self._check_open()
        read = os.read(self._output, LONGEST_LINE)
        self._read += read
        return bool(read)

    def _wait(self, pipe: int, event: int, until: float) -> None:
        poll = select.poll()
        poll.register(pipe, event)
        if not poll.poll(max(0.0, until - monotonic()) * 1000):
            raise AgentFailed("late", "it took too long")

    def _check_open(self) -> None:
        if self._ending is not None:  # the pipes' numbers may be another's by now
            raise AgentFailed("failed", self._ending)

    def end(self) -> str:
        """End it and all it started, leave nothing behind; return in one line how it ended."""
        if self._ending is None:
            self._ending = ""
            self._control.close()
            for pipe in (self._input, self._output):
                os.close(pipe)
            report = self._await_report()
            os.close(self._report)
            self._ending = _spoken(report) if report else "it ended its supervisor"
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
        except AgentFailed:  # it hangs: nothing that it does takes so long
            os.kill(self._supervisor, signal.SIGKILL)
        return json.loads(report) if report else {}


def _environment(home: str, temporary: str) -> dict[str, str]:
    """Return the little a program needs, none of it ours but where programs are found."""
    return libraries() | {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _spoken(report: dict[str, Any]) -> str:
    """Return in one printable line how a program ended, and what it said last."""
    if report["excess"]:
        how = f"it {report['excess']}"
    elif report["forced"]:
        how = "it closed its pipe and went on"
    else:
        status = report["status"]
        name = SIGNALS.get(-status if status < 0 else status - 128)  # as shells tell it
        how = f"it was ended by {name}" if name else f"it ended with status {status}"
    lines = report["said"].strip().splitlines()
    return f"{how}; it last said: {one_line(lines[-1], LONGEST_SAYING)}" if lines else how
