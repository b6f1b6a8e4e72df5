"""The kernels of games in files, run in processes of their own: a crash ends no site.

A game of a file that was named at the start may index memory wrongly, or never end. Its positions
are made in this process, but what their kernels compute comes from a child process. One that dies
or does not answer is replaced, and whoever asked is told why.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

import numpy as np

from plyground.errors import GameError, PlygroundError
from plyground.game import Game
from plyground.game.position import LOOPS
from plyground.games import load_game
from plyground.processes import follow_parent
from plyground.text import one_line
from plyground.web.catalogue import Catalogue

SECONDS = 2.0
"""Seconds for a call, which takes microseconds where the rules end."""

STARTING = 300.0
"""Seconds for the first call of a process, which loads or compiles the kernels."""

LONGEST = 2**24
"""Bytes of an answer at most."""

MEMORY = 4 * 2**30
"""Bytes that the rules may allocate."""


class RulesError(GameError):
    """The rules of a file crashed, or did not end."""


@contextmanager
def rules_apart(catalogue: Catalogue) -> Iterator[None]:
    """Let the kernels of the catalogue's games in files run in processes of their own."""
    processes = []
    try:
        for kind in catalogue.from_files:
            kind.runner = RulesProcess(kind)
            processes.append(kind.runner)
        yield
    finally:
        for kind in catalogue.from_files:
            kind.runner = None
        for process in processes:
            process.close()


class RulesProcess:
    """A child process that runs the kernels of one file's games, begun with the first call."""

    def __init__(self, kind: type[Game]) -> None:
        self.kind = kind
        preferred = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        self._context: Any = get_context(preferred)
        self._process: Any = None
        self._pipe: Connection
        self._seconds = STARTING
        self._lock = Lock()

    def run(self, game: Game, name: str, arguments: tuple[Any, ...]) -> int:
        """Call one of LOOPS in the child, and write what it wrote into the same arrays."""
        with self._lock:
            if self._process is None:
                self._begin()
            answer = self._ask((repr(game), name, arguments))
        if isinstance(answer, str):
            raise GameError(answer)
        try:
            result, *written = answer
            for index, values in zip(LOOPS[name].writes, written, strict=True):
                arguments[index][:] = np.array(values, arguments[index].dtype)
            return int(result)
        except (ValueError, TypeError, OverflowError):
            raise RulesError(f"{self.kind.name}: the rules gave no answer") from None

    def close(self) -> None:
        """End the process at once."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join()
                self._process = None
                self._pipe.close()

    def _begin(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(
            target=_serve, args=(theirs, repr(self.kind.make({}))), daemon=True
        )
        self._process.start()
        theirs.close()
        self._seconds = STARTING

    def _ask(self, request: tuple[Any, ...]) -> Any:
        """Return the child's answer; replace a child that does not give one."""
        problem = f"did not end within {self._seconds:g} s"
        with suppress(OSError, EOFError, ValueError):
            self._pipe.send(request)
            if self._pipe.poll(self._seconds):
                problem = "ended their process"
                answer = json.loads(self._pipe.recv_bytes(LONGEST))
                self._seconds = SECONDS
                return answer
        self._process.join(0.1)
        status = self._process.exitcode
        if status is not None and status < 0:
            problem = f"crashed ({signal.Signals(-status).name})"
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._begin()  # it loads the kernels before it is asked again
        raise RulesError(f"{self.kind.name}: the rules {problem}")


def _serve(pipe: Connection, spec: str) -> None:
    """Entry point of the child: answer calls until the parent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    follow_parent()
    _limit()
    load = cache(load_game)
    with suppress(PlygroundError):  # told again when it is asked
        load(spec).prepare()
    with suppress(EOFError, OSError):
        while True:
            game, name, arguments = pipe.recv()
            pipe.send_bytes(json.dumps(_answer(load, game, name, arguments)).encode())


def _answer(load: Any, spec: str, name: str, arguments: tuple[Any, ...]) -> Any:
    """Return a call's result and the arrays that it wrote, or an error as text."""
    loop = LOOPS[name]
    for index, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):  # loops ask for it, and pickles forget it
            argument.flags.writeable = index in loop.writes
    try:
        result = loop.call(load(spec), *arguments)
    except Exception as error:
        return one_line(f"{type(error).__name__}: {error}", 300)
    return [int(result or 0), *(arguments[index].tolist() for index in loop.writes)]


def _limit() -> None:
    """Limit the memory of this process, where the system can; a crash leaves no file."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
