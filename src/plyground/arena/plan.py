"""Tournament plans: options that determine the numbered games to play."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from math import ceil, comb, log2
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from plyground.agents import load_agent
from plyground.agents.agent import GRACE, Limit
from plyground.arena.match import REFEREES, STRICT, rotated, start_seed
from plyground.arena.opening import RANDOM, RULES, check_rule, default_rule
from plyground.arena.pairing import (
    BalancedTables,
    Groups,
    Result,
    Table,
    Tables,
    swiss_round,
)
from plyground.arena.record import Record
from plyground.errors import (
    OptionError,
    PlygroundError,
    SpecError,
    TextError,
    UnknownNameError,
)
from plyground.games import load_game
from plyground.options import Kind, Options, converted, option
from plyground.text import cleaned, counted, shortened

FORMATS = ("round_robin", "gauntlet", "swiss", "tables")
CLOCKS = ("wall", "cpu")

MOST_GAMES = 2**31 - 1
"""The most games in a plan: a store has 32 bits for a game's number."""

LABEL = re.compile(r"(\w[\w .-]{0,39})=(?!=)(.*)", re.S)
"""`alice=mcts(simulations=100)`: a label and the spec of the agent that it stands for."""


class Pairing(NamedTuple):
    """One game to be played; every start is played once per rotation of the seats."""

    number: int
    entrants: Table
    """Numbers of the agents, by seat."""
    seed: int

    def matches(self, record: Record) -> bool:
        """Return whether a record is that of this game."""
        played = record.number, record.entrants, record.seed
        return played == (self.number, self.entrants, self.seed)


