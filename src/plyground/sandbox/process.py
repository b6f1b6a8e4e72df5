"""A program in a process of its own, spoken to in lines: nothing it does holds us up."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from plyground.errors import AgentFailed
from plyground.sandbox import supervisor

LONGEST_LINE = 2**16
"""How many bytes an answer may have."""

TOO_LONG = f"its answer is longer than {LONGEST_LINE} bytes"

PATIENCE = 30.0
"""Seconds after which a supervisor is thought to be dead; it needs a fraction of one."""


NOT_COPIED = ("__pycache__", "venv", "node_modules")
"""What is not copied for a program, nor is what is hidden: large, and not its own."""

MOST_FILES, MOST_BYTES = 1000, 64 * 2**20
"""What may be copied for a program, every time that it starts."""

SIGNALS = {each.value: each.name for each in signal.Signals}


SUPERVISOR = (sys.executable, "-I", "-S", supervisor.__file__)


@cache
def may_isolate() -> bool:
    """Say whether programs get namespaces of their own here."""
    tried = subprocess.run([*SUPERVISOR, json.dumps(supervisor.PROBE)], capture_output=True)
    return tried.returncode == 0


@dataclass(frozen=True)
class Confinement:
    """What a program may take, together with all that it starts."""

    memory: int
    """MiB, of one process as well as of all together."""
    processes: int
    """Processes and threads."""
    disk: int
    """MiB in its folder, and in any one file."""
    cpu: int
    """Seconds of computing, of one process."""
    network: bool


class Process:
    """A running program, its folder, and the two pipes to it."""

    def __init__(
        self, command: Sequence[str], confinement: Confinement, bring: Sequence[Path] = ()
    ) -> None:
        """Start a program; it gets copies of files and folders to where it starts."""
        self.folder = tempfile.mkdtemp(prefix="plyground-bot-")
        self._read = b""
        self._ending: str | None = None
        try:
            copy_all(bring, Path(self.folder))
            self._start(command, confinement)
        except BaseException:
            supervisor.remove(self.folder)
            raise

    def _start(self, command: Sequence[str], confinement: Confinement) -> None:
        theirs_in, self._input = os.pipe()
        self._output, theirs_out = os.pipe()
        control, self._control = os.pipe()
        self._report, report = os.pipe()
        settings = asdict(confinement) | {
            "control": control,
            "report": report,
            "folder": self.folder,
            "namespaces": may_isolate(),
            "environment": _environment(self.folder),
        }
        ours = (self._input, self._output, self._control, self._report)
        try:
            self._supervisor = subprocess.Popen(
                [*SUPERVISOR, json.dumps(settings), *command],
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=subprocess.DEVNULL,
                pass_fds=(control, report),
                start_new_session=True,
            )
        except BaseException:
            for pipe in ours:
                os.close(pipe)
            raise
        finally:
            for pipe in (theirs_in, theirs_out, control, report):
                os.close(pipe)
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)

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
        """Give the beginning of what it wrote without being asked; mostly nothing."""
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
        """End it and all it started, leave nothing behind; say in a line how it ended."""
        if self._ending is None:
            self._ending = ""
            for pipe in (self._input, self._output, self._control):
                os.close(pipe)
            report = self._await_report()
            os.close(self._report)
            self._ending = _spoken(report) if report else "it ended its supervisor"
            if os.path.lexists(self.folder):
                supervisor.remove(self.folder)
        return self._ending

    def _await_report(self) -> dict[str, Any]:
        report, until = b"", monotonic() + PATIENCE
        with suppress(AgentFailed):
            while True:
                self._wait(self._report, select.POLLIN, until)
                read = os.read(self._report, LONGEST_LINE)
                if not read:
                    break
                report += read
        self._supervisor.kill()
        self._supervisor.wait()
        return json.loads(report) if report else {}


def copy_all(paths: Sequence[Path], folder: Path) -> None:
    """Copy files and folders into a folder; links stay links, so that none leads astray."""
    count = size = 0
    for source, name in _files(paths):
        status = source.lstat()
        count, size = count + 1, size + status.st_size
        if count > MOST_FILES or size > MOST_BYTES:
            bound = f"{MOST_FILES} files or {MOST_BYTES >> 20} MiB"
            raise AgentFailed("failed", f"it comes with more than {bound}, too much to copy")
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name, follow_symlinks=False)


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Give the files at some paths and below, each with its name from there."""
    for path in paths:
        if path.is_symlink() or not path.is_dir():
            yield path, Path(path.name)
            continue
        for where, folders, files in os.walk(path):
            folders[:] = [each for each in folders if is_own(each)]
            for file in filter(is_own, files):
                source = Path(where, file)
                yield source, source.relative_to(path.parent)


def is_own(name: str) -> bool:
    """Say whether a file or folder of that name belongs to a program."""
    return name not in NOT_COPIED and not name.startswith(".")


def _environment(folder: str) -> dict[str, str]:
    """Give the little a program needs, none of it ours but where programs are found."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": folder,
        "TMPDIR": folder,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _spoken(report: dict[str, Any]) -> str:
    """Say in one printable line how a program ended, and what it said last."""
    if report["excess"]:
        how = f"it {report['excess']}"
    elif report["forced"]:
        how = "it closed its pipe and went on"
    else:
        status = report["status"]
        name = SIGNALS.get(-status if status < 0 else status - 128)  # as shells tell it
        how = f"it was ended by {name}" if name else f"it ended with status {status}"
    lines = report["said"].strip().splitlines()
    return f"{how}; it last said: {printable(lines[-1])}" if lines else how


def printable(text: str) -> str:
    """Give a stranger's text in a line that can be shown on any terminal and kept in any file."""
    line = " ".join(text[:1000].split())
    return "".join(letter if letter.isprintable() else "?" for letter in line)[:200]
