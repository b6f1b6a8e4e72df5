"""The outer process: starts the watching process confined, outlives it, and cleans up after it.

Starting an interpreter takes longer than all the rest together, so one server is started for many
programs: it waits for their folders and pipes, and forks an outer process for each.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from . import MEMORY, SETTINGS, bubblewrap, groups, namespaces
from .system import (
    adopt_orphans,
    close_standard_pipes,
    die_with_parent,
    remove,
    sweep,
)
from .watch import supervise


def serve(connection: socket.socket) -> None:
    """Start a supervisor for each folder received, until the connection is closed.

    With a folder come four pipes: the program's standard input and output, `control`, and `report`,
    to which one JSON object is written at the end: how the program ended.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    while True:
        folder, pipes, _, _ = socket.recv_fds(connection, 4096, 4)
        if not folder:
            return
        child = os.fork()
        if child == 0:
            connection.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            for standard in (0, 1):
                os.dup2(pipes[standard], standard)
                os.close(pipes[standard])
            with open(os.path.join(os.fsdecode(folder), SETTINGS)) as file:
                settings = json.load(file)
            outer(settings | {"control": pipes[2], "report": pipes[3]})
            os._exit(0)
        for pipe in pipes:
            os.close(pipe)
        connection.sendall(b"%d" % child)


def outer(settings: dict[str, Any]) -> None:
    """Start the watching process, wait for it, remove everything it left, and report."""
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)  # the program may send them to this process
    adopt_orphans()
    os.set_inheritable(settings["report"], False)
    channel, watcher_end = socket.socketpair()
    settings["channel"] = watcher_end.detach()
    socket.send_fds(channel, [b"."], [0, 1])
    close_standard_pipes()  # only the program itself is to keep them open
    error_output, errors = os.pipe()
    group = groups.make(settings)
    settings["group"] = groups.files_of_program(group, settings)
    worker = os.fork()
    if worker == 0:
        os.dup2(errors, 2)
        try:
            die_with_parent()
            groups.join(group)
            _work(settings)
        except OSError as error:
            os.write(2, str(error).encode())
        os._exit(1)
    os.close(settings["channel"])
    os.close(errors)
    os.close(settings["control"])
    os.waitpid(worker, 0)
    sweep()
    read = b""
    with suppress(ConnectionResetError):  # it ended before it took what was sent to it
        read = channel.recv(2**16)
    report = json.loads(read) if read else _not_confined(os.read(error_output, 2**12))
    report["excess"] = report["excess"] or groups.excess(group, settings)
    if groups.limit_memory(group):
        report["kept"].append(MEMORY)
    groups.remove(group)
    remove(settings["folder"])
    with suppress(BrokenPipeError):
        os.write(settings["report"], json.dumps(report).encode())


def _work(settings: dict[str, Any]) -> None:
    """Supervise the program from inside the namespaces that the settings require."""
    if settings["confined_by"] == "bubblewrap":
        for file in (settings["control"], settings["channel"], *settings["group"].values()):
            os.set_inheritable(file, True)
        words = [*bubblewrap.arguments(settings), sys.executable, *sys.orig_argv[1:6]]
        os.execve(words[0], [*words, json.dumps(settings)], {})
    if settings["confined_by"] == "namespaces":
        namespaces.enter(settings)
    supervise(settings)
    os._exit(0)


def inside(settings: dict[str, Any]) -> None:
    """Supervise the program from inside the namespaces that bubblewrap has made."""
    bubblewrap.limit_files_inside(settings)
    supervise(settings)


def _not_confined(error_output: bytes) -> dict[str, Any]:
    """Return the report of a program that did not start, with the last error of its supervisor."""
    lines = error_output.decode(errors="replace").strip().splitlines()
    reason = lines[-1] if lines else "it ended its supervisor"
    return {"excess": f"could not be confined: {reason}", "forced": False, "errors": "", "kept": []}
