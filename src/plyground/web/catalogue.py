"""What can be played: installed games and agents, and those named when the server was started.

What a visitor names is looked up here. No option that names a file, a program or a command can be
set from outside, so that nothing runs that was not chosen on this machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from plyground.agents import AGENTS, load_agent
from plyground.agents.agent import Agent
from plyground.agents.champion import Champion
from plyground.agents.program import ProgramAgent
from plyground.arena.plan import split_label
from plyground.errors import (
    OptionError,
    PlygroundError,
    UnknownNameError,
    show_traceback,
)
from plyground.game import Game
from plyground.games import GAMES
from plyground.inference import shipped_names
from plyground.options import Kind, Option, Options
from plyground.programs.sandbox.process import require_confinement
from plyground.spec import parse_spec, write_spec
from plyground.text import cleaned, shortened
from plyground.web.paths import shown_names

OUTSIDE = (Kind.PROGRAM, Kind.COMMAND)
"""Kinds of options that run something: agents that have one are not offered."""

STRENGTHS = (
    "a beginner", "a good beginner", "casual", "good casual", "club", "good club", "strong",
    "very strong", "an expert", "full strength",
)  # fmt: skip
"""The levels of `champion` in words; docs/games/levels.md has their ratings."""

DEFAULT_LEVEL = 4
LEVEL_SECONDS = 1.0
"""Thinking time per move of a level, where there is no clock."""

SETTABLE = (Kind.BOOL, Kind.INT, Kind.FLOAT, Kind.CHOICE)


class Opponent(NamedTuple):
    """An agent that sits in a seat, and the words by which people know it."""

    name: str
    spec: str
    shown: str
    """What visitors see of the spec: a label where it was named at the start, as that may hold the
    path of a program."""
    level: int | None = None

    def load(self) -> Agent:
        """Return the agent."""
        return load_agent(self.spec)


def at_level(level: int) -> Opponent:
    """Return the agent that plays at a level."""
    spec = repr(Champion.make({"level": level}))
    return Opponent(f"level {level}", spec, spec, level)


def levels() -> list[dict[str, Any]]:
    """Return the levels that visitors can choose, as plain data."""
    return [
        {"level": level, "about": about, "agent": at_level(level).spec}
        for level, about in enumerate(STRENGTHS, start=1)
    ]


class Catalogue:
    """The games and agents that visitors can choose from."""

    def __init__(self, game_files: Sequence[str] = (), agents: Sequence[str] = ()) -> None:
        """Load the files of games and the specs of agents that were named at the start."""
        self.games: dict[str, type[Game]] = {}
        self.from_files: list[type[Game]] = []
        """The games of files that were named at the start."""
        for name in GAMES.names():
            self.games[name] = GAMES.find(name)
        for file in game_files:
            if not file.endswith(".py"):
                raise OptionError(
                    f"--game {file}: a .py file is needed; other games need no --game"
                )
            game = GAMES.find(file)
            if game.name in self.games:
                raise OptionError(f"--game {file}: there is another game called {game.name!r}")
            self.games[game.name] = game
            self.from_files.append(game)
        self.agents: dict[str, type[Agent]] = {}
        for name in AGENTS.names():
            installed = _installed(name)
            if installed is not None:
                self.agents[name] = installed
        self.named: dict[str, str] = {}
        """Specs of the agents named at the start, by their labels."""
        entered = [split_label(text) for text in agents]
        labels = shown_names(cleaned(label or spec) for label, spec in entered)
        for label, (_, spec) in zip(labels, entered, strict=True):
            agent = load_agent(spec)
            if isinstance(agent, ProgramAgent):
                require_confinement()
            self.named[label] = repr(agent)

    def game(self, name: str, options: Mapping[str, Any]) -> Game:
        """Return a game by its name, with options from outside."""
        if name not in self.games:
            raise UnknownNameError("game", name, self.games)
        kind = self.games[name]
        self._check(kind, options, None)
        return kind.make(options)

    def agent(self, game: Game, name: str, options: Mapping[str, Any]) -> Opponent:
        """Return an agent by its name, with options from outside."""
        if name in self.named:
            if options:
                raise OptionError(f"{name}: the options of this agent were set at the start")
            return Opponent(name, self.named[name], name)
        if name not in self.agents:
            raise UnknownNameError("agent", name, [*self.agents, *self.named])
        self._check(self.agents[name], options, game)
        spec = repr(self.agents[name].make(options))
        return Opponent(spec, spec, spec)

    def players_of(self, game: Game, names: Iterable[str] | None = None) -> list[str]:
        """Return the names of the agents that can play a game here, with their usual options."""
        among = (*self.named, *self.agents) if names is None else names
        return [name for name in among if _accepts(self.named.get(name, name), game)]

    def recall(self, spec: str) -> Agent:
        """Return the agent of a stored game, if it can still be chosen."""
        name, _ = parse_spec(spec)
        if name not in self.agents and spec not in self.named.values():
            raise UnknownNameError("agent", name, [*self.agents, *self.named])
        return load_agent(spec)

    def _check(self, kind: type[Options], values: Mapping[str, Any], game: Game | None) -> None:
        """Raise OptionError for a value from outside that only this machine's user may set."""
        for option in kind.declared():
            value = values.get(option.name, option.default)
            if option.kind in SETTABLE or value == option.default:
                continue
            allowed = self.allowed(option, game)
            if value not in allowed:
                where, got = f"{kind.name}: {option.name}", shortened(repr(value))
                raise OptionError(f"{where}={got} cannot be set; allowed: {', '.join(allowed)}")

    def allowed(self, option: Option, game: Game | None) -> list[str]:
        """Return the names that an option may have; empty for numbers and the like."""
        if option.kind is Kind.AGENT:
            return [*self.agents] if game is None else self.players_of(game, self.agents)
        if option.kind is Kind.FILE and option.name == "weights":
            return ["", *shipped_names()]
        names = list(option.choices)
        if option.kind not in (*SETTABLE, Kind.FILE) and game is not None:
            names = ["", *names, *game.offers(option.kind)]
        return names

    def form(self, kind: type[Options], game: Game | None = None) -> list[dict[str, Any]]:
        """Return the descriptors of the options that visitors can set, as plain data."""
        rows = []
        for option in kind.declared():
            allowed = self.allowed(option, game)
            if option.kind in SETTABLE or allowed:
                rows.append(option.to_json() | {"allowed": allowed})
        return rows


@lru_cache(maxsize=1024)
def _accepts(spec: str, game: Game) -> bool:
    try:
        load_agent(spec).accept(game)
    except Exception as error:  # it cannot play this game, or fails in any other way
        show_traceback(error)
        return False
    return True


def title_of(game: Game | type[Game]) -> str:
    """Return a game's name for people."""
    return game.title or game.name.replace("_", " ").capitalize()


def _installed(name: str) -> type[Agent] | None:
    """Return an agent that visitors may choose; None for those that run programs."""
    try:
        agent = AGENTS.find(name)
    except PlygroundError:  # it needs a package that is not installed
        return None
    return None if any(option.kind in OUTSIDE for option in agent.declared()) else agent


def shown_spec(game: Game) -> str:
    """Return a game's spec for visitors: by its name, even if it is a file."""
    return write_spec(game.name, game.changed())
