"""The outer process: starts the watching one confined, outlives it, and cleans up after it.

Standard input and output are the program's. Its last act is to write one JSON object, how the
program ended, to the pipe `report`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from . import bubblewrap, groups, namespaces
from .system import adopt_orphans, die_with_parent, let_go_of_pipes, remove, sweep
from .watch import supervise


def main(settings: dict[str, Any], command: list[str]) -> None:
    """Start the watching process, wait for it, remove everything it left, and report."""
    if settings.get("inside"):
        supervise(settings, command)
        os._exit(0)
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)  # the program may send them to us
    adopt_orphans()
    os.set_inheritable(settings["report"], False)
    told, theirs = socket.socketpair()
    settings["told"] = theirs.detach()
    socket.send_fds(told, [b"."], [0, 1])
    let_go_of_pipes()  # whatever stands between is not to keep the program's pipes open
    said, errors = os.pipe()
    group = groups.make(settings)
    worker = os.fork()
    if worker == 0:
        os.dup2(errors, 2)
        try:
            die_with_parent()
            groups.join(group)
            _work(settings, command)
        except OSError as error:
            os.write(2, str(error).encode())
        os._exit(1)
    os.close(settings["told"])
    os.close(errors)
    os.close(settings["control"])
    os.waitpid(worker, 0)
    sweep()
    read = told.recv(2**16)
    report = json.loads(read) if read else _not_confined(os.read(said, 2**12))
    report["excess"] = report["excess"] or groups.excess(group, settings)
    groups.remove(group)
    remove(settings["folder"])
    with suppress(BrokenPipeError):
        os.write(settings["report"], json.dumps(report).encode())


def _work(settings: dict[str, Any], command: list[str]) -> None:
    """Watch over the program from inside the namespaces that the settings ask for."""
    if settings["confined_by"] == "bubblewrap":
        for pipe in (settings["control"], settings["told"]):
            os.set_inheritable(pipe, True)
        words = [*bubblewrap.arguments(settings), sys.executable, *sys.orig_argv[1:6]]
        os.execve(words[0], [*words, json.dumps(settings | {"inside": True}), *command], {})
    if settings["confined_by"] == "namespaces":
        namespaces.enter(settings)
    supervise(settings, command)
    os._exit(0)


def _not_confined(said: bytes) -> dict[str, Any]:
    lines = said.decode(errors="replace").strip().splitlines() or ["it ended its supervisor"]
    return {"excess": f"could not be confined: {lines[-1]}", "forced": False, "said": ""}
