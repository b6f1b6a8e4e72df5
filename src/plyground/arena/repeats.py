"""Repeats: games that are bound to equal an earlier one, and are counted once with it.

Deterministic agents play the same game whenever they meet from the same start; all agents do in
another run of the same plan, where starts, seeds and numbers are the same. Under a clock no game is
bound to equal another. Nor, within a run, is a game of random agents or of programs from outside:
if it equals another by chance, it is a result like any other, and leaving it out would be a bias
towards rare games.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any

from plyground.agents import AGENTS
from plyground.arena.record import Record
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
        self._open = facts is not None and not facts.hidden
        """Whether nothing is hidden; where something is, agents guess it with the seed."""
        self._seen: set[int] = set()

    def is_new(self, record: Record, plan: Mapping[str, Any]) -> bool:
        """Return whether a game is not a repeat; `plan` holds the options of its tournament."""
        if any(plan.get(clock) is not None for clock in CLOCKS):
            return True
        came_from: tuple[Hashable, ...] = record.identities, record.start, record.actions
        if not self._across_runs:
            came_from += record.entrants  # an agent may be entered twice
        if not self._open or any(map(_has_chance, record.agents)):
            if not self._across_runs:
                return True
            came_from += record.seed, record.number
        known = hash(came_from) in self._seen
        self._seen.add(hash(came_from))
        self.count += known
        return not known


@cache
def _has_chance(agent: str) -> bool:
    """Return whether an agent may choose differently each time; files are assumed to."""
    try:
        name, _ = parse_spec(agent)
        return name not in AGENTS.inside or not AGENTS.find(name).deterministic
    except PlygroundError:
        return True
