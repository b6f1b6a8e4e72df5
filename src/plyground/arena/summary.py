"""Summaries: who played a stored game, and how it ended, read without the rest of its record."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple, Self

from plyground.arena.record import Record
from plyground.errors import TextError
from plyground.options import converted
from plyground.text import cleaned, counted

FIELDS = (
    "number", "game", "game_identity", "agents", "identities", "names", "returns", "start", "seed",
    "actions", "entrants", "version",
)  # fmt: skip
"""The fields of a record from which a summary is made."""

REMEMBERED = 65_536
"""Lists that are read once: agents and results come again and again."""

_write = json.JSONEncoder(separators=(",", ":")).encode


class Summary(NamedTuple):
    """Who played a game, and with which result; and the fields by which repeats are found."""

    number: int
    game: str
    game_identity: str
    agents: tuple[str, ...]
    identities: tuple[str, ...]
    names: tuple[str, ...]
    returns: tuple[float, ...]
    start: str
    seed: int
    actions: str
    """The list as JSON."""
    entrants: tuple[int, ...]
    version: str

    @classmethod
    def read(cls, *fields: Any) -> Self:
        """Return a summary from the values of FIELDS: lists as JSON, and None if one is missing.

        They are untrusted: their types are checked, and an error names the field.
        """
        number, game, identity, agents, identities, names, returns, *others = fields
        start, seed, actions, entrants, version = others
        seated, gained, entrants = _texts(agents), _returns(returns), _numbers(entrants)
        known, called = _texts(identities) or seated, _texts(names) or seated
        by_seat = {"identities": known, "names": called, "returns": gained, "entrants": entrants}
        for name, entries in by_seat.items():
            if len(entries) != len(seated):
                wrong = f"{counted(len(entries), 'entry', 'entries')}, not {len(seated)}"
                raise TextError(f"the record's {name!r} has {wrong}")
        game = cleaned(_text(game, "game"))
        identity = cleaned(_text(identity or game, "game_identity"))
        return cls(
            int(number), game, identity, seated,
            known, called, gained, _text(start, "start"), int(seed), _text(actions, "actions"),
            entrants, cleaned(_text(version, "version")),
        )  # fmt: skip

    @classmethod
    def of(cls, record: Record) -> Self:
        """Return the summary of a record."""
        values = {name: getattr(record, name) for name in FIELDS}
        return cls(**values | {"actions": _write(record.actions)})


def _text(value: Any, name: str) -> str:
    return value if type(value) is str else converted(str, value, f"record: {name}")


@lru_cache(REMEMBERED)
def _texts(written: str | None) -> tuple[str, ...]:
    """Return a list of agents, () if it is missing."""
    read = [] if written is None else json.loads(written)
    if type(read) is not list or {*map(type, read)} - {str}:  # checked here, as it takes less time
        read = converted(tuple[str, ...], read, "record: agents")
    return tuple(map(cleaned, read))


@lru_cache(REMEMBERED)
def _numbers(written: str) -> tuple[int, ...]:
    read: tuple[int, ...] = converted(tuple[int, ...], json.loads(written), "record: entrants")
    return read


@lru_cache(REMEMBERED)
def _returns(written: str) -> tuple[float, ...]:
    read = json.loads(written)
    returns: tuple[float, ...] = converted(tuple[float, ...], read, "record: returns")
    if not all(-1 <= gained <= 1 for gained in returns):
        raise TextError(f"the record's 'returns' are {returns}, not within -1..1")
    return returns
