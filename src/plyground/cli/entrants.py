"""Entrants of a tournament: agents by spec, with a label if wanted, and all bots in a folder."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plyground.agents import AGENTS, load_agent
from plyground.agents.course import CourseFile
from plyground.arena.plan import split_label
from plyground.errors import BadOption, PlygroundError, cleaned, shortened
from plyground.game import Game
from plyground.games import load_game
from plyground.spec import parse_spec

CUSTOMARY = ("bot", "bots", "main", "submission")
"""Usual names of a bot's main file, for folders with several files."""


@dataclass
class Field:
    """The agents of a tournament, in order, and the bots that cannot take part."""

    specs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Names in tables: the label or spec, or the file name of a bot in a folder."""
    absent: list[tuple[str, str]] = field(default_factory=list)
    """Name and reason of each bot that cannot take part."""

    def enter(self, contestant: str, interface: str, game: Game) -> None:
        """Add an agent, or every bot in a folder; `interface` is the agent that runs the bots."""
        if not os.path.isdir(contestant):
            label, spec = split_label(contestant)
            if label and os.path.isdir(spec):
                raise BadOption(
                    f"{contestant!r}: a folder cannot have a label, its bots have their own names"
                )
            self.specs.append(repr(load_agent(spec)))
            self.names.append(label or self.specs[-1])
            return
        kind = AGENTS.find(parse_spec(interface)[0])
        handed_out = kind.handed_out if issubclass(kind, CourseFile) else ()
        bots = sorted(
            path
            for path in Path(contestant).iterdir()
            if path.name[0] not in "._" and path.stem not in handed_out
        )
        if not bots:
            raise BadOption(f"there are no bots in {contestant!r}")
        for bot in bots:
            try:
                spec = bot_spec(interface, bot)
                load_agent(spec).prepare(game)
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


def gather(contestants: Sequence[str], interface: str, game: str) -> Field:
    """Return the entrants of a game's tournament; check types, as a plan file may have any."""
    if not isinstance(contestants, list) or not all(isinstance(one, str) for one in contestants):
        raise BadOption(f"agents must be a list of texts, got {shortened(repr(contestants))}")
    entrants, loaded = Field(), load_game(str(game))
    for contestant in contestants:
        entrants.enter(contestant, interface, loaded)
    return entrants


def bot_spec(interface: str, bot: Path) -> str:
    """Return the spec of the agent that runs a bot; `interface` is that spec without the bot."""
    name, options = parse_spec(interface)
    kind = AGENTS.find(name)
    if issubclass(kind, CourseFile):
        path = bot if kind.package else main_file(bot, kind.runs)
        return repr(kind.make(options | {"path": str(path)}))
    file = main_file(bot, lambda file: file.suffix == ".py" or os.access(file, os.X_OK))
    command = [str(file)] if os.access(file, os.X_OK) else [sys.executable, str(file)]
    return repr(kind.make(options | {"command": shlex.join(command)}))


def main_file(bot: Path, is_program: Callable[[Path], bool]) -> Path:
    """Return a bot's main file: its only program, or the one with a customary name."""
    if not bot.is_dir():
        if not is_program(bot):
            raise BadOption(f"{bot} is not a program")
        return bot
    programs = [file for file in sorted(bot.iterdir()) if file.is_file() and is_program(file)]
    named = [file for file in programs if file.stem in (*CUSTOMARY, bot.name)]
    if len(programs) != 1 and len(named) != 1:
        customary = ", ".join((*CUSTOMARY, bot.name))
        counts = f"{len(programs)} programs, {len(named)} of them called one of {customary}"
        raise BadOption(f"{bot} has {counts}; exactly one must be")
    return (named if len(named) == 1 else programs)[0]
