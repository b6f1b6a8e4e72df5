"""Base class of agents that run someone else's program in a confined process."""

from __future__ import annotations

import os
import re
import shlex
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path
from typing import Any, ClassVar

from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.errors import (
    AgentError,
    CannotPlayError,
    IllegalActionError,
    OptionError,
)
from plyground.game import Game, Position
from plyground.options import option
from plyground.programs.protocol import Conversation
from plyground.programs.sandbox.process import (
    HOME,
    Confinement,
    Process,
    require_confinement,
)
from plyground.programs.sandbox.view import find_program
from plyground.text import shortened

OUT_OF_MEMORY = re.compile(
    "bad_alloc|MemoryError|OutOfMemory|out of memory|insufficient memory|of memory"
    "|allocate memory|memory allocation|reserve enough space",
    re.IGNORECASE,
)
"""What programs of several languages write when they get no more memory."""


class ProgramAgent(Agent):
    """Someone else's program, confined; any fault of its own loses the game."""

    guesses = False  # the program sees no more than its player does

    home: ClassVar[str] = HOME
    """Path under which the program sees its own folder."""

    seconds: float = option(60.0, low=0.01, help="seconds per move, where the match sets no clock")
    startup: float = option(10.0, low=0.01, help="seconds to get ready for a game")
    memory: int = option(1024, low=16, help="MiB of memory")
    processes: int = option(128, low=1, help="processes and threads")
    disk: int = option(256, low=1, help="MiB of files")
    cpu: int = option(3600, low=1, help="CPU seconds per game of each process")
    network: bool = option(False, help="allow use of the network")

    @property
    def computing(self) -> float:
        """Return the CPU seconds of the program and all that it starts, for a whole game."""
        return inf

    @abstractmethod
    def program(self) -> list[str]:
        """Return the program and its arguments; raise a PlygroundError if they are wrong."""

    @contextmanager
    def belongings(self) -> Iterator[list[Path]]:
        """Yield the files and folders that are copied to the folder where the program starts."""
        yield []

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if os.name != "posix":
            raise CannotPlayError(f"{self.name}: programs are confined on Linux and macOS only")
        require_confinement()
        self.program()

    def granted(self, limit: Limit, move: int) -> Limit:
        return limit if limit.timed else replace(limit, seconds=self.seconds)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return ProgramPlayer(self, game, seat, seed, ponder)


class ProgramPlayer(Player):
    """Player with the process of its program."""

    agent: ProgramAgent

    def __init__(self, agent: ProgramAgent, game: Game, seat: int, seed: int, ponder: bool) -> None:
        super().__init__(agent, game, seat, seed)
        bounds = {name: getattr(agent, name) for name in Confinement.__dataclass_fields__}
        with agent.belongings() as files:
            self.process = Process(agent.program(), Confinement(**bounds), files, home=agent.home)
        self._conversation = Conversation(self.process, ponder, agent.computing)
        self._ply = 0
        """Plies of the game that the program has been sent."""
        try:
            self._conversation.begin(repr(game), seat, game.facts.players, agent.startup, seed)
        except BaseException as error:
            self.process.end()
            self._name_memory_limit(error)
            if self.process.error_output:
                error.add_note(self.process.error_output)
            raise

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if position.player != self.seat:
            turn_of = f"this player has seat {self.seat}, seat {position.player} is to move"
            raise CannotPlayError(f"{self.agent.name}: {turn_of}")
        if not limit.timed:
            limit = self.agent.granted(limit, self._conversation.turn)
        played = position.played_since(self._ply)
        self._ply = position.ply
        turn = {
            "position": position.to_text(),
            "legal": position.legal_actions,
            "names": [position.format(action) for action in position.legal_actions],
            "played": [before.format(action) for before, action in played],
            "by": [before.player for before, _ in played],
            "seconds": limit.seconds,
            "bank": limit.bank,
            "overage": limit.overage,
            "seed": seed % 2**31,
        }
        cpu_seconds = limit.allowed + limit.grace if limit.cpu else None
        try:
            answer, seconds = self._conversation.ask(turn, limit.allowed, limit.wait, cpu_seconds)
        except AgentError as failure:
            self._name_memory_limit(failure)
            raise
        action, value = _action(position, answer.get("action")), _value(answer.get("value"))
        return Thought(action, value, seconds=seconds)

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        self._conversation.end(self.game.no_returns if returns is None else returns)
        self.log = self.process.error_output

    def _name_memory_limit(self, failure: BaseException) -> None:
        """Add the limit on memory to the reason of a failure that it probably caused."""
        if isinstance(failure, AgentError) and failure.fault == "failed":
            words = f"{failure} {self.process.error_output}"
            if OUT_OF_MEMORY.search(words):
                failure.args = (f"{failure} (its limit is memory={self.agent.memory} MiB)",)


def _action(position: Position, answer: Any) -> int:
    """Return the action of an answer, which is a number or a move in the game's notation."""
    if isinstance(answer, int) and not isinstance(answer, bool):
        if answer in position.legal_actions:
            return answer
    elif isinstance(answer, str):
        try:
            return position.parse(answer)
        except IllegalActionError:
            pass
    raise AgentError("illegal", f"its action is {shortened(repr(answer))}, which is not legal")


def _value(answer: Any) -> float | None:
    """Return the program's value cut to -1 to 1; None if the answer has no number."""
    if not isinstance(answer, int | float):
        return None
    try:
        value = float(answer)
    except OverflowError:
        reason = f"its value is {shortened(repr(answer))}, which is not from -1 to 1"
        raise AgentError("failed", reason) from None
    return max(-1.0, min(1.0, value)) if isfinite(value) else None


def split_command(name: str, command: str, *, its_own_folder: bool = False) -> list[str]:
    """Split a command as a shell would; make paths of existing files absolute.

    With `its_own_folder` the paths are those of the folder in which the program will start.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"{name}: command={shortened(command)!r}: {error}") from None
    if not words:
        raise OptionError(
            f"{name}: command must name the bot's program, as in {name}(command='./mybot')"
        )
    if its_own_folder and os.sep in words[0] and not os.path.isabs(words[0]):
        return words
    program = find_program(words[0])
    if program is None:
        raise OptionError(f"{name}: there is no program {shortened(words[0])!r}")
    if its_own_folder:
        return [program, *words[1:]]
    return [
        os.path.abspath(program),
        *(os.path.abspath(word) if os.path.exists(word) else word for word in words[1:]),
    ]