class Pairings:
    """The games of a stage: one of them by its number, or all in the order of play.

    The games of one table have consecutive numbers, so that an agent that is added to a plan leaves
    the numbers of all other games as they are. In play, every table plays a start before the next.
    """

    def __init__(self, plan: Tournament, stage: int, tables: Tables, at_once: int) -> None:
        """`at_once` tables play all their starts before the tables after them are asked for."""
        self._plan, self._stage, self._tables, self._at_once = plan, stage, tables, at_once
        self._first = stage * len(self)

    def __len__(self) -> int:
        return len(self._tables) * self._plan.games

    @property
    def numbers(self) -> range:
        """The numbers of the games."""
        return range(self._first, self._first + len(self))

    def __getitem__(self, number: int) -> Pairing:
        table, turn = divmod(number - self._first, self._plan.games)
        seed = start_seed(self._plan.seed, self._stage, turn // self._plan.players)
        return Pairing(number, rotated(self._tables[table], turn), seed)

    def __iter__(self) -> Iterator[Pairing]:
        games, players = self._plan.games, self._plan.players
        for begin in range(0, len(self._tables), self._at_once):
            tables = range(begin, min(begin + self._at_once, len(self._tables)))
            for first in range(0, games, players):
                for table in tables:
                    for turn in range(first, min(first + players, games)):
                        yield self[self._first + table * games + turn]


class Tournament(Options):
    """A plan: everything that determines which games are played, and how."""

    name = "tournament"

    game: str = option(kind=Kind.GAME, help="the game's spec")
    agents: tuple[str, ...] = option(
        kind=Kind.AGENT, help="the agents' specs, with labels if wanted: alice=mcts"
    )
    format: str = option("round_robin", choices=FORMATS, help="how agents are paired")
    games: int = option(10, low=1, help="games per pairing")
    rounds: int | None = option(None, low=1, help="rounds of the formats swiss and tables")
    seed: int = option(0, low=0, help="random seed: the same seed repeats the run")
    opening: int = option(2, low=0, help="random plies before the agents take over")
    # Plans stored by earlier versions name no rule and were random: the default must stay.
    opening_rule: str = option(
        RANDOM, choices=RULES, help="random openings: any, or only about even ones"
    )
    max_plies: int | None = option(None, low=1, help="plies after which a game is a draw")
    referee: str = option(
        STRICT, choices=REFEREES, help="a fault loses the game, or costs the course's penalty"
    )
    seconds: float | None = option(None, help="thinking time per move")
    seconds_of: tuple[str, ...] = option(
        (), help="thinking time per move of one agent, as AGENT=SECONDS"
    )
    bank: float | None = option(None, help="thinking time per game")
    increment: float = option(0.0, low=0, help="seconds added to the bank after each move")
    grace: float = option(GRACE, low=0, help="tolerated delay in seconds")
    ponder: bool = option(False, help="programs may compute while it is not their turn")
    policies: bool = option(False, help="record the policy of every move")
    clock: str = option("wall", choices=CLOCKS, help="elapsed time, or the player's CPU time")
    depth: int | None = option(None, help="plies a search may look ahead")
    nodes: int | None = option(None, help="nodes a search may visit")
    simulations: int | None = option(None, help="simulations a search may run")
    names: tuple[str, ...] = option(
        (), help="names of the agents in tables; by default their specs"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # A spec can be written in many ways; results always have its canonical form.
        object.__setattr__(self, "game", repr(load_game(self.game)))
        split = [split_label(agent) for agent in self.agents]
        object.__setattr__(self, "agents", tuple(repr(load_agent(spec)) for _, spec in split))
        object.__setattr__(self, "names", self._names([label for label, _ in split]))
        if len(self.agents) < self.players:
            raise OptionError(
                f"{self.game} has {counted(self.players, 'player')}; give at least as many agents"
            )
        if self.rounds is not None and self.format not in ("swiss", "tables"):
            raise OptionError("rounds: only the formats swiss and tables have rounds")
        if self.format == "tables" and self.games % self.players:
            multiple = f"a multiple of {self.players}, so that all play each seat equally often"
            raise OptionError(f"games: the format tables needs {multiple}")
        if self.total > MOST_GAMES:
            count = shortened(f"{self.total:,}")
            raise OptionError(
                f"games: the plan has {count} games, at most {MOST_GAMES:,} are allowed"
            )
        check_rule(load_game(self.game), self.opening_rule)
        object.__setattr__(self, "seconds_of", tuple(sorted(self._seconds_of())))
        _ = self.limits

    def _names(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return the names for tables, () if all are the agents' specs; labels must be distinct."""
        if self.names and len(self.names) != len(self.agents):
            wrong = f"{counted(len(self.names), 'name')} for {counted(len(self.agents), 'agent')}"
            raise OptionError(f"names: there are {wrong}; give one for each")
        given = self.names or self.agents
        names = tuple(
            spec if (label or name) == spec else cleaned(label or name)
            for label, name, spec in zip(labels, given, self.agents, strict=True)
        )
        uses = Counter(names)
        for name, spec in zip(names, self.agents, strict=True):
            if name != spec and uses[name] > 1:
                called = f"two agents are called {shortened(name)!r}"
                raise OptionError(f"{called}; give one another label, as in LABEL=AGENT")
        return () if names == self.agents else names

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the agents in tables, reports and ratings, in the order of `agents`."""
        return self.names or self.agents

    @cached_property
    def players(self) -> int:
        """Number of players in a game."""
        return load_game(self.game).facts.players

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The limit of each agent: per move, except for the bank."""
        limit = Limit(
            self.seconds, self.depth, self.nodes, self.simulations, self.bank,
            grace=self.grace, cpu=self.clock == "cpu",
        )  # fmt: skip
        return tuple(
            replace(limit, seconds=float(own) if own else self.seconds)
            for own in own_seconds(self.changed())
        )

    def _seconds_of(self) -> Iterator[str]:
        """Yield AGENT=SECONDS with the agent's label or canonical spec; each must occur once."""
        named: set[str] = set()
        for setting in self.seconds_of:
            name, _, seconds = _split_seconds(setting)
            agent = name if name in self.labels else canonical(name)
            if agent not in (*self.labels, *self.agents):
                raise UnknownNameError("agent of seconds_of", name or setting, self.labels)
            if agent in named:
                raise OptionError(f"seconds_of: {agent} is named twice")
            named.add(agent)
            try:
                yield f"{agent}={float(seconds)!r}"
            except ValueError:
                wrong = shortened(setting)
                raise OptionError(f"seconds_of: {wrong!r} must be AGENT=SECONDS") from None

    def ruled(self, rule: str) -> Tournament:
        """Return this plan with another opening rule."""
        return Tournament.make(self.changed() | {"opening_rule": rule})

    @property
    def digest(self) -> str:
        """Hash of the options that determine the games, equal for equal plans."""
        return digest(self.changed())

    @property
    def stages(self) -> int:
        """Number of rounds whose pairings depend on results: more than 1 only for Swiss."""
        return self._rounds if self.format == "swiss" else 1

    @property
    def total(self) -> int:
        """Number of games in the plan."""
        seated = len(self.agents) // self.players
        counts = {
            "round_robin": comb(len(self.agents), self.players),
            "gauntlet": comb(len(self.agents) - 1, self.players - 1),
            "swiss": self._rounds * seated,
            "tables": self._rounds * seated,
        }
        return counts[self.format] * self.games

    @property
    def _rounds(self) -> int:
        """Number of rounds; by default enough to find a winner, or for all to meet about once."""
        if self.rounds is not None:
            return self.rounds
        if self.format == "swiss":
            return max(1, ceil(log2(len(self.agents) / self.players)) + 1)
        return max(1, ceil((len(self.agents) - 1) / max(1, self.players - 1)))

    def pairings(self, stage: int, results: Iterable[Result]) -> Pairings:
        """Return the games of a stage, given the results of all stages before it."""
        tables = self._tables(stage, results)
        in_rounds = self.format == "tables"  # rounds to come are drawn while others are played
        at_once = len(self.agents) // self.players if in_rounds else len(tables)
        return Pairings(self, stage, tables, at_once)

    def _tables(self, stage: int, results: Iterable[Result]) -> Tables:
        seats = len(self.agents), self.players
        if self.format == "tables":
            return BalancedTables(*seats, self._rounds, self.seed)
        if self.format == "swiss":
            return swiss_round(*seats, self.games, self.seed, stage, results)
        return Groups(*seats, gauntlet=self.format == "gauntlet")

    def check_member(self, record: Record) -> None:
        """Raise TextError if a record is not that of a game in this plan."""
        check_member(self.game, self.agents, self.total, record)
        if len(record.entrants) != self.players:
            raise TextError(
                f"{self.game} has {counted(self.players, 'player')}, not {len(record.entrants)}"
            )


def check_member(game: str, agents: Sequence[str], total: int, record: Record) -> None:
    """Raise TextError if a record is not of a plan with this game, these agents and this size."""
    if tuple(agents[one] if 0 <= one < len(agents) else None for one in record.entrants) != (
        record.agents
    ):
        raise TextError("the record's agents are not those of its tournament")
    if len(set(record.entrants)) != len(record.entrants):
        raise TextError("the record has an entrant in two seats")
    if record.game != game or not 0 <= record.number < total:
        raise TextError("the record's game or number is not one of its tournament")


@dataclass(frozen=True)
class Run:
    """A tournament that was started, and the number of its games that are stored."""

    tournament: dict[str, Any]
    """The options that make its `Tournament`."""
    total: int
    begun: str
    """Start time to the microsecond; with the plan, it identifies the run in any store."""
    id: int = 0
    """Number of the run in this store."""
    kept: int = 0
    """Number of its games in this store."""
    verdict: str = ""
    """What a sequential test of its games decided, "H0" or "H1": no more are needed; else ""."""

    @property
    def progress(self) -> str:
        """How many of its games are stored, in words, or what they decided."""
        if self.verdict:
            return f"{counted(self.kept, 'game')}, {self.verdict} accepted"
        return f"{self.kept:,} of {counted(self.total, 'game')}"

    @classmethod
    def read(
        cls, tournament: Any, total: Any, begun: Any, id: int = 0, kept: int = 0, verdict: str = ""
    ) -> Self:
        """Return a run from untrusted data; nothing that it names is loaded."""
        options = dict(converted(dict, tournament, "run: tournament"))
        options["game"] = cleaned(converted(str, options.get("game"), "run: game"))
        agents = converted(tuple[str, ...], options.get("agents"), "run: agents")
        options["agents"] = list(map(cleaned, agents))
        names = converted(tuple[str, ...], options.get("names", ()), "run: names")
        if names:
            options["names"] = list(map(cleaned, names))
            if len(names) != len(agents):
                both = f"{counted(len(names), 'name')} for {counted(len(agents), 'agent')}"
                raise TextError(f"run: there are {both}")
        if "seconds_of" in options:
            converted(tuple[str, ...], options["seconds_of"], "run: seconds_of")
        if not 0 < converted(int, total, "run: total") <= MOST_GAMES:
            raise TextError(f"run: total is {total}; allowed: 1 to {MOST_GAMES}")
        try:
            date = timestamp(datetime.fromisoformat(converted(str, begun, "run: begun")))
        except ValueError:
            date = ""
        if date != begun:
            raise TextError(f"run: begun must be a date such as {timestamp()}")
        if verdict not in ("", "H0", "H1"):
            raise TextError(f"run: verdict is {shortened(repr(verdict))}; allowed: H0, H1 or none")
        return cls(options, total, begun, id, kept, verdict)


def timestamp(moment: datetime | None = None) -> str:
    """Return a time, by default now, as text in the form that dates runs."""
    return (moment or datetime.now(UTC)).isoformat(timespec="microseconds")


def canonical(agent: str) -> str:
    """Return an agent's spec in canonical form; any other text is returned unchanged."""
    try:
        return repr(load_agent(agent))
    except PlygroundError:
        return agent


def split_label(agent: str) -> tuple[str, str]:
    """Split `alice=mcts(simulations=100)` into label and spec; the label is "" if there is none.

    A label has up to 40 letters, digits, spaces, dots, dashes and underscores.
    """
    match = LABEL.fullmatch(agent.strip())
    return (match[1].strip(), match[2]) if match else ("", agent)


def own_seconds(options: Mapping[str, Any]) -> list[str]:
    """Return the thinking time of each agent in a plan's options, as text; "" where it has none."""
    own = {name: seconds for name, _, seconds in map(_split_seconds, options.get("seconds_of", ()))}
    agents = options["agents"]
    labels = options.get("names") or agents
    return [own.get(label, own.get(agent, "")) for label, agent in zip(labels, agents, strict=True)]


def _split_seconds(setting: str) -> tuple[str, str, str]:
    """Split `AGENT=SECONDS` at its last equals sign, as the agent's options may have others."""
    return setting.rpartition("=")


def digest(options: Mapping[str, Any]) -> str:
    """Return a hash of a tournament's options as plain data; the agents' names are ignored."""
    about_names = ("names", "seconds_of")
    decisive = {name: value for name, value in options.items() if name not in about_names}
    if options.get("seconds_of"):
        decisive["seconds_of"] = own_seconds(options)
    return blake2b(json.dumps(decisive, sort_keys=True).encode(), digest_size=16).hexdigest()


def new_plan(options: Mapping[str, Any]) -> Tournament:
    """Return a new plan; without an opening rule it gets the game's default."""
    rule = options.get("opening_rule")
    plan = Tournament.make(dict(options) | {"opening_rule": RANDOM if rule is None else rule})
    return plan if rule is not None else plan.ruled(default_rule(load_game(plan.game)))


def load_tournament(path: Path, given: Mapping[str, Any] = MappingProxyType({})) -> Tournament:
    """Return a new tournament from a TOML file of options; those in `given` override it."""
    return new_plan(read_plan(path, given))


def read_plan(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tournament's options from a TOML file; those in `given` override it."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8")) | dict(given)
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise SpecError(f"{path} is nested too deeply") from None
    except ValueError as error:
        raise SpecError(f"{path} is not a TOML file: {error}") from None
    for name in ("game", "agents"):
        if name not in values:
            raise SpecError(f"{path}: {name!r} is missing")
    return values
