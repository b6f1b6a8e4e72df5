"""What an agent is: options, and one method that thinks about a position within a limit."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from plyground.compile import Words
from plyground.errors import BadOption, CannotPlay
from plyground.game import Game, Position
from plyground.options import Options

T = TypeVar("T")


@dataclass(frozen=True)
class Limit:
    """How long an agent may think; what is None is not limited."""

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None

    def __post_init__(self) -> None:
        for declared in fields(self):
            value = getattr(self, declared.name)
            if value is not None and value <= 0:
                raise BadOption(f"limit: {declared.name}={value} must be above 0")

    def within(self, **caps: float | None) -> Limit:
        """Give the tighter of this limit and an agent's own caps."""
        tighter: dict[str, Any] = {
            declared.name: min(
                (
                    cap
                    for cap in (getattr(self, declared.name), caps.get(declared.name))
                    if cap is not None
                ),
                default=None,
            )
            for declared in fields(self)
        }
        return Limit(**tighter)

    def otherwise(self, **default: float) -> Limit:
        """Give this limit, or the default where this one leaves everything open."""
        return Limit(**default) if self == Limit() else self  # type: ignore[arg-type]


@dataclass(frozen=True)
class Thought:
    """What an agent makes of a position: its choice, and whatever else it knows."""

    action: int
    value: float | None = None
    """What the player to move can expect, from -1 to 1."""
    policy: Mapping[int, float] = field(default_factory=dict)
    """How much each action was favoured; adds up to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)


class Agent(Options, ABC):
    """A player of any game; `think` is a function of its arguments, but for the clock."""

    def think(self, position: Position, limit: Limit | None = None, seed: int = 0) -> Thought:
        """Choose an action; whatever is random in the choice comes from the seed."""
        self.prepare(position.game)
        if position.is_over:
            raise CannotPlay(f"the game is over: there is nothing to think about in {position!r}")
        return self.choose(position.determinize(seed), limit or Limit(), seed)

    @abstractmethod
    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Choose an action in a position that is not over, of a game that `prepare` let pass.

        Where something is hidden from the player, it has been guessed.
        """

    def prepare(self, game: Game) -> None:
        """Compile what is needed, or say why this agent cannot play the game; before any clock."""
        game.prepare()


def run_stoppable(work: Callable[[], T], stop: Words, seconds: float | None) -> T:
    """Run compiled work beside the main thread and set `stop` when the time is up, or on Ctrl-C.

    Kernels hold no lock, so the main thread stays free to see the clock and the keyboard.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    try:
        thread.join(seconds)
    finally:
        stop[0] = 1
        thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
