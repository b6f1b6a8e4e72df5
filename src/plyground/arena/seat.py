"""A player in a game: its clock, and the moves that it has been sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter, process_time

from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.agents.thought import checked
from plyground.errors import AgentError
from plyground.game import Position
from plyground.search.timing import own_time

MOVES = 30
"""Moves among which a bank of time is divided; fewer if the game must end sooner."""

EXTENSION, PART = 4, 0.25
"""The most that a hard move may take: so many times its share, and this part of the bank."""

SHORTEST = 0.001
"""Seconds allowed for a move when the bank is empty."""


class Clock:
    """One seat's clock: seconds per move, a bank and an overage per game.

    With `first_is_free` it starts after the seat's first move, which costs nothing.
    """

    def __init__(self, limit: Limit, increment: float, *, first_is_free: bool = False) -> None:
        self.limit, self.increment, self.first_is_free = limit, increment, first_is_free
        self.left = limit.bank
        self.granted = limit
        """The limit of the current move."""
        self.moves, self.overused = 0, 0.0

    @property
    def has_started(self) -> bool:
        """Whether the present move costs time."""
        return self.moves > 0 or not self.first_is_free

    def allow(self, agent: Agent | None, position: Position) -> Limit:
        """Return the limit of the next move, with its share of the bank and what is left of it.

        `agent` is None for a person, to whom a contest's own time rules do not apply.
        """
        granted = self.limit if agent is None else agent.granted(self.limit, self.moves)
        if self.left is None and granted.bank is None and not (granted.overage and self.overused):
            self.granted = granted  # nothing is subtracted, and a copy takes long
            return granted
        overage = max(0.0, granted.overage - self.overused)
        if self.left is None:
            self.granted = replace(granted, bank=None, overage=overage)
            return self.granted
        self.granted = replace(granted, bank=max(SHORTEST, self.left), overage=overage)
        facts = position.game.facts
        moves = max(1, min(MOVES, (facts.longest - position.ply) // facts.players))
        share = max(SHORTEST, min(self.left / (moves + 1) + self.increment, 0.9 * self.left))
        limit = self.granted.within(seconds=share)
        most = max(share, min(EXTENSION * share, PART * self.left))
        return replace(limit, most=min(most, granted.seconds or most))

    def charge(self, seconds: float, elapsed: float) -> None:
        """Subtract a move's seconds; raise AgentError if they or the elapsed ones are too many."""
        is_free = not self.has_started
        self.moves += 1
        if is_free:
            return
        granted = self.granted
        if granted.seconds is None and self.left is None:
            return
        limits = [limit for limit in (granted.seconds, self.left) if limit is not None]
        regular = min(limits)
        allowed = regular + granted.overage
        if seconds > allowed + granted.grace:
            raise AgentError("late", f"took {seconds:.3f} s, had {allowed:.3f} s")
        if granted.cpu and elapsed > granted.wait:
            took = f"took {elapsed:.3f} s of elapsed time"
            raise AgentError("late", f"{took}, had {granted.wait:.3f} s")
        self.overused += max(0.0, seconds - regular)
        if self.left is not None:
            self.left = max(0.0, self.left - seconds) + self.increment


def reader(limit: Limit) -> Callable[[], float]:
    """Return the function that reads the time by which a move is measured."""
    if not limit.timed:
        return perf_counter
    return process_time if limit.cpu else own_time


class Seat:
    """A player and its clock, in a game that is followed from a ply on."""

    def __init__(self, player: Player, clock: Clock, ply: int) -> None:
        self.player, self.clock = player, clock
        self.spent = 0.0
        """The seconds of its last turn, by the clock that judges it."""
        self._watched_ply = ply
        self._watches = type(player).watch is not Player.watch and not player.game.facts.hidden

    def take_turn(self, position: Position, view: Position, seed: int) -> Thought:
        """Let the player think about its view of a position, and return the thought.

        Every exception that this raises is the player's fault. `spent` is set in any case.
        """
        if self._watches:
            for _, action in position.played_since(self._watched_ply):
                self.player.watch(action)
            self._watched_ply = position.ply
        allowed = self.clock.allow(self.player.agent, position)
        read = reader(allowed)
        began, began_at = read(), perf_counter()
        try:
            answer = self.player.think(view, allowed, seed)
        finally:
            self.spent, elapsed = read() - began, perf_counter() - began_at
        thought = checked(answer)
        if thought.seconds is not None:
            self.spent = thought.seconds
        self.clock.charge(self.spent, elapsed)
        return thought
