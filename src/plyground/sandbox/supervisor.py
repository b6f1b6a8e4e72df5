"""Watches over one program: starts it confined, ends it with all it started, says how it ended.

It is a program of its own, run by a bare interpreter: `supervisor.py SETTINGS PROGRAM ARGUMENT...`.
Its standard input and output are the program's. It outlives whoever started it just long enough to
clean up: when the pipe `control` closes, the program is to end. The last it does is to write one
JSON object to the pipe `report`.

Where the kernel lets everyone make namespaces, the program lives in some of its own: it sees no
other process, can signal none, and dies with the first of them. Elsewhere whatever it starts is
found by its parents, and becomes ours when they die.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

PROBE = "probe"
"""In place of settings: do nothing, but exit with 0 where namespaces can be made."""

LINUX = sys.platform == "linux"
SET_PDEATHSIG, SET_CHILD_SUBREAPER = 1, 36
NEW_IPC, NEW_USER, NEW_PID, NEW_NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
SIOCSIFFLAGS, INTERFACE_UP = 0x8914, 1
MEBIBYTE = 2**20

TICK = 0.1
"""Seconds between two looks at what the program uses; its folder is looked at every tenth time."""
FAREWELL = 0.3
"""Seconds to end by itself, once there is nothing more to read; then to end when told to."""
KEPT = 4096
"""How much of standard error is kept: the end of it."""
MANY_FILES = 2_000
OPEN_FILES = 256


def main() -> None:
    """Let a second process do the work, and clean up after it: the program may have ended it."""
    settings = json.loads(sys.argv[1])
    if settings == PROBE:
        sys.exit(not may_isolate())
    for pipe in (settings["control"], settings["report"]):
        os.set_inheritable(pipe, False)
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)  # the program may send them to us
    adopt_orphans()
    worker = os.fork()
    if worker == 0:
        die_with_parent()
        adopt_orphans()
        try:
            told = supervise(settings, sys.argv[2:])
        except OSError as error:  # such as too many namespaces
            told = {"excess": f"could not be confined: {error}", "forced": False, "said": ""}
        os.write(settings["report"], json.dumps(told).encode())
        os._exit(0)
    close_standard()
    os.close(settings["control"])
    os.waitpid(worker, 0)
    sweep()
    remove(settings["folder"])


def supervise(settings: dict[str, Any], command: list[str]) -> dict[str, Any]:
    """Start the program, watch it and end it; give the report."""
    ours, theirs = os.pipe()
    alone = settings["namespaces"]
    if alone:
        enter_namespaces(settings["network"])
    child = os.fork()
    if child == 0:
        die_with_parent()
        os.dup2(theirs, 2)
        if alone:
            keep_house()
        become(command, settings)
    os.close(theirs)
    close_standard()
    watch = Watch(child, ours, settings, alone)
    watch.run()
    return watch.told()


# Starting ---------------------------------------------------------------------------------------


def may_isolate() -> bool:
    """Say whether namespaces can be made here, by making them: some systems let it come halfway."""
    try:
        enter_namespaces(network=False)
        child = os.fork()
        if child == 0:
            os._exit(0)
        return os.waitpid(child, 0)[1] == 0
    except (OSError, AttributeError):  # not allowed, or not Linux
        return False


def enter_namespaces(network: bool) -> None:
    """Give our children processes of their own, and no network but a loopback of their own."""
    import fcntl  # not on Windows, where this file is imported, but never run

    user, group = os.getuid(), os.getgid()
    apart = NEW_USER | NEW_PID | NEW_IPC | (0 if network else NEW_NET)
    if ctypes.CDLL(None).unshare(apart) != 0:
        raise PermissionError("no namespaces")
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    if not network:
        with socket.socket() as any_socket:
            request = struct.pack("16sH14x", b"lo", INTERFACE_UP)
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


def adopt_orphans() -> None:
    """Become the parent of what our descendants leave behind."""
    if LINUX:
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def close_standard() -> None:
    """Let go of the program's pipes: they are to close when it closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)


def die_with_parent() -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def keep_house() -> None:
    """Be the first process of the namespace, which no other can end; the program is the second.

    Returns in the second only. With the first's end, which is when the second ends, all end.
    """
    child = os.fork()
    if child == 0:
        return
    os.closerange(0, OPEN_FILES)
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def become(command: list[str], settings: dict[str, Any]) -> None:
    """Turn into the program, confined."""
    import resource  # not on Windows, where this file is imported, but never run

    try:
        os.setsid()
        os.chdir(settings["folder"])
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        for limit, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, settings["cpu"]),
            (resource.RLIMIT_DATA, settings["memory"] * MEBIBYTE),
            (resource.RLIMIT_FSIZE, settings["disk"] * MEBIBYTE),
            (resource.RLIMIT_NOFILE, OPEN_FILES),
        ):
            _, allowed = resource.getrlimit(limit)
            bound = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
            resource.setrlimit(limit, (bound, bound))
        os.execvpe(command[0], command, settings["environment"])
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}".encode())
    finally:
        os._exit(127)


# Watching and ending ----------------------------------------------------------------------------


