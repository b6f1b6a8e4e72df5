"""A player in a game: its clock, and which moves it was told of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter, process_time

from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.errors import AgentFailed, shortened
from plyground.game import Position
from plyground.search.timing import own_time

MOVES = 30
"""Moves for which a bank of time is budgeted; fewer where the game must end sooner."""

SHORTEST = 0.001
"""Seconds for a move when the bank is empty."""


class Clock:
    """One seat's time: seconds for each move; a bank and an overage for the whole game."""

    def __init__(self, limit: Limit, increment: float) -> None:
        self.limit, self.increment = limit, increment
        self.left = limit.bank
        self.granted = limit
        """The limit of the current move."""
        self.moves, self.overused = 0, 0.0

    def allow(self, agent: Agent | None, position: Position) -> Limit:
        """Return the limit of the next move: its share of the bank, and what is left of that.

        Without an agent it is a person's, to whom a contest's own rules do not apply.
        """
        granted = self.limit if agent is None else agent.granted(self.limit, self.moves)
        bank = None if self.left is None else max(SHORTEST, self.left)
        overage = max(0.0, granted.overage - self.overused)
        self.granted = replace(granted, bank=bank, overage=overage)
        if self.left is None:
            return self.granted
        facts = position.game.facts
        moves = max(1, min(MOVES, (facts.longest - position.ply) // facts.players))
        share = max(SHORTEST, min(self.left / (moves + 1) + self.increment, 0.9 * self.left))
        return self.granted.within(seconds=share)

    def charge(self, seconds: float, passed: float) -> None:
        """Charge a move's time by its clock, and check that against the time `passed` as well."""
        self.moves += 1
        granted = self.granted
        caps = [each for each in (granted.seconds, self.left) if each is not None]
        if not caps:
            return
        own = min(caps)
        had = own + granted.overage
        if seconds > had + granted.grace:
            raise AgentFailed("late", f"took {seconds:.3f} s, had {had:.3f} s")
        if granted.cpu and passed > granted.wait:
            raise AgentFailed("late", f"{passed:.3f} s passed, {granted.wait:.3f} s may")
        self.overused += max(0.0, seconds - own)
        if self.left is not None:
            self.left = max(0.0, self.left - seconds) + self.increment


def reader(limit: Limit) -> Callable[[], float]:
    """Return the clock by which a move is timed."""
    if not limit.timed:
        return perf_counter
    return process_time if limit.cpu else own_time


class Seat:
    """A player and its clock, in a game that begins at a ply."""

    def __init__(self, player: Player, clock: Clock, ply: int) -> None:
        self.player, self.clock = player, clock
        self._heard = ply
        self._listens = type(player).watch is not Player.watch and not player.game.facts.hidden

    def take_turn(self, position: Position, view: Position, seed: int) -> tuple[Thought, float]:
        """Let the player think about its view of a position; return the thought and its seconds.

        Every exception raised in here is the player's fault.
        """
        if self._listens:
            for _, action in position.played_since(self._heard):
                self.player.watch(action)
            self._heard = position.ply
        allowed = self.clock.allow(self.player.agent, position)
        read = reader(allowed)
        began, at = read(), perf_counter()
        thought = self.player.think(view, allowed, seed)
        if not isinstance(thought, Thought):
            raise AgentFailed("failed", f"its answer is {shortened(repr(thought))}, not a Thought")
        spent, passed = read() - began, perf_counter() - at
        if thought.seconds is not None:
            spent = thought.seconds
        self.clock.charge(spent, passed)
        return thought, spent
