"""Dropping privileges inside the namespaces, and executing the program."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any

from .system import (
    LINUX,
    become_nobody,
    call,
    die_with_parent,
    enter_user_namespace,
    give_up_privileges,
    hide_memory,
    show_memory,
)
from .system_calls import filtered, leave_keyring, refuse
from .usage import MEBIBYTE

OPEN_FILES = 256
BIND, REMOUNT = 0x1000, 0x20


def settle(settings: dict[str, Any]) -> None:
    """Drop root; keep the program from accessing this process and from making namespaces."""
    if settings["confined_by"] != "nothing":
        if os.getuid() == 0:
            with suppress(OSError):  # bubblewrap mounts it read-only, and only root may undo that
                call("mount", b"none", b"/proc/sys", b"", BIND | REMOUNT, b"")
            become_nobody()
            enter_user_namespace()
        # In its own user namespace a program could mount file systems in uncounted memory.
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
    hide_memory()
    die_with_parent()


def become(settings: dict[str, Any], pipes: list[int]) -> None:
    """Execute the program in this process, with limits and standard pipes; never returns."""
    import resource  # Windows does not have it, but imports this file without running it

    command = settings["command"]
    try:
        for standard, pipe in enumerate(pipes):
            os.dup2(pipe, standard)
        die_with_parent()
        if settings["group"]:
            os.write(settings["group"]["join"], b"0")  # the process that writes it
        os.setsid()
        if os.getuid() == 0:
            become_nobody()
        os.chdir(settings["home"])
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        for limit, value in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, settings["cpu"]),
            (resource.RLIMIT_DATA, settings["memory"] * MEBIBYTE),
            (resource.RLIMIT_FSIZE, settings["disk"] * MEBIBYTE),
            (resource.RLIMIT_NOFILE, OPEN_FILES),
        ):
            _, allowed = resource.getrlimit(limit)
            bound = value if allowed == resource.RLIM_INFINITY else min(value, allowed)
            resource.setrlimit(limit, (bound, bound))
        if LINUX:
            show_memory()
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")  # when memory runs out, it is killed before its supervisor
        give_up_privileges()
        leave_keyring()
        if filtered():
            refuse()
        os.execvpe(command[0], command, settings["environment"])
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}".encode())
    finally:
        os._exit(127)
