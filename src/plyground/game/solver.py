"""The interface of exact solvers, which a game may provide for perfect play."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from plyground.compile import HAS_CLOCKS, Words
from plyground.control import CLOCK, DEADLINE, new_control
from plyground.errors import OptionError

if TYPE_CHECKING:  # the contract names solvers, and solvers name the contract
    from plyground.game.contract import Game
    from plyground.game.position import Position


@dataclass(frozen=True)
class Solution:
    """The proved value of a position, or of an action in it."""

    value: float
    """The result for the player to move with best play, as in `Position.returns`."""
    score: int | None
    """The value on the game's own scale; None if there is none, as for an unsolvable puzzle, or if
    only the value is proved."""
    plies: int | None
    """Plies to the end of the game with best play; None where there is no score."""
    line: tuple[int, ...]
    """A line of best play."""
    nodes: int
    seconds: float
    """CPU time of the search."""


@dataclass(frozen=True)
class Stop:
    """A limit for solvers: nodes and seconds, counted from its creation; a thread may end it early.

    Several positions that are solved with the same limit share it.
    """

    nodes: int | None = None
    seconds: float | None = None
    control: Words = field(init=False, repr=False, compare=False)
    """The control array of the solver (see `control`); setting its word STOP to 1 ends it."""

    def __post_init__(self) -> None:
        control = new_control(self.nodes)
        if self.seconds is not None and HAS_CLOCKS:
            control[CLOCK] = time.CLOCK_MONOTONIC
            control[DEADLINE] = time.monotonic_ns() + int(self.seconds * 1e9)
        object.__setattr__(self, "control", control)


class Best(NamedTuple):
    """The best actions of a position: the sooner win and the later loss is better."""

    actions: tuple[int, ...]
    value: float
    """For the player to move."""
    plies: int
    """To the end of the game."""


Progress = Callable[[int, int], None]
"""Called with how many positions are solved, and how many there are."""


class Solver(ABC):
    """Solves positions of one game, keeping its tables between calls; not safe for threads."""

    game: Game
    scope: str = ""
    """Which positions it can solve, in words; empty: all, given enough time."""

    @abstractmethod
    def solve(self, position: Position, stop: Stop | None = None) -> Solution | None:
        """Return the proved value of a position; None if it was not solved within the limit."""

    def best(self, position: Position, stop: Stop | None = None) -> Solution | None:
        """Return what `solve` does, but sooner if a line of one action is known without search.

        If the limit is reached, that may be an action that wins, but perhaps not in the fewest
        plies.
        """
        return self.solve(position, stop)

    def least_nodes(self, position: Position) -> float:
        """Return a low estimate of the nodes that solving takes, to see where it is hopeless."""
        return 1.0

    @abstractmethod
    def values(self, position: Position, stop: Stop | None = None) -> dict[int, Solution] | None:
        """Return the solution of every legal action, from the view of the player to move.

        None if they were not all solved within the limit.
        """

    def best_actions(self, line: Sequence[Position], stop: Stop | None = None) -> list[Best | None]:
        """Return the best actions of the positions of a game; None: not solved within the limit.

        The last positions are solved first, as that is easier.
        """
        found: list[Best | None] = []
        stop = stop or Stop()
        for position in reversed(line):
            values = self.values(position, stop)
            if values is None:
                break
            merits = {
                action: (each.value, -each.value * (each.plies or 0))
                for action, each in values.items()
            }
            most = max(merits.values())
            actions = tuple(action for action, merit in merits.items() if merit == most)
            found.append(Best(actions, values[actions[0]].value, values[actions[0]].plies or 0))
        return [*[None] * (len(line) - len(found)), *reversed(found)]

    def forget(self) -> None:  # noqa: B027 (not every solver has tables)
        """Empty the tables and touch all of their memory, so that no later call has to."""

    def read(self, text: str) -> Position:
        """Return the position of a text, also of one in the notation of published test sets."""
        return self.game.parse(text)

    def build_book(
        self,
        folder: Path,
        plies: int,
        workers: int,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Path | None:
        """Build an opening book in a folder, from what an earlier call has left there.

        Every position of the last ply is solved, by so many processes. Return the file of the book,
        or None if it is not complete after so many seconds.
        """
        raise OptionError(f"{self.game} has no opening book")
