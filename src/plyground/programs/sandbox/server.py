"""The server process, which starts the supervisors of all programs of this process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from plyground.errors import AgentError

PATIENCE = 30.0
"""Seconds after which a server or supervisor counts as dead; it needs a fraction of one."""

START = """
import json, socket, sys
sys.path.insert(0, sys.argv[1])
from supervisor.main import inside, serve
argument = json.loads(sys.argv[2])
inside(argument) if isinstance(argument, dict) else serve(socket.socket(fileno=argument))
"""
SUPERVISOR = (sys.executable, "-I", "-S", "-c", START, str(Path(__file__).parent))
"""The command of the server, to be followed by the number of its socket."""


class _Server:
    """The process that starts supervisors for this process, and ends with it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: socket.socket | None = None

    def start(self) -> socket.socket:
        """Start the process and return a connection to it."""
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [*SUPERVISOR, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env=libraries(),
            )
        ours.settimeout(PATIENCE)
        return ours


_server = _Server()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_server.__init__)  # type: ignore[misc]


def start_supervisor(folder: str, pipes: Sequence[int]) -> int:
    """Start a supervisor for a program's folder, with its pipes; return its process id."""
    with _server.lock:
        for _ in range(2):  # a second time if the server has ended
            connection = _server.connection or _server.start()
            _server.connection = None  # dropped unless it answers: after Ctrl-C it may be too late
            with suppress(OSError):
                socket.send_fds(connection, [os.fsencode(folder)], list(pipes))
                answer = connection.recv(32)
                if answer:
                    _server.connection = connection
                    return int(answer)
            connection.close()
    raise AgentError("failed", "its supervisor could not be started")


def libraries() -> dict[str, str]:
    """Return the variable for the path of shared libraries, if set: interpreters may need it."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
