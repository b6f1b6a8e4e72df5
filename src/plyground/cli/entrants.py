"""Entrants of a tournament: agents by spec, with a label if wanted, and all bots in a folder."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plyground.agents import AGENTS, load_agent
from plyground.agents.course import CourseFile
from plyground.agents.program import ProgramAgent
from plyground.arena.plan import split_label
from plyground.cli.terminal import progress
from plyground.errors import (
    AgentError,
    CannotPlayError,
    OptionError,
    PlygroundError,
)
from plyground.game import Game
from plyground.games import load_game
from plyground.programs.submission import CUSTOMARY, is_zip, main_file, unpacked
from plyground.spec import parse_spec
from plyground.text import cleaned, shortened


@dataclass
class Field:
    """The agents of a tournament, in order, and the bots that cannot take part."""

    specs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Names in tables: the label or spec, or the file name of a bot in a folder."""
    absent: list[tuple[str, str]] = field(default_factory=list)
    """Name and reason of each bot that cannot take part."""

    def enter(self, contestant: str, interface: str, game: Game) -> None:
        """Add an agent, a bot or every bot in a folder; `interface` is the agent that runs bots.

        A bot in a folder that cannot start is left out; one that was named is an error.
        """
        label, spec = ("", contestant) if os.path.exists(contestant) else split_label(contestant)
        path = Path(spec)
        if os.path.isdir(path) and not label and not is_bot(interface, path):
            self._enter_all(path, interface, game)
            return
        if os.path.isdir(path) or is_bot(interface, path):
            name, spec = label or self._new_name(path), bot_spec(interface, path)
        else:
            spec = repr(load_agent(spec))
            name = label or spec
        check_named(name, spec, game)
        self.specs.append(spec)
        self.names.append(name)

    def _enter_all(self, folder: Path, interface: str, game: Game) -> None:
        """Add every bot in a folder."""
        kind = AGENTS.find(parse_spec(interface)[0])
        handed_out = kind.handed_out if issubclass(kind, CourseFile) else ()
        bots = sorted(
            path
            for path in folder.iterdir()
            if path.name[0] not in "._" and path.stem not in handed_out
        )
        if not bots:
            raise OptionError(f"there are no bots in {str(folder)!r}")
        with progress() as bar:
            for bot in bar.track(bots, description="starting every bot once"):
                try:
                    spec = bot_spec(interface, bot)
                    check_start(spec, game)
                except PlygroundError as error:
                    self.absent.append((cleaned(bot.stem), cleaned(str(error))))
                else:
                    self.specs.append(spec)
                    self.names.append(self._new_name(bot))

    def _new_name(self, bot: Path) -> str:
        """Return a bot's name: its file name without suffix, or more of its path if that is taken.

        If all of them are taken, the plan refuses two equal names.
        """
        folder = bot.resolve().parent.name
        names = list(map(cleaned, (bot.stem, bot.name, f"{folder}/{bot.name}")))
        return next((name for name in names if name not in self.names), names[-1])

    def replace(self, others: Field) -> None:
        """Add other entrants; one that has the name of an entrant takes its place."""
        for spec, name in zip(others.specs, others.names, strict=True):
            if name in self.names:
                self.specs[self.names.index(name)] = spec
            else:
                self.specs.append(spec)
                self.names.append(name)
        self.absent += others.absent


def gather(contestants: Sequence[str], interface: str, game: str) -> Field:
    """Return the entrants of a game's tournament; check types, as a plan file may have any."""
    if not isinstance(contestants, list) or not all(isinstance(one, str) for one in contestants):
        raise OptionError(f"agents must be a list of texts, got {shortened(repr(contestants))}")
    entrants, loaded = Field(), load_game(str(game))
    for contestant in contestants:
        entrants.enter(contestant, interface, loaded)
    return entrants


def check_named(name: str, spec: str, game: Game) -> None:
    """Raise an error with its name if an agent that was named cannot take part."""
    try:
        check_start(spec, game)
    except AgentError as failure:
        raise CannotPlayError(f"{name} cannot start: {failure}") from failure


def check_start(spec: str, game: Game) -> None:
    """Raise an error if an agent cannot play a game, or if its program does not get ready."""
    agent = load_agent(spec)
    agent.prepare(game)
    if isinstance(agent, ProgramAgent):
        agent.sit(game, 0).close()


def is_bot(interface: str, path: Path) -> bool:
    """Return whether a path is one bot for an interface, not a folder of several bots.

    That is a zip file, a package, and a folder in which a program has a customary name. Where bots
    are files of a course it is also such a file; otherwise a file is an agent of its own.
    """
    if not os.path.exists(path):
        return False
    kind = AGENTS.find(parse_spec(interface)[0])
    runs = kind.runs if issubclass(kind, CourseFile) else is_program
    if not path.is_dir():
        return is_zip(path) or (issubclass(kind, CourseFile) and runs(path))
    programs = [file for file in path.iterdir() if file.is_file() and runs(file)]
    if issubclass(kind, CourseFile) and kind.package:
        return bool(programs)
    return any(file.stem in CUSTOMARY for file in programs)


def bot_spec(interface: str, bot: Path) -> str:
    """Return the spec of the agent that runs a bot; `interface` is that spec without the bot."""
    name, options = parse_spec(interface)
    kind = AGENTS.find(name)
    if issubclass(kind, CourseFile):
        if not (kind.package or bot.is_dir() or is_zip(bot)):
            main_file(bot, kind.runs)  # raises an error if it is none
        return repr(kind.make(options | {"path": str(bot)}))
    with unpacked(bot) as opened:
        file = main_file(opened, is_program)
        inside = f"./{file.relative_to(opened)}" if is_zip(bot) else str(file)
        command = [inside] if os.access(file, os.X_OK) else [sys.executable, inside]
    if is_zip(bot):
        options |= {"path": str(bot)}
    return repr(kind.make(options | {"command": shlex.join(command)}))


def is_program(file: Path) -> bool:
    """Return whether a file can be a bot of the interface `remote`."""
    return file.suffix == ".py" or os.access(file, os.X_OK)
