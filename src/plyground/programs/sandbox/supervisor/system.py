"""System calls that Python does not offer, and information from /proc."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

LINUX = sys.platform == "linux"
CONFINED_BY = ("namespaces", "bubblewrap", "nothing")
"""How a program can be confined, in order of preference: by this package's own system calls, which
take half the time, by bubblewrap, where the system allows only it to, or not at all."""
NOBODY = 65534
"""The user and group that programs run as if their supervisor is root."""

NEW_MOUNTS, NEW_IPC, NEW_USER = 0x00020000, 0x08000000, 0x10000000
NEW_PROCESSES, NEW_NETWORK = 0x20000000, 0x40000000

SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, DROP_BOUND = 1, 4, 24
SET_CHILD_SUBREAPER, SET_NO_NEW_PRIVILEGES = 36, 38
AMBIENT, AMBIENT_CLEAR_ALL = 47, 4
CAPABILITIES, CAPABILITY_VERSION = 64, 0x20080522


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library and return its result; raise OSError if it fails."""
    result: int = getattr(_library(), name)(*arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans."""
    if LINUX:
        call("prctl", SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends."""
    if LINUX:
        call("prctl", SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)


def hide_memory() -> None:
    """Keep other processes of this user from reading or changing this one's memory and files."""
    if LINUX:
        call("prctl", SET_DUMPABLE, 0, 0, 0, 0)


def show_memory() -> None:
    """Undo `hide_memory`; this also makes this user the owner of the process's files in /proc."""
    call("prctl", SET_DUMPABLE, 1, 0, 0, 0)


def give_up_privileges() -> None:
    """Drop every capability, of this process and of programs it starts later."""
    if LINUX:
        call("prctl", SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        call("prctl", AMBIENT, AMBIENT_CLEAR_ALL, 0, 0, 0)
        for capability in range(CAPABILITIES):
            with suppress(OSError):  # the kernel does not know it, or it was dropped already
                call("prctl", DROP_BOUND, capability, 0, 0, 0)
        call("capset", struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))


def become_nobody() -> None:
    """Change from root to the user nobody."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    show_memory()  # otherwise the process's files in /proc still belong to root


def enter_user_namespace(flags: int = 0) -> None:
    """Enter a new user namespace, and those in `flags`, in which this process keeps its user."""
    user, group = os.getuid(), os.getgid()
    call("unshare", NEW_USER | flags)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)


def processes() -> Iterator[int]:
    """Return the ids of all processes that /proc shows."""
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


def descendants(pid: int) -> Iterator[int]:
    """Yield the descendants of a process, parents before children."""
    parents = [pid]
    while parents:
        with suppress(OSError):  # the process has just ended
            children = list(_children(parents.pop(0)))
            parents += children
            yield from children


def _children(pid: int) -> Iterator[int]:
    """Yield the children of all threads of a process."""
    for task in os.listdir(f"/proc/{pid}/task"):
        if os.path.exists(f"/proc/{pid}/task/{task}/children"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                yield from map(int, file.read().split())
        elif int(task) == pid:  # this kernel lists parents only
            yield from (other for other in processes() if _parent(other) == pid)


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(status_fields(pid)[1])
    return 0


def status_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on: state, parent, ..."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def send(pid: int, number: int) -> None:
    """Send a signal to a process, which may have ended already."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def sweep() -> None:
    """Kill all descendants of this process, until none is left."""
    while True:
        for pid in descendants(os.getpid()):
            send(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def close_standard_pipes() -> None:
    """Replace standard input and output by /dev/null.

    Otherwise the program's pipes would stay open in this process after the program closed them.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)


def remove(folder: str) -> None:
    """Remove a folder with all its contents; rm handles deeper trees than Python does."""
    if os.spawnv(os.P_WAIT, "/bin/rm", ["rm", "-rf", folder]) != 0:
        os.spawnv(os.P_WAIT, "/bin/chmod", ["chmod", "-R", "u+rwx", folder])
        os.spawnv(os.P_WAIT, "/bin/rm", ["rm", "-rf", folder])
