"""Records of games: as data, and as text for people."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from html import escape
from importlib import import_module
from math import isfinite
from typing import Any, Self, get_type_hints

import numpy as np

from plyground.arena.faults import cleaned_lines
from plyground.arena.frame import make_frame
from plyground.errors import FAULTS, TextError, UnknownNameError
from plyground.game import Game, Position
from plyground.game.position import SKIP, SKIPPED
from plyground.games import GAMES
from plyground.options import converted
from plyground.text import cleaned, counted, shortened

FINISHED, ADJUDICATED, RESIGNED = "finished", "adjudicated", "resigned"
ENDINGS = (FINISHED, ADJUDICATED, RESIGNED, *FAULTS)
"""How a game ends: by its rules, by the cap on plies, by resignation, or by a player's fault."""

PERSON = "person"
"""Stands in place of an agent's spec for a person."""

Policy = tuple[tuple[int, float], ...]
"""Actions and their shares; empty if unknown."""

DEFAULTS = {"game_identity": "game", "identities": "agents", "names": "agents"}
"""Fields that default to the value of another field."""

_BY_PLY = ("players", "seconds", "values")
_BY_SEAT = ("entrants", "returns", "identities", "names")

OPTIONAL = ("faults", "policies", "logs", *DEFAULTS)
"""Fields that are written only if they are neither empty nor at their default."""


