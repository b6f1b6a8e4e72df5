"""Repeats: games that had to come out as an earlier one did, and are counted once with it.

Agents without chance play the same game whenever they meet from the same start; all agents do in
another run of the same plan, where starts, seeds and numbers are the same. Under a clock no game
has to repeat another. Nor, within a run, has one of agents with chance or of programs from outside:
that it came out the same again is a result like any other, and to leave it out would favour what is
rare.
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
"""The options of a plan that let agents think by the clock."""


class Repeats:
    """Counts the repeats among records of one game, in the order in which it is shown them."""

    def __init__(self, facts: Facts | None, across_runs: bool = False) -> None:
        self.count = 0
        self._across_runs = across_runs
        self._open = facts is not None and not facts.hidden
        """Whether agents see everything: what is hidden they guess, by the seed."""
        self._seen: set[int] = set()

    def is_new(self, record: Record, plan: Mapping[str, Any]) -> bool:
        """Return whether a game is no repeat; `plan` holds the options of its tournament."""
        if any(plan.get(clock) is not None for clock in CLOCKS):
            return True
        came_from: tuple[Hashable, ...] = record.identities, record.start, record.actions
        if not self._across_runs:
            came_from += record.entrants  # who meets itself is in two seats
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
    """Return whether an agent's choice may differ from time to time; files are not looked into."""
    try:
        name, _ = parse_spec(agent)
        return name not in AGENTS.inside or not AGENTS.find(name).deterministic
    except PlygroundError:
        return True
