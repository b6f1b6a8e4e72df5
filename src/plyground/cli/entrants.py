"""Who takes part: agents by spec, with a label if wanted, and all the bots in a folder."""

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
"""Usual names of a bot's main file, where its folder has several."""


@dataclass
class Field:
    """The agents of a tournament, in their order, and who could not take part."""

    specs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """What tables call them: by label or spec, a bot in a folder by its file or folder."""
    absent: list[tuple[str, str]] = field(default_factory=list)
    """Bots that could not be entered: name and reason."""

    def enter(self, contestant: str, interface: str, game: Game) -> None:
        """Add an agent, or every bot in a folder, played through an interface."""
        if not os.path.isdir(contestant):
            label, spec = split_label(contestant)
            if label and os.path.isdir(spec):
                raise BadOption(f"{contestant!r}: a folder has no label; its bots have their own")
            self.specs.append(repr(load_agent(spec)))
            self.names.append(label or self.specs[-1])
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
                self.specs.append(spec)
                self.names.append(self._new_name(bot))

    def _new_name(self, bot: Path) -> str:
        """Return a bot's name: its file's without the ending, or more of its path if that is taken.

        Where all are taken, the plan refuses two equal names.
        """
        path = bot.resolve()
        names = [cleaned(each) for each in (bot.stem, bot.name, f"{path.parent.name}/{bot.name}")]
        return next((name for name in names if name not in self.names), names[-1])


def gather(contestants: Sequence[str], interface: str, game: str) -> Field:
    """Enter all contestants of a game; a plan file may hold values of any type."""
    if not isinstance(contestants, list) or not all(isinstance(each, str) for each in contestants):
        raise BadOption(f"agents must be a list of texts, got {shortened(repr(contestants))}")
    everyone, played = Field(), load_game(str(game))
    for contestant in contestants:
        everyone.enter(contestant, interface, played)
    return everyone


def bot_spec(interface: str, bot: Path) -> str:
    """Return the spec of the agent that runs a bot; `interface` is that spec without the bot."""
    name, options = parse_spec(interface)
    kind = AGENTS.find(name)
    if issubclass(kind, CourseFile):
        path = bot if kind.package else chosen_file(bot, kind.runs)
        return repr(kind.make(options | {"path": str(path)}))
    file = chosen_file(bot, lambda file: file.suffix == ".py" or os.access(file, os.X_OK))
    command = [str(file)] if os.access(file, os.X_OK) else [sys.executable, str(file)]
    return repr(kind.make(options | {"command": shlex.join(command)}))


def chosen_file(bot: Path, will_do: Callable[[Path], bool]) -> Path:
    """Return a bot's main file: the only one that will do, or the one with a customary name."""
    if not bot.is_dir():
        if not will_do(bot):
            raise BadOption(f"{bot} is not a program")
        return bot
    found = [each for each in sorted(bot.iterdir()) if each.is_file() and will_do(each)]
    named = [each for each in found if each.stem in (*CUSTOMARY, bot.name)]
    if len(found) != 1 and len(named) != 1:
        customary = ", ".join((*CUSTOMARY, bot.name))
        raise BadOption(f"{bot} has {len(found)} programs, {len(named)} of them called {customary}")
    return (named if len(named) == 1 else found)[0]
