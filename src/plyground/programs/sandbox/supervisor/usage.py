"""Measures what a program and its descendants use: processes, memory, files and CPU time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from .system import LINUX, status_fields

MEBIBYTE = 2**20
TOO_MANY = "ran more than {} processes and threads"
TOO_MUCH = "used more than {} MiB of memory"
MANY_FILES = 2_000
BLOCK = 512
SHARED_MEMORY_RESIDENT = 14
"""The column of /proc/sysvipc/shm with the resident bytes."""
CHILDREN_USER, CHILDREN_SYSTEM = 13, 14
"""Fields of /proc/PID/stat, counted from the third."""

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
ROUNDED = 2
"""By so many ticks the times of processes that were waited for may be less than they computed."""


class Usage:
    """Compares what a program uses with its limits."""

    def __init__(self, settings: dict[str, Any], everyone: Callable[[], Iterator[int]]) -> None:
        """Take the limits, and a function that returns the program's processes."""
        self.settings, self.everyone = settings, everyone
        self.group = settings["group"].get("times")
        """The file in which the kernel sums the program's CPU time, if it has a control group."""
        self.running: dict[int, float] = {}
        """The CPU time of each process when it was last read."""
        self.waited = self.lost = self.used = 0.0
        """The CPU time of processes that ended and were waited for, and were not; of all."""

    def excess(self, meanwhile: Callable[[], None]) -> str:
        """Return the limit that is exceeded, as words to follow "it"; "" if none is.

        `meanwhile` is called between processes, of which there may be many.
        """
        if not LINUX:
            return ""
        limits = self.settings
        threads = memory = 0
        deleted: dict[tuple[int, int], tuple[int, bool]] = {}
        for pid in self.everyone():
            meanwhile()
            with suppress(OSError, IndexError):  # the process has just ended
                threads += len(os.listdir(f"/proc/{pid}/task"))
                with open(f"/proc/{pid}/statm") as file:
                    memory += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                deleted.update(_deleted_files(pid))
            if threads > limits["processes"]:
                return TOO_MANY.format(limits["processes"])
        memory += sum(size for size, in_memory in deleted.values() if in_memory)
        memory += _shared_segments() if limits["confined_by"] != "nothing" else 0
        if memory > limits["memory"] * MEBIBYTE:
            return TOO_MUCH.format(limits["memory"])
        if limits["quota"]:
            return ""
        return self._excessive_files(
            sum(size for size, in_memory in deleted.values() if not in_memory)
        )

    def _excessive_files(self, size: int) -> str:
        count = 0
        folders = list(self.settings["counted"])
        shown = set(self.settings["read_only"].values())  # not the program's, even below /tmp
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        if entry.path in shown:
                            continue
                        count += 1
                        size += entry.stat(follow_symlinks=False).st_size
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        if count > MANY_FILES:
                            return f"wrote more than {MANY_FILES} files"
            except OSError:
                continue  # it was just removed, or may not be read
        if size > self.settings["disk"] * MEBIBYTE:
            return f"wrote more than {self.settings['disk']} MiB of files"
        return ""

    def cpu_seconds(self) -> float:
        """Return the CPU time of the program and its descendants, including those that ended.

        Without a control group, processes that nobody waits for are lost if they end between two
        calls, so that it should be called often.
        """
        if self.group is not None:
            _, microseconds, _ = os.pread(self.group, 64, 0).split(maxsplit=2)  # usage_usec 1234
            return int(microseconds) / 1e6
        running, waited, consistent = self._times()
        if consistent:
            gone = sum(used for pid, used in self.running.items() if running.get(pid, 0.0) < used)
            self.lost += max(0.0, gone - (waited - self.waited) - ROUNDED / TICKS)
            self.running, self.waited = running, waited
        self.used = max(self.used, sum(running.values()) + waited + self.lost)
        return self.used

    def _times(self) -> tuple[dict[int, float], float, bool]:
        """Return the CPU time of each process, of those waited for, and whether none ended since.

        The time of one that ended in between may be among the second already.
        """
        running = {}
        for pid in self.everyone():
            with suppress(OSError):
                running[pid] = time.clock_gettime((~pid << 3) | 2)  # the CPU clock of that process
        ended = os.times()
        waited = ended.children_user + ended.children_system
        for pid in running:
            with suppress(OSError, IndexError):
                fields = status_fields(pid)
                waited += (int(fields[CHILDREN_USER]) + int(fields[CHILDREN_SYSTEM])) / TICKS
        left = set(self.everyone())
        still = {pid: used for pid, used in running.items() if pid in left}
        return still, waited, len(still) == len(running)


def _deleted_files(pid: int) -> Iterator[tuple[tuple[int, int], tuple[int, bool]]]:
    """Yield the deleted files that a process holds open: identity, bytes, whether in memory."""
    for number in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{number}"
        with suppress(OSError):
            target = os.readlink(path)
            if target.endswith(" (deleted)"):
                status = os.stat(path)
                identity = status.st_dev, status.st_ino
                yield identity, (status.st_blocks * BLOCK, target.startswith("/memfd:"))


def _shared_segments() -> int:
    """Return the bytes of System V shared memory in this namespace."""
    try:
        with open("/proc/sysvipc/shm") as file:
            return sum(int(line.split()[SHARED_MEMORY_RESIDENT]) for line in file.readlines()[1:])
    except (OSError, IndexError, ValueError):
        return 0
