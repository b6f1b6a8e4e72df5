"""Control groups: limits that the kernel itself enforces, where this user may make a group.

They count memory that no process shows, such as that of messages between processes, and CPU time of
processes that nobody waited for; and they stop a program in one step, against all its signals.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import Any

from .usage import MEBIBYTE, TOO_MANY, TOO_MUCH

OWN_MEMORY = 32
"""MiB for the watching process, in addition to the program's."""

CONTROLLERS = ("memory", "pids")

PROGRAM = "program"
"""The group within a program's group that holds the program without its watching process."""
FILES = {"join": "cgroup.procs", "freeze": "cgroup.freeze", "times": "cpu.stat"}
"""What the watching process does with that group, by the file it needs for it."""


def make(settings: dict[str, Any]) -> list[str]:
    """Return the folders of new groups for the program; [] if that is not allowed.

    The limit on processes is generous: it only slows a fork bomb until `watch` detects it.
    """
    mebibytes = settings["memory"] + settings["disk"] + OWN_MEMORY  # its files may lie in memory
    memory = str(mebibytes * MEBIBYTE)
    limits = {
        "memory.max": memory,
        "memory.limit_in_bytes": memory,
        "pids.max": str(2 * settings["processes"] + 16),
    }
    groups = []
    for parent in _parents():
        group = f"{parent}/{os.path.basename(settings['folder'])}"
        with suppress(OSError):
            os.mkdir(group)
            groups.append(group)
            for name, bound in limits.items():
                if os.path.exists(f"{group}/{name}"):
                    _write(f"{group}/{name}", bound)
    return groups


def files_of_program(groups: list[str], settings: dict[str, Any]) -> dict[str, int]:
    """Return files of a group for the program alone, to be inherited; {} if there can be none."""
    if settings["confined_by"] == "nothing" and os.getuid() != 0:
        return {}  # the program could leave the group
    for group in groups:
        with suppress(OSError):
            if os.path.exists(f"{group}/{FILES['freeze']}"):  # version 2
                os.mkdir(f"{group}/{PROGRAM}")
                paths = {use: f"{group}/{PROGRAM}/{name}" for use, name in FILES.items()}
                flags = {use: os.O_RDONLY if use == "times" else os.O_WRONLY for use in FILES}
                return {use: os.open(path, flags[use]) for use, path in paths.items()}
    return {}


def limit_memory(groups: list[str]) -> bool:
    """Return whether one of the groups has a limit on memory."""
    names = ("memory.max", "memory.limit_in_bytes")
    return any(os.path.exists(f"{group}/{name}") for group in groups for name in names)


def join(groups: list[str]) -> None:
    """Put this process, and thereby all processes it will start, into groups."""
    for group in groups:
        _write(f"{group}/cgroup.procs", str(os.getpid()))


def excess(groups: list[str], settings: dict[str, Any]) -> str:
    """Return the limit that the kernel had to enforce, as in `Usage.excess`; "" if none."""
    for group in groups:
        if _counted(f"{group}/pids.events", "max"):
            return TOO_MANY.format(settings["processes"])
        if any(
            _counted(f"{group}/{name}", "oom_kill")
            for name in ("memory.events", "memory.oom_control")
        ):
            return TOO_MUCH.format(settings["memory"])
    return ""


def _counted(path: str, event: str) -> int:
    with suppress(OSError), open(path) as file:
        match = re.search(rf"^{event} (\d+)", file.read(), re.M)
        return int(match[1]) if match else 0
    return 0


def remove(groups: list[str]) -> None:
    """Remove groups, in which no process may run any more."""
    for group in groups:
        for path in (f"{group}/{PROGRAM}", group):
            with suppress(OSError):
                os.rmdir(path)


def _parents() -> list[str]:
    """Return this process's groups in which this user may make others, for what they limit."""
    parents = []
    with suppress(OSError):
        with open("/proc/self/cgroup") as file:
            own = [line.rstrip("\n").split(":", 2) for line in file]
        with open("/proc/self/mounts") as file:
            mounts = [line.split(" ") for line in file]
        for _, place, kind, options, *_ in mounts:
            for number, names, path in own:
                parent = place + path.rstrip("/")
                if kind == "cgroup2" and number == "0":
                    with suppress(OSError):  # not allowed for a group with processes of its own
                        _write(f"{parent}/cgroup.subtree_control", "+memory +pids")
                    parents.append(parent)
                elif kind == "cgroup" and names in CONTROLLERS and names in options.split(","):
                    parents.append(parent)
    return [
        parent
        for parent in parents
        if os.access(parent, os.W_OK) and os.access(f"{parent}/cgroup.procs", os.W_OK)
    ]


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
