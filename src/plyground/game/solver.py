"""Exact solvers: what a game may bring so that it can be played perfectly."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plyground.compile import HAS_CLOCKS, Words
from plyground.control import CLOCK, DEADLINE, new_control

if TYPE_CHECKING:  # the contract names solvers, and solvers name the contract
    from plyground.game.contract import Game
    from plyground.game.position import Position


@dataclass(frozen=True)
class Solution:
    """What is proved of a position, or of an action in it."""

    value: float
    """What the player to move gets at best play, as in `Position.returns`."""
    score: int | None
    """The value on the game's own scale; None where there is none, as for an unsolvable puzzle."""
    plies: int | None
    """Plies to the end at best play; None where there is no such end."""
    line: tuple[int, ...]
    """A line of best play."""
    nodes: int
    seconds: float
    """CPU time of the thread that solved it."""


@dataclass(frozen=True)
class Stop:
    """A limit for solvers: nodes and seconds in all, from now on; or a word from another thread.

    Several positions that are solved with the same limit share what it allows.
    """

    nodes: int | None = None
    seconds: float | None = None
    control: Words = field(init=False, repr=False, compare=False)
    """What compiled code obeys (see `control`): setting its word STOP to 1 ends the solver."""

    def __post_init__(self) -> None:
        control = new_control(self.nodes)
        if self.seconds is not None and HAS_CLOCKS:
            control[CLOCK] = time.CLOCK_MONOTONIC
            control[DEADLINE] = time.monotonic_ns() + int(self.seconds * 1e9)
        object.__setattr__(self, "control", control)


class Solver(ABC):
    """Solves positions of one game; its tables serve call after call, in one thread at a time."""

    game: Game

    @abstractmethod
    def solve(self, position: Position, stop: Stop | None = None) -> Solution | None:
        """Return what is true of a position; None if it was not solved within the limit."""

    @abstractmethod
    def values(self, position: Position, stop: Stop | None = None) -> dict[int, Solution] | None:
        """Return what is true of every legal action, as the player to move sees it."""
