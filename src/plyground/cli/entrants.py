"""Who takes part: agents by name, and all the bots in a folder, each under its own name."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plyground.agents import AGENTS, load_agent
from plyground.agents.course import CourseFile
from plyground.errors import BadOption, PlygroundError, cleaned, shortened
from plyground.game import Game
from plyground.games import load_game
from plyground.spec import parse_spec

CUSTOMARY = ("bot", "bots", "main", "submission")
"""What the file is called that is the bot, where a bot's folder has several."""


@dataclass
class Field:
    """The agents of a tournament, in their order, and who could not take part."""

    specs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """How they are called in tables: a bot by its file or folder."""
    absent: list[tuple[str, str]] = field(default_factory=list)
    """Bots that could not be entered: name and reason."""

    def enter(self, contestant: str, interface: str, game: Game) -> None:
        """Add an agent, or every bot in a folder, played through an interface."""
        if not os.path.isdir(contestant):
            self.specs.append(repr(load_agent(contestant)))
            self.names.append(self.specs[-1])
            return
        kind = AGENTS.find(parse_spec(interface)[0])
        given = kind.handed_out if issubclass(kind, CourseFile) else ()
        found = sorted(
            each
            for each in Path(contestant).iterdir()
            if each.name[0] not in "._" and each.stem not in given
        )
        if not found:
            raise BadOption(f"there are no bots in {contestant!r}")
        for bot in found:
            try:
                spec = bot_spec(interface, bot)
                load_agent(spec).prepare(game)
            except PlygroundError as error:
                self.absent.append((cleaned(bot.stem), cleaned(str(error))))
            else:
                name = cleaned(bot.stem)
                self.specs.append(spec)
                self.names.append(cleaned(bot.name) if name in self.names else name)


def gather(contestants: Sequence[str], interface: str, game: str) -> Field:
    """Enter all contestants of a game; what a file says may be of any type."""
    if not isinstance(contestants, list) or not all(isinstance(each, str) for each in contestants):
        raise BadOption(f"agents must be a list of texts, got {shortened(repr(contestants))}")
    everyone, played = Field(), load_game(str(game))
    for contestant in contestants:
        everyone.enter(contestant, interface, played)
    return everyone


def bot_spec(interface: str, bot: Path) -> str:
    """Give the spec of an agent that runs a bot by an interface, itself a spec without the bot."""
    name, options = parse_spec(interface)
    kind = AGENTS.find(name)
    if issubclass(kind, CourseFile):
        path = bot if kind.package else chosen_file(bot, kind.runs)
        return repr(kind.make(options | {"path": str(path)}))
    file = chosen_file(bot, lambda file: file.suffix == ".py" or os.access(file, os.X_OK))
    command = [str(file)] if os.access(file, os.X_OK) else [sys.executable, str(file)]
    return repr(kind.make(options | {"command": shlex.join(command)}))


def chosen_file(bot: Path, will_do: Callable[[Path], bool]) -> Path:
    """Give the one file of a bot that will do; of several in its folder, that of customary name."""
    if not bot.is_dir():
        if not will_do(bot):
            raise BadOption(f"{bot} is no program")
        return bot
    found = [each for each in sorted(bot.iterdir()) if each.is_file() and will_do(each)]
    named = [each for each in found if each.stem in (*CUSTOMARY, bot.name)]
    if len(found) != 1 and len(named) != 1:
        customary = ", ".join((*CUSTOMARY, bot.name))
        raise BadOption(f"{bot} has {len(found)} programs, {len(named)} of them called {customary}")
    return (named if len(named) == 1 else found)[0]
