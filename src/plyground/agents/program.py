"""What agents share that play in a process of their own: the protocol of docs/bot-protocol.md."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from math import inf, isfinite
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Self

from plyground.agents.agent import Agent, Limit, Thought
from plyground.errors import (
    FAULTS,
    AgentFailed,
    BadOption,
    CannotPlay,
    IllegalAction,
    one_line,
    shortened,
)
from plyground.game import Game, Position
from plyground.options import option
from plyground.programs.sandbox.process import (
    HOME,
    LONGEST_SAYING,
    Confinement,
    Process,
    require_confinement,
)
from plyground.search.timing import own_time

PROTOCOL = 1
LOOK = 0.02
"""Seconds between two looks at a bot's CPU time, once it should be used up."""


class Guest(Agent):
    """Someone else's program, confined; it loses by any fault of its own."""

    guesses = False  # it sees what its player sees, and nothing else

    home: ClassVar[str] = HOME
    """Where the program finds its own folder."""

    seconds: float = option(60.0, low=0.01, help="for a move, where the match sets no clock")
    startup: float = option(10.0, low=0.01, help="seconds to begin a game")
    memory: int = option(1024, low=16, help="MiB of memory")
    processes: int = option(128, low=1, help="processes and threads")
    disk: int = option(256, low=1, help="MiB of files")
    cpu: int = option(3600, low=1, help="seconds of computing a game, of one process")
    network: bool = option(False, help="may use the network, where it can be kept from it")

    @abstractmethod
    def program(self) -> list[str]:
        """Give the program and its arguments; what is wrong with them is a PlygroundError."""

    def belongings(self) -> list[Path]:
        """List files and folders of which the program gets copies where it starts."""
        return []

    def prepare(self, game: Game) -> None:
        if not self._seat:
            super().prepare(game)
            if os.name != "posix":
                raise CannotPlay(f"{self.name}: programs are confined on Linux and macOS only")
            require_confinement()
            self.program()

    def granted(self, limit: Limit, move: int) -> Limit:
        return limit if limit.timed else replace(limit, seconds=self.seconds)

    def sit(self, game: Game, seat: int, seed: int = 0, *, ponder: bool = False) -> Self:
        seated = replace(self)  # the same options, and so the same name in the results
        bounds = {name: getattr(self, name) for name in Confinement.__dataclass_fields__}
        process = Process(self.program(), Confinement(**bounds), self.belongings(), home=self.home)
        seated._seat.append(Seat(process, ponder))
        try:
            seated._seat[0].begin(game, seat, self.startup, seed)
        except BaseException:
            process.end()
            raise
        return seated

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if self._seat:
            seat = self._seat[0]
            clocked = limit if limit.timed else self.granted(limit, seat.turn)
            return seat.choose(position, clocked, seed)
        alone = self.sit(position.game, position.player, seed)
        try:
            return alone.choose(position, limit, seed)
        finally:
            alone.leave(position.returns)

    def leave(self, returns: tuple[float, ...]) -> None:
        while self._seat:
            self._seat.pop().end(returns)

    @cached_property
    def _seat(self) -> list[Seat]:
        """Where it plays, from `sit` to `leave`."""
        return []


