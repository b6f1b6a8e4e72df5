"""What an agent is: options, and one method that thinks about a position within a limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar

from plyground.errors import BadOption, CannotPlay, shortened
from plyground.game import Game, Position
from plyground.options import Options
from plyground.search.timing import Timer

GRACE = 0.05
"""Seconds that an answer may be late: no machine is punctual."""

PATIENCE = 10
"""A second of CPU time may last so many seconds: one that sleeps is to lose, one that waits not."""

CAPS = ("seconds", "depth", "nodes", "simulations", "bank")


@dataclass(frozen=True)
class Limit:
    """How long an agent may think; what is None is not limited."""

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    bank: float | None = None
    """Seconds left of the whole game's, for those who budget them; `seconds` is this move's."""
    overage: float = 0.0
    """Seconds left of those that moves of a game may take beyond their own."""
    grace: float = GRACE
    """Seconds that whoever asks waits longer; not meant to be used."""
    cpu: bool = False
    """Whether all these are seconds of computing, by all of the player's processes."""

    def __post_init__(self) -> None:
        for name in CAPS:
            value = getattr(self, name)
            timed = name in ("seconds", "bank")
            kinds = (int, float) if timed else (int,)
            if value is None:
                continue
            if not isinstance(value, kinds) or isinstance(value, bool):
                what = "a number" if timed else "a whole number"
                raise BadOption(f"limit: {name}={shortened(repr(value))} must be {what}")
            if not value > 0 or (value >= 2**63 and not timed):
                raise BadOption(f"limit: {name}={value} must be above 0 and fit 64 bits")
        for name in ("overage", "grace"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not value >= 0:
                raise BadOption(f"limit: {name}={shortened(repr(value))} must be at least 0")

    @property
    def timed(self) -> bool:
        """Return whether there is a clock."""
        return self.seconds is not None or self.bank is not None

    @property
    def allowed(self) -> float:
        """Return how many seconds an answer may take, by whichever clock."""
        own = self.bank if self.bank is not None else self.seconds
        return (inf if own is None else own) + self.overage

    @property
    def wait(self) -> float:
        """Return how many seconds may pass until an answer is no longer waited for."""
        return (self.allowed + self.grace) * (PATIENCE if self.cpu else 1)

    def within(self, **caps: float | None) -> Limit:
        """Return the tighter of this limit and the agent's own caps."""
        tighter: dict[str, Any] = {
            name: min(value, own) if (own := getattr(self, name)) is not None else value
            for name, value in caps.items()
            if value is not None
        }
        return replace(self, **tighter)

    def otherwise(self, **default: float) -> Limit:
        """Return this limit, or with the default where it leaves everything open."""
        is_open = all(getattr(self, name) is None for name in CAPS)
        return replace(self, **default) if is_open else self  # type: ignore[arg-type]


@dataclass(frozen=True)
class Thought:
    """What an agent makes of a position: its choice, and whatever else it knows."""

    action: int
    value: float | None = None
    """What the player to move can expect, from -1 to 1."""
    policy: Mapping[int, float] = field(default_factory=dict)
    """How much each action was favoured; adds up to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    """What it took, where the agent can tell better than whoever asked."""


class Agent(Options, ABC):
    """A player of any game; `think` is a function of its arguments, but for the clock."""

    guesses: ClassVar[bool] = True
    """Whether hidden information is guessed once for the agent, or left for it to deal with."""

    deterministic: ClassVar[bool] = False
    """Whether it makes no use of the seed: without a clock it plays equal positions alike."""

    def think(self, position: Position, limit: Limit | None = None, seed: int = 0) -> Thought:
        """Choose an action; whatever is random in the choice comes from the seed."""
        return self.choose(self._seen(position, seed), limit or Limit(), seed)

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int = 0
    ) -> Iterator[Thought]:
        """Think aloud: yield ever better thoughts, the last of which is what `think` returns.

        But for a forced move: under a clock it is played at once, and an analysis looks into it.
        """
        yield self.think(position, limit, seed)

    @abstractmethod
    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Choose an action in a position that is not over, of a game that `prepare` let pass.

        Where something is hidden from the player, it has been guessed, if `guesses` says so.
        """

    def prepare(self, game: Game) -> None:
        """Compile what is needed, or say why this agent cannot play the game; before any clock."""
        game.prepare()

    def granted(self, limit: Limit, move: int) -> Limit:
        """Return the limit of its next move, of which it has made so many: its contest's rules.

        `overage` is the whole game's; the match keeps account of what is left.
        """
        return limit

    def sit(self, game: Game, seat: int, seed: int = 0, *, ponder: bool = False) -> Agent:
        """Take a seat for one game: return who plays it, which may be a process of its own.

        What is random in the preparation of the game comes from the seed. With `ponder`, a process
        may go on computing while it is not its turn.
        """
        return self

    def leave(self, returns: tuple[float, ...]) -> None:
        """End what `sit` began; `returns` are the game's, by seat."""

    def _seen(self, position: Position, seed: int) -> Position:
        self.prepare(position.game)
        if position.is_over:
            raise CannotPlay(f"the game is over: there is nothing to think about in {position!r}")
        return position.determinize(seed) if self.guesses else position


class Searcher(Agent):
    """An agent whose thoughts get better while it thinks, and that can be stopped at any time."""

    @abstractmethod
    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        """Yield the thought of the moment whenever `timer.run` yields, and the last at the end."""

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if limit.seconds is not None and len(position.legal_actions) == 1:
            limit = limit.within(depth=1)  # the move is forced: time is better kept for others
        timer = self._start(limit)
        *_, last = self.search(position, limit, seed, timer)
        timer.answered()
        return last

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int = 0
    ) -> Iterator[Thought]:
        limit, seen = limit or Limit(), self._seen(position, seed)
        return self.search(seen, limit, seed, self._start(limit, TICK))

    @cached_property
    def _last(self) -> list[Timer]:
        """The timer of the search before."""
        return []

    def _start(self, limit: Limit, every: float | None = None) -> Timer:
        """Start a search's timer; the search before lets go of the memory that they share."""
        timer = Timer(limit.seconds, limit.cpu, every)
        while self._last:
            self._last.pop().finish()
        self._last.append(timer)
        return timer


TICK = 0.2
"""Seconds between two thoughts of an analysis."""
