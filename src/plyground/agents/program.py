"""What agents share that are programs of other people, each in a confined process."""

from __future__ import annotations

import os
import shlex
import shutil
from abc import abstractmethod
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.errors import (
    AgentFailed,
    BadOption,
    CannotPlay,
    IllegalAction,
    shortened,
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


class ProgramAgent(Agent):
    """Someone else's program, confined; it loses by any fault of its own."""

    guesses = False  # it sees what its player sees, and nothing else

    home: ClassVar[str] = HOME
    """Where the program finds its own folder."""

    seconds: float = option(60.0, low=0.01, help="seconds per move, where the match sets no clock")
    startup: float = option(10.0, low=0.01, help="seconds to get ready for a game")
    memory: int = option(1024, low=16, help="MiB of memory")
    processes: int = option(128, low=1, help="processes and threads")
    disk: int = option(256, low=1, help="MiB of files")
    cpu: int = option(3600, low=1, help="CPU seconds per game of each process")
    network: bool = option(False, help="allow use of the network")

    @abstractmethod
    def program(self) -> list[str]:
        """Return the program and its arguments; what is wrong with them is a PlygroundError."""

    def belongings(self) -> list[Path]:
        """List files and folders of which the program gets copies where it starts."""
        return []

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if os.name != "posix":
            raise CannotPlay(f"{self.name}: programs are confined on Linux and macOS only")
        require_confinement()
        self.program()

    def granted(self, limit: Limit, move: int) -> Limit:
        return limit if limit.timed else replace(limit, seconds=self.seconds)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return ProgramPlayer(self, game, seat, seed, ponder)


class ProgramPlayer(Player):
    """One seat in one game, and the program that plays from it."""

    agent: ProgramAgent

    def __init__(self, agent: ProgramAgent, game: Game, seat: int, seed: int, ponder: bool) -> None:
        super().__init__(agent, game, seat, seed)
        bounds = {name: getattr(agent, name) for name in Confinement.__dataclass_fields__}
        self.process = Process(
            agent.program(), Confinement(**bounds), agent.belongings(), home=agent.home
        )
        self._conversation = Conversation(self.process, ponder)
        self._ply = 0
        """How much of the game the program has been told."""
        try:
            self._conversation.begin(repr(game), seat, game.facts.players, agent.startup, seed)
        except BaseException:
            self.process.end()
            raise

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if position.player != self.seat:
            seats = f"this program plays from seat {self.seat}, seat {position.player} is to move"
            raise CannotPlay(f"{self.agent.name}: {seats}")
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
        computing = limit.allowed + limit.grace if limit.cpu else None
        answer, seconds = self._conversation.ask(turn, limit.allowed, limit.wait, computing)
        action, value = _action(position, answer.get("action")), _value(answer.get("value"))
        return Thought(action, value, seconds=seconds)

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        self._conversation.end(self.game.no_returns if returns is None else returns)


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
