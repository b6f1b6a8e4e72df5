"""Repeats: games that must equal an earlier one, and therefore count only once.

Deterministic agents play the same game whenever they meet from the same start. All agents do so in
another run of the same plan, as starts, seeds and numbers are the same. With a clock, no game must
equal another. Nor must games of random agents or other people's programs within a run: if two of
them are equal by chance, both are results, and leaving one out would bias results towards rare
games.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any

from plyground.agents import AGENTS
from plyground.arena.record import Record
from plyground.arena.summary import Summary
from plyground.errors import PlygroundError
from plyground.game import Facts
from plyground.spec import parse_spec

CLOCKS = ("seconds", "seconds_of", "bank")
"""The options of a plan that limit agents by time."""


class Repeats:
    """Counts the repeats among records of one game, in the order in which they are given."""

    def __init__(self, facts: Facts | None, across_runs: bool = False) -> None:
        self.count = 0
        self._across_runs = across_runs
        self._nothing_hidden = facts is not None and not facts.hidden
        """If something is hidden, even deterministic agents guess it by the seed."""
        self._hashes: set[int] = set()

    def is_new(self, record: Record, plan: Mapping[str, Any]) -> bool:
        """Return whether a game is not a repeat; `plan` holds the options of its tournament."""
        return self.is_first(self.hash_of(record, plan), record.entrants)

    def hash_of(self, record: Record | Summary, plan: Mapping[str, Any]) -> int | None:
        """Return a hash that repeats have in common; None for a game that always counts."""
        if any(plan.get(clock) is not None for clock in CLOCKS):
            return None
        moves: tuple[Hashable, ...] = record.identities, record.start, record.actions
        if not self._nothing_hidden or any(map(_is_random, record.agents)):
            if not self._across_runs:
                return None
            moves += record.seed, record.number
        return hash(moves)

    def is_first(self, hashed: int | None, players: Hashable) -> bool:
        """Return whether a game with this hash is the first of these players.

        They are more than the identities: a program may be entered twice.
        """
        if hashed is None:
            return True
        key = hash((hashed, players))
        is_repeat = key in self._hashes
        self._hashes.add(key)
        self.count += is_repeat
        return not is_repeat


@cache
def _is_random(agent: str) -> bool:
    """Return whether an agent may choose differently each time; agents in files may."""
    try:
        name, _ = parse_spec(agent)
        return name not in AGENTS.inside or not AGENTS.find(name).deterministic
    except PlygroundError:
        return True
