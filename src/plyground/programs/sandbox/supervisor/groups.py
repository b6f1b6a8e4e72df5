"""Control groups: limits that the kernel itself enforces, where this user may make a group.

They count memory that no process shows, such as that of messages between processes.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import Any

from .usage import MEBIBYTE, TOO_MANY, TOO_MUCH

OWN_MEMORY = 32
"""MiB for the watching process, in addition to the program's."""


def make(settings: dict[str, Any]) -> list[str]:
    """Return the folders of new groups with the program's limits; [] if that is not allowed.

    The limit on processes is generous: it only slows a fork bomb until `watch` detects it.
    """
    memory = str((settings["memory"] + OWN_MEMORY) * MEBIBYTE)
    processes = str(2 * settings["processes"] + 16)
    limits = {
        "memory": (("memory.max", memory), ("memory.limit_in_bytes", memory)),
        "pids": (("pids.max", processes),),
    }
    has_limit: dict[str, bool] = {}
    for controller, parent in _parents(tuple(limits)).items():
        group = f"{parent}/{os.path.basename(settings['folder'])}"
        with suppress(OSError):
            if not os.path.isdir(group):
                os.mkdir(group)
                has_limit[group] = False
            for name, bound in limits[controller]:
                if os.path.exists(f"{group}/{name}"):
                    _write(f"{group}/{name}", bound)
                    has_limit[group] = True
    for group, limited in has_limit.items():
        if not limited:
            os.rmdir(group)
    return [group for group, limited in has_limit.items() if limited]


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
        with suppress(OSError):
            os.rmdir(group)


def _parents(controllers: tuple[str, ...]) -> dict[str, str]:
    """Return the group of this process for each controller, if this user may write to it."""
    parents: dict[str, str] = {}
    with suppress(OSError):
        with open("/proc/self/cgroup") as file:
            own = [line.rstrip("\n").split(":", 2) for line in file]
        with open("/proc/self/mounts") as file:
            mounts = [line.split(" ") for line in file]
        for _, place, kind, options, *_ in mounts:
            for number, names, path in own:
                if kind == "cgroup2" and number == "0":
                    parent = place + path.rstrip("/")
                    with suppress(OSError):  # not allowed for a group with processes of its own
                        _write(f"{parent}/cgroup.subtree_control", "+memory +pids")
                    with suppress(OSError), open(f"{parent}/cgroup.subtree_control") as file:
                        shared = file.read().split()
                        parents |= {name: parent for name in controllers if name in shared}
                elif kind == "cgroup" and names in controllers and names in options.split(","):
                    parents[names] = place + path.rstrip("/")
    return {name: parent for name, parent in parents.items() if os.access(parent, os.W_OK)}


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