class Watch:
    """What is known of the program, from its start to its end."""

    def __init__(self, child: int, errors: int, settings: dict[str, Any], alone: bool) -> None:
        self.child, self.errors, self.settings, self.alone = child, errors, settings, alone
        self.excess = ""
        """Which limit was overstepped."""
        self.status: int | None = None
        self.told_to_end = self.forced = False
        self.said = b""
        self.poll = select.poll()

    def run(self) -> None:
        """Wait until the program ends, is to end, or takes too much; then end it."""
        awake, waker = os.pipe()
        for pipe in (awake, waker, self.errors):
            os.set_blocking(pipe, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for pipe in (awake, self.errors, self.settings["control"]):
            self.poll.register(pipe, select.POLLIN)
        looks, look = 0, time.monotonic() + TICK
        while not (self.ended() or self.told_to_end or self.excess):
            self.wait(max(0.0, look - time.monotonic()))
            if time.monotonic() >= look:
                self.excess = self.excessive_processes() or self.excessive_files(looks)
                looks, look = looks + 1, time.monotonic() + TICK
        if self.told_to_end and not self.ends_within(FAREWELL):
            self.forced = True
            for pid in tuple(descendants(os.getpid()))[self.alone :]:
                send(pid, signal.SIGTERM)
            self.ends_within(FAREWELL)
        if not LINUX and self.status is None:
            os.killpg(self.child, signal.SIGKILL)
        sweep()
        self.drain()

    def wait(self, seconds: float) -> None:
        """Wait for news, and take note of what the program writes to standard error."""
        for pipe, _ in self.poll.poll(seconds * 1000):
            if pipe == self.settings["control"]:
                self.told_to_end = True
                self.poll.unregister(pipe)
            elif pipe != self.errors:
                os.read(pipe, 512)
            elif not self.drain():
                self.poll.unregister(pipe)

    def drain(self) -> bool:
        """Read what a pipe holds of standard error, keep the end of it; False if it is closed."""
        try:
            read = os.read(self.errors, 2**16)
        except BlockingIOError:
            return True
        self.said = (self.said + read)[-KEPT:]
        return bool(read)

    def ended(self) -> bool:
        """Take note of who has ended; say whether the program itself has."""
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
            self.wait(max(0.0, until - time.monotonic()))
        return self.ended()

    def excessive_processes(self) -> str:
        """Say what the program and all it started take too much of, if they do."""
        most, memory = self.settings["processes"], 0
        threads = -1 if self.alone else 0
        for pid in descendants(os.getpid()):
            try:
                threads += len(os.listdir(f"/proc/{pid}/task"))
                with open(f"/proc/{pid}/statm") as file:
                    memory += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            except (OSError, IndexError):
                continue  # it has just ended
            if threads > most:
                return f"ran more than {most} processes and threads"
        if memory > self.settings["memory"] * MEBIBYTE:
            return f"used more than {self.settings['memory']} MiB of memory"
        return ""

    def excessive_files(self, looks: int) -> str:
        """Say whether the folder holds too much; looked at every tenth time."""
        if looks % 10 != 9:
            return ""
        size = count = 0
        folders = [self.settings["folder"]]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        count += 1
                        size += entry.stat(follow_symlinks=False).st_size
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        if count > MANY_FILES:
                            return f"wrote more than {MANY_FILES} files"
            except OSError:
                continue  # it has just gone, or may not be read
        if size > self.settings["disk"] * MEBIBYTE:
            return f"wrote more than {self.settings['disk']} MiB of files"
        return ""

    def told(self) -> dict[str, Any]:
        """Give the report."""
        said = self.said.decode(errors="replace")
        ending = {"excess": self.excess, "forced": self.forced, "status": self.status}
        return ending | {"said": said}


def descendants(pid: int) -> Iterator[int]:
    """Give the processes that a process started, and those that they started, parents first."""
    parents = [pid]
    while parents:
        with suppress(OSError):  # it has just ended
            children = list(children_of(parents.pop(0)))
            parents += children
            yield from children


def children_of(pid: int) -> Iterator[int]:
    """Give the children of all of a process's threads; some kernels know only their parents."""
    for task in os.listdir(f"/proc/{pid}/task"):
        if os.path.exists(f"/proc/{pid}/task/{task}/children"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                yield from map(int, file.read().split())
        elif int(task) == pid:
            yield from (other for other in everyone() if parent_of(other) == pid)


def everyone() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


def parent_of(pid: int) -> int:
    with suppress(OSError), open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])
    return 0


def sweep() -> None:
    """End all that is left, whatever it does about it."""
    while True:
        for pid in descendants(os.getpid()):
            send(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def remove(folder: str) -> None:
    """Remove a folder, whatever is in it: rm goes deeper than Python does."""
    if os.spawnv(os.P_WAIT, "/bin/rm", ["rm", "-rf", folder]) != 0:
        os.spawnv(os.P_WAIT, "/bin/chmod", ["chmod", "-R", "u+rwx", folder])
        os.spawnv(os.P_WAIT, "/bin/rm", ["rm", "-rf", folder])


if __name__ == "__main__":
    main()