@dataclass(frozen=True)
class Record:
    """One game, with everything that is needed to replay it.

    Law: its fields do not contradict each other, and what `to_json` writes, `from_json` reads.
    """

    game: str
    agents: tuple[str, ...]
    """Specs by seat."""
    entrants: tuple[int, ...]
    """By seat: the agent's number in the match or tournament, from 0."""
    number: int
    """Number of the game in its match or tournament, from 0; people see and type it from 1."""
    seed: int
    """Seed of the start; the agents' seeds are derived from it and the number."""
    start: str
    opening: int
    """Number of random actions at the beginning."""
    actions: tuple[int, ...]
    players: tuple[int, ...]
    """Seat that played each action."""
    seconds: tuple[float, ...]
    values: tuple[float | None, ...]
    """Value of each action by its player's search, from -1 to 1; None if unknown."""
    returns: tuple[float, ...]
    ending: str
    """One of ENDINGS."""
    reason: str
    """Why the game did not end by its rules; empty if it did."""
    fault: int | None
    """The seat that forfeited or resigned."""
    version: str
    """Version of Plyground."""
    faults: tuple[tuple[int, int, str, str], ...] = ()
    """Ply, seat, kind and reason of each fault after which the referee replaced the move."""
    policies: tuple[Policy, ...] = ()
    """Policy of the player at each action, if policies were to be recorded."""
    game_identity: str = ""
    """The game's spec with digests of its files at that time, if it has files."""
    identities: tuple[str, ...] = ()
    """By seat: the agent's spec with digests of its files at that time (`Options.identity`)."""
    names: tuple[str, ...] = ()
    """By seat: the label shown in tables and reports; the spec if there was no label."""
    logs: tuple[str, ...] = ()
    """By seat: the end of what the player's program wrote to standard error; empty if none did."""

    def __post_init__(self) -> None:
        for name, default in DEFAULTS.items():
            object.__setattr__(self, name, getattr(self, name) or getattr(self, default))
        self._check_numbers()
        self._check_lengths()
        self._check_moves()

    def __str__(self) -> str:
        return write_text(self)

    @property
    def outcome(self) -> str:
        """How the game ended, in words."""
        if self.ending == FINISHED:
            return verdict(self.returns)
        loser = "" if self.fault is None else f"player {self.fault + 1} "
        return f"{loser}{self.ending}: {self.reason}"

    def _repr_html_(self) -> str:
        """Return the game as a replay page, for notebooks."""
        # Imported here, as the package `export` depends on this one.
        replay_page = import_module("plyground.export.replay").replay_page
        page = escape(replay_page(GAMES.recall(self.game), self))
        return f'<iframe srcdoc="{page}" style="width:100%;height:620px;border:0"></iframe>'

    def to_frame(self) -> Any:
        """Return the moves as a `pandas.DataFrame`: ply, player, action and so on."""
        line = positions(GAMES.recall(self.game), self)
        return make_frame(
            {
                "ply": ply,
                "player": self.players[ply],
                "action": action,
                "move": before.format(action),
                "seconds": self.seconds[ply],
                "value": self.values[ply],
            }
            for ply, (before, action) in enumerate(zip(line, self.actions, strict=False))
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json`."""
        data = dict(vars(self))
        for name in OPTIONAL:
            if not data[name] or data[name] == data.get(DEFAULTS.get(name, "")):
                del data[name]
        return data

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return a record from the data of `to_json`; an error names the field that is wrong.

        The data is untrusted, so that texts are cleaned; the start is checked when it is parsed.
        """
        if not isinstance(data, Mapping):
            raise TextError(
                f"a record must be an object with named fields, not {shortened(repr(data))}"
            )
        kinds = _kinds()
        for name in data:
            if name not in kinds:
                raise UnknownNameError("field of a record", str(name), kinds)
        for name in kinds:
            if name not in data and name not in OPTIONAL:
                raise TextError(f"the record has no {name!r}")
        values = {name: converted(kinds[name], data[name], f"record: {name}") for name in data}
        for name in ("game", "game_identity", "reason", "version"):
            values[name] = cleaned(values.get(name, ""))
        for name in ("agents", "identities", "names"):
            values[name] = tuple(map(cleaned, values.get(name, ())))
        values["faults"] = tuple(
            (ply, seat, kind, cleaned(reason))
            for ply, seat, kind, reason in values.get("faults", ())
        )
        values["logs"] = tuple(map(cleaned_lines, values.get("logs", ())))
        return cls(**values)

    def _check_numbers(self) -> None:
        """Raise TextError unless the numbers are Python's own, finite and of 64 bits."""
        whole = self.number, self.seed, self.opening, self.fault or 0, *self.actions
        real = *self.seconds, *self.returns, *filter(None, self.values)
        seats = *self.players, *self.entrants
        if any(self.policies):
            whole += tuple(action for policy in self.policies for action, _ in policy)
            real += tuple(share for policy in self.policies for _, share in policy)
        types = {*map(type, whole), *map(type, seats)}
        if types != {int} or not {*map(type, real)} <= {float}:
            wrong: list[Any] = [each for each in (*whole, *seats) if type(each) is not int]
            wrong += [each for each in real if type(each) is not float]
            raise TextError(f"the record has {wrong[0]!r}, which is no number of Python's own")
        if not all(map(isfinite, real)) or min(whole) < -(2**63) or max(whole) >= 2**63:
            raise TextError("the record has a number that is not finite or does not fit 64 bits")
        if self.seconds and min(self.seconds) < 0:
            raise TextError("the record's 'seconds' are negative")

    def _check_lengths(self) -> None:
        """Raise TextError if there are not as many entries as plies or seats."""
        plies, seats = len(self.actions), len(self.agents)
        for names, wanted in ((_BY_PLY, plies), (_BY_SEAT, seats)):
            for name in names:
                if len(getattr(self, name)) != wanted:
                    length = len(getattr(self, name))
                    raise _wrong_length(name, length, wanted)
        if len(self.logs) not in (0, seats):
            raise _wrong_length("logs", len(self.logs), seats)
        if len(self.policies) not in (0, plies):
            raise _wrong_length("policies", len(self.policies), plies)
        if not 0 <= self.opening <= plies:
            raise TextError(
                f"the record's 'opening' is {self.opening}, but it has {counted(plies, 'action')}"
            )

    def _check_moves(self) -> None:
        """Raise TextError if ending, faults and seats are not those of any game."""
        plies, seats = len(self.actions), len(self.agents)
        if self.ending not in ENDINGS:
            raise UnknownNameError("ending of a record", self.ending, ENDINGS)
        for ply, _, kind, _ in self.faults:
            if not 0 <= ply < plies or kind not in FAULTS:
                raise TextError(f"the record has an impossible fault: {kind!r} at ply {ply}")
        if SKIP in self.actions:
            skipped = {ply for ply, action in enumerate(self.actions) if action == SKIP}
            if not skipped <= {ply for ply, *_ in self.faults}:
                raise TextError("the record has a skipped move without a fault at its ply")
        for seat in {*self.players, self.fault or 0, *(fault[1] for fault in self.faults)}:
            if not 0 <= seat < seats:
                raise TextError(f"the record names seat {seat}; its seats are 0 to {seats - 1}")


def _wrong_length(name: str, length: int, wanted: int) -> TextError:
    entries = counted(length, "entry", "entries")
    return TextError(f"the record's {name!r} has {entries}, not {wanted}")


@cache
def _kinds() -> dict[str, Any]:
    hints = get_type_hints(Record)
    return {declared.name: hints[declared.name] for declared in fields(Record)}


def verdict(returns: tuple[float, ...]) -> str:
    """Return who won, in words."""
    best = max(returns)
    winners = [seat for seat, gained in enumerate(returns) if gained == best]
    if len(winners) == len(returns) > 1:
        return "a draw"
    names = " and ".join(f"player {seat + 1}" for seat in winners)
    return f"{names} won" if best > 0 else f"{names} did best ({best:+.2f})"


def positions(game: Game, record: Record) -> list[Position]:
    """Return every position of a record from the start to the end, by replaying it."""
    line = [game.parse(record.start)]
    for action in record.actions:
        line.append(line[-1].replay(action))
    return line


# Text format ------------------------------------------------------------------------------------

_HEADER = re.compile(r'\[(\w+) (".*")\]')
_MOVE = re.compile(r"(\d+)\. (\S+)(?: \{(?:(\S+) )?(\S+)s\})?(?: |$)")


WIDTH = 100
"""Columns of a line of moves at most."""


def write_text(record: Record) -> str:
    """Return a record as text like chess's PGN: headers, then moves with value and seconds.

    Policies and logs are left out. A game that is a file must have been loaded before: see
    `Registry.recall`.
    """
    headers = {"Game": record.game}
    headers |= {f"Player{seat}": spec for seat, spec in enumerate(record.agents, start=1)}
    if record.names != record.agents:
        headers |= {f"Name{seat}": name for seat, name in enumerate(record.names, start=1)}
    headers |= {
        "Returns": " ".join(f"{gained:+}" for gained in record.returns),
        "Ending": record.ending,
    }
    if record.reason:
        headers["Reason"] = record.reason
    if record.fault is not None:
        headers["Fault"] = str(record.fault + 1)
    if record.faults:
        headers["Faults"] = json.dumps(record.faults)
    if record.game_identity != record.game:
        headers["GameIdentity"] = record.game_identity
    if record.identities != record.agents:
        headers["Identities"] = json.dumps(record.identities)
    headers |= {
        "Start": record.start,
        "Opening": str(record.opening),
        "GameNumber": str(record.number + 1),
        "Entrants": " ".join(str(entrant + 1) for entrant in record.entrants),
        "Seed": str(record.seed),
        "Plyground": record.version,
    }
    lines = [f"[{name} {_quoted(text)}]" for name, text in headers.items()]
    body = [""]
    line = positions(GAMES.recall(record.game), record)
    for ply, (before, action) in enumerate(zip(line, record.actions, strict=False)):
        value, seconds = record.values[ply], record.seconds[ply]
        expected = "" if value is None else f"{value:+} "
        comment = "" if ply < record.opening else f" {{{expected}{_plain(seconds)}s}}"
        move = f"{ply + 1}. {before.format(action)}{comment}"
        if body[-1] and len(body[-1]) + len(move) < WIDTH:
            body[-1] += f" {move}"
        else:
            body.append(move)
    return "\n".join([*lines, *body, ""])


def _quoted(text: str) -> str:
    """Return a text as JSON, with escapes only for unprintable characters."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(
        letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in written
    )


def _plain(number: float) -> str:
    """Return a number exactly, and never in the form 1e-05."""
    return np.format_float_positional(number, trim="-")


def read_text(text: str) -> Record:
    """Return the record that `write_text` wrote; its moves are replayed and must be legal."""
    head, _, body = text.strip().partition("\n\n")
    headers: dict[str, str] = {}
    for row, line in enumerate(head.split("\n"), start=1):
        header = _HEADER.fullmatch(line.strip())
        if header is None:
            raise TextError(f"line {row} of the record is not a header: {shortened(line)!r}")
        headers[header[1]] = header[2]
    try:
        headers = {name: json.loads(text) for name, text in headers.items()}
        seats = sum(name.startswith("Player") for name in headers)
        agents = [headers[f"Player{seat + 1}"] for seat in range(seats)]
        names = [headers.get(f"Name{seat + 1}", agents[seat]) for seat in range(seats)]
        position = GAMES.recall(headers["Game"]).parse(headers["Start"])
        fault = headers.get("Fault")
        data: dict[str, Any] = {
            "game": headers["Game"],
            "agents": agents,
            "entrants": [int(entrant) - 1 for entrant in headers["Entrants"].split()],
            "number": _number(headers),
            "seed": int(headers["Seed"]),
            "start": headers["Start"],
            "opening": int(headers["Opening"]),
            "returns": [float(gained) for gained in headers["Returns"].split()],
            "ending": headers["Ending"],
            "reason": headers.get("Reason", ""),
            "fault": None if fault is None else int(fault) - 1,
            "version": headers["Plyground"],
            "faults": json.loads(headers.get("Faults", "[]")),
            "game_identity": headers.get("GameIdentity", ""),
            "identities": json.loads(headers.get("Identities", "[]")),
            "names": names,
        }
        moves = _moves(" ".join(body.split()), position)
    except KeyError as missing:
        raise TextError(f"the record has no header {missing.args[0]!r}") from None
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise TextError(f"the record cannot be read: {error}") from None
    return Record.from_json(data | moves)


def _number(headers: Mapping[str, str]) -> int:
    """Return a game's number from 0; earlier versions wrote it from 0, in the header `Number`."""
    if "GameNumber" in headers:
        return int(headers["GameNumber"]) - 1
    return int(headers["Number"])


def _moves(body: str, position: Position) -> dict[str, list[Any]]:
    actions: list[int] = []
    players, seconds, values = [], [], []
    offset = 0
    while offset < len(body):
        move = _MOVE.match(body, offset)
        if move is None or int(move[1]) != len(actions) + 1:
            number = f"move {len(actions) + 1}"
            raise TextError(f"cannot read {number} of the record in {shortened(body[offset:])!r}")
        actions.append(SKIP if move[2] == SKIPPED else position.parse(move[2]))
        players.append(position.player)
        values.append(None if move[3] is None else float(move[3]))
        seconds.append(float(move[4] or 0))
        position = position.replay(actions[-1])
        offset = move.end()
    return {"actions": actions, "players": players, "seconds": seconds, "values": values}