class Seat:
    """One seat in one game, and the program that plays from it."""

    def __init__(self, process: Process, ponder: bool) -> None:
        self.process = process
        self.ponder = ponder
        """Whether the program may go on computing when it is not its turn."""
        self.allowed = ""
        """How long the answer may take that is waited for, in words."""
        self.turn = 0
        self.owed = False
        """Whether an answer to an earlier turn may still come: it was late."""
        self.ply = 0
        """How much of the game the program has been told."""

    def begin(self, game: Game, seat: int, seconds: float, seed: int) -> None:
        """Get acquainted, and tell what is played."""
        until = monotonic() + seconds
        self.allowed = f"{seconds:.3g} s"
        program = f"plyground {version('plyground')}"
        self._send(until, type="hello", protocol=PROTOCOL, program=program)
        answer = self._receive("hello", until)
        if answer.get("protocol") != PROTOCOL:
            spoken = shortened(repr(answer.get("protocol")))
            raise AgentFailed("failed", f"it speaks protocol {spoken}, not {PROTOCOL}")
        told = {"game": repr(game), "seat": seat, "players": game.facts.players}
        self._send(until, type="new_game", **told, seed=seed % 2**31)
        self._receive("ready", until)
        self._rest()

    def _rest(self) -> None:
        """Stop the program until its next turn."""
        if not self.ponder:
            self.process.freeze()

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Ask for a move."""
        self.allowed = f"{limit.allowed:.3g} s"
        if limit.cpu:
            self.allowed += f" of CPU time, or {limit.wait:.3g} s in all"
        unasked = self.process.unasked()
        if unasked and not self.owed:
            raise AgentFailed("failed", f"it spoke when it was not its turn: {unasked!r}")
        played = _since(position, self.ply)
        self.ply = position.ply
        self.turn += 1
        message = _line(
            type="turn",
            turn=self.turn,
            position=position.to_text(),
            legal=position.legal_actions,
            names=[position.format(action) for action in position.legal_actions],
            played=[before.format(action) for before, action in played],
            by=[before.player for before, _ in played],
            seconds=limit.seconds,
            bank=limit.bank,
            overage=limit.overage,
            seed=seed % 2**31,
        )
        until, began = monotonic() + limit.wait, self._clock(limit.cpu)
        computed = began + limit.allowed + limit.grace if limit.cpu else inf
        self.process.thaw()
        try:
            self.process.send(message, until)
            line = self._await("move", until, computed)
            while self.owed and self._read("move", line).get("turn") != self.turn:
                line = self._await("move", until, computed)
            self.owed = False
            seconds = self._clock(limit.cpu) - began
        finally:
            self._rest()
        answer = self._read("move", line)
        if answer.get("turn") != self.turn:
            answered = shortened(repr(answer.get("turn")))
            raise AgentFailed("failed", f"it answers turn {answered}, this is turn {self.turn}")
        action, value = _action(position, answer.get("action")), _value(answer.get("value"))
        return Thought(action, value, seconds=seconds)

    def end(self, returns: tuple[float, ...]) -> None:
        """Tell the result, and end the program."""
        try:
            until = monotonic()  # who does not read has had its chance
            self.process.thaw()
            self._send(until, type="result", returns=returns)
            self._send(until, type="bye")
        except (AgentFailed, OSError):
            pass  # the game is over: nothing counts any more
        finally:
            self.process.end()

    def _clock(self, cpu: bool) -> float:
        """Read the program's clock."""
        return self.process.cpu_seconds() if cpu else own_time()

    def _send(self, until: float, **message: Any) -> None:
        self.process.send(_line(**message), until)

    def _receive(self, wanted: str, until: float) -> dict[str, Any]:
        return self._read(wanted, self._await(wanted, until))

    def _await(self, wanted: str, until: float, computed: float = inf) -> str:
        """Wait for a line until a moment, or until the program has computed for so long in all."""
        while True:
            left = inf if computed == inf else computed - self.process.cpu_seconds()
            try:
                return self.process.receive(min(until, monotonic() + max(LOOK, left)))
            except AgentFailed as failure:
                if failure.fault != "late":
                    raise
                if left <= 0 or monotonic() >= until:
                    self.owed = True
                    raise AgentFailed("late", f"no {wanted} within {self.allowed}") from None

    def _read(self, wanted: str, line: str) -> dict[str, Any]:
        """Read an answer of the type that is wanted."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise AgentFailed("failed", f"its answer is no JSON object: {shortened(repr(line))}")
        if answer.get("type") == "failed":
            fault = answer.get("fault")
            reason = one_line(str(answer.get("reason")), LONGEST_SAYING)
            raise AgentFailed(str(fault) if fault in FAULTS else "failed", reason)
        if answer.get("type") != wanted:
            got = shortened(repr(answer.get("type")))
            raise AgentFailed("failed", f"its answer is a {got}, not a {wanted!r}")
        return answer


def _line(**message: Any) -> str:
    return json.dumps(message, separators=(",", ":"))


def _since(position: Position, ply: int) -> list[tuple[Position, int]]:
    """List what was played since a ply, as far as the player may know: (where, action)."""
    played: list[tuple[Position, int]] = []
    while position.ply > ply and position.previous is not None and position.action is not None:
        played.append((position.previous, position.action))
        position = position.previous
    return played[::-1]


def _action(position: Position, answer: Any) -> int:
    """Read the action of an answer: its number, or its name."""
    if isinstance(answer, int) and not isinstance(answer, bool):
        if answer in position.legal_actions:
            return answer
    elif isinstance(answer, str):
        try:
            return position.parse(answer)
        except IllegalAction:
            pass
    raise AgentFailed("illegal", f"its action is {shortened(repr(answer))}, which is not legal")


def _value(answer: Any) -> float | None:
    """Read what it expects, where that is a number from -1 to 1."""
    known = isinstance(answer, int | float) and isfinite(answer)
    return max(-1.0, min(1.0, float(answer))) if known else None


def split_command(name: str, command: str) -> list[str]:
    """Split a command as a shell would; what names a file here names it from anywhere."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadOption(f"{name}: command={shortened(command)!r}: {error}") from None
    if not words:
        raise BadOption(f"{name}: say which program plays, as in {name}(command='./mybot')")
    if shutil.which(words[0]) is None:
        raise BadOption(f"{name}: there is no program {shortened(words[0])!r}")
    if os.sep in words[0]:
        words[0] = os.path.abspath(words[0])
    return [
        words[0],
        *(os.path.abspath(word) if os.path.exists(word) else word for word in words[1:]),
    ]
