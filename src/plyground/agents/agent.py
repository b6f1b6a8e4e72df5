"""Agents and players: an agent is options; a player is an agent in one seat of one game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any, ClassVar, Self

from plyground.agents.thought import Proof as Proof
from plyground.agents.thought import Thought as Thought
from plyground.agents.thought import checked
from plyground.arithmetic import derive_seed
from plyground.errors import CannotPlayError, OptionError
from plyground.game import Game, Position
from plyground.options import Options
from plyground.search.timing import Timer
from plyground.text import shortened

GRACE = 0.05
"""Seconds that an answer may be late, as timers and processes are not exact."""

PATIENCE = 10
"""Seconds of wall-clock time allowed per second of CPU time.

Enough for a program that waits for a busy CPU; one that sleeps loses.
"""

CAPS = ("seconds", "depth", "nodes", "simulations", "bank", "most")


@dataclass(frozen=True)
class Limit:
    """How long an agent may think; None means no limit."""

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    bank: float | None = None
    """Seconds left for the rest of the game; `seconds` is the limit for this move."""
    most: float | None = None
    """Seconds that this move may take if it is hard, where `seconds` is its share of a bank."""
    overage: float = 0.0
    """Extra seconds left in this game for moves that exceed their own limit."""
    grace: float = GRACE
    """Seconds after the limit until an answer counts as late; players should not plan with them."""
    cpu: bool = False
    """Whether these are seconds of CPU time, summed over the player's processes."""

    def __post_init__(self) -> None:
        for name in CAPS:
            value = getattr(self, name)
            timed = name in ("seconds", "bank", "most")
            kinds = (int, float) if timed else (int,)
            if value is None:
                continue
            if not isinstance(value, kinds) or isinstance(value, bool):
                what = "a number" if timed else "a whole number"
                raise OptionError(f"limit: {name}={shortened(repr(value))} must be {what}")
            if not value > 0 or (value >= 2**63 and not timed):
                raise OptionError(f"limit: {name}={value} must be above 0 and fit 64 bits")
        for name in ("overage", "grace"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not value >= 0:
                raise OptionError(f"limit: {name}={shortened(repr(value))} must be at least 0")

    @classmethod
    def of_move(cls, limit: Limit | None) -> Limit:
        """Return the limit of a move: no limit by default; a bank without a share is spent."""
        if limit is None:
            return cls()
        is_shared = limit.bank is None or limit.seconds is not None
        return limit if is_shared else replace(limit, seconds=limit.bank)

    @property
    def timed(self) -> bool:
        """Return whether time is limited."""
        return self.seconds is not None or self.bank is not None

    @property
    def allowed(self) -> float:
        """Return the seconds that an answer may take: those of the game or move, and overage."""
        seconds = self.bank if self.bank is not None else self.seconds
        return (inf if seconds is None else seconds) + self.overage

    @property
    def wait(self) -> float:
        """Return the wall-clock seconds after which an answer is no longer waited for."""
        return (self.allowed + self.grace) * (PATIENCE if self.cpu else 1)

    def within(self, **caps: float | None) -> Limit:
        """Return the tighter of this limit and the agent's own caps."""
        tighter: dict[str, Any] = {
            name: min(value, own) if (own := getattr(self, name)) is not None else value
            for name, value in caps.items()
            if value is not None
        }
        return replace(self, **tighter) if tighter else self  # a copy takes long

    def otherwise(self, **default: float) -> Limit:
        """Return this limit, or this limit with a default if it limits nothing."""
        unlimited = all(getattr(self, name) is None for name in CAPS)
        return replace(self, **default) if unlimited else self  # type: ignore[arg-type]


class Agent(Options, ABC):
    """Immutable options that say how to play any game; `sit` returns a player.

    Everything that changes during a game belongs to the player.
    """

    guesses: ClassVar[bool] = True
    """Whether hidden information is guessed before `choose`; if not, the agent deals with it."""

    deterministic: ClassVar[bool] = False
    """Whether the seed is ignored: without a clock, equal positions get equal moves."""

    example_game: ClassVar[str] = "connect_n"
    """A game that the agent plays, for the example shown by `plyground agents`."""

    rehearses: ClassVar[bool] = False
    """Whether a short search precedes the first game, so that the first move loads nothing."""

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Return the agent's choice in a position that is not over; `prepare` accepted its game.

        Agents that keep nothing between moves override only this method; others override `player`.
        If `guesses` is true, hidden information in the position has been guessed.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither `choose` nor `player`")

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        """Return this agent's player for one game; the parameters are those of `sit`."""
        return Player(self, game, seat, seed)

    def accept(self, game: Game) -> None:
        """Raise CannotPlayError if this agent cannot play a game, without compiling the game."""

    def prepare(self, game: Game) -> None:
        """Compile what is needed, before clocks start; refuse a game by CannotPlayError."""
        self.accept(game)
        game.prepare()

    def granted(self, limit: Limit, move: int) -> Limit:
        """Return the limit for a player's next move; `move` is the number it has made so far.

        For contests with time rules of their own. `overage` is for the whole game: the match
        subtracts what was used.
        """
        return limit

    def sit(self, game: Game, seat: int, seed: int = 0, *, ponder: bool = False) -> Player:
        """Return a player for one seat of one game; close it when the game is over.

        The seed determines the player's random choices. With `ponder`, a player that is a program
        may go on computing while it is not its turn.
        """
        self.prepare(game)
        if not 0 <= seat < game.facts.players:
            raise CannotPlayError(
                f"seat {seat}: {game} has the seats 0 to {game.facts.players - 1}"
            )
        if self.rehearses:
            _rehearse(self, game)
        return self.player(game, seat, seed, ponder=ponder)

    def think(self, position: Position, limit: Limit | None = None, seed: int = 0) -> Thought:
        """Return the choice of a new player; the seed determines random choices."""
        with self.sit(position.game, position.player, seed) as player:
            return checked(player.think(position, limit, seed))

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int = 0
    ) -> Iterator[Thought]:
        """Yield ever better thoughts of a new player; see `Player.analyse`."""
        player = self.sit(position.game, position.player, seed)
        return _closing(player, map(checked, player.analyse(position, limit, seed)))


@lru_cache(maxsize=256)
def _rehearse(agent: Agent, game: Game) -> None:
    """Let an agent think as briefly as possible, once in this process for each game."""
    start = game.start()
    with agent.player(game, start.player, 0, ponder=False) as player:
        player.think(start.observe(start.player), Limit(depth=1, nodes=1, simulations=1), 0)


def _closing(player: Player, thoughts: Iterator[Thought]) -> Iterator[Thought]:
    with player:
        yield from thoughts


class Player:
    """An agent in one seat of one game; it owns everything that changes during the game.

    Players never share state, even if they are of one agent. Not thread-safe.
    """

    log = ""
    """Once it is closed: the end of what the player's program wrote to standard error."""

    def __init__(self, agent: Agent, game: Game, seat: int, seed: int = 0) -> None:
        self.agent, self.game, self.seat = agent, game, seat
        self._seed, self._seeds_drawn = seed, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def think(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Thought:
        """Return the choice; without a seed, the next of the player's random stream is used."""
        seed = self._next_seed(seed)
        return self.choose(self._determinized(position, seed), Limit.of_move(limit), seed)

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Iterator[Thought]:
        """Yield ever better thoughts, the last of which is what `think` returns.

        A forced move is the exception: under a clock, `think` plays it at once, while `analyse`
        searches it.
        """
        return iter((self.think(position, limit, seed),))

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Return the choice; see `Agent.choose`."""
        return self.agent.choose(position, limit, seed)

    def watch(self, action: int) -> None:
        """Take note of an action played by any seat; not called where something is hidden."""

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        """Free the player's resources; `returns` is the result by seat if the game is over."""

    def _next_seed(self, seed: int | None) -> int:
        if seed is not None:
            return seed
        self._seeds_drawn += 1
        return derive_seed(self._seed, self._seeds_drawn)

    def _determinized(self, position: Position, seed: int) -> Position:
        """Return the position with hidden information guessed; refuse what cannot be played."""
        if position.game is not self.game and position.game != self.game:
            raise CannotPlayError(
                f"this player plays {self.game}, the position is of {position.game}"
            )
        if position.is_over:
            raise CannotPlayError(f"the game is over: there is no move to choose in {position!r}")
        return position.determinize(seed) if self.agent.guesses else position


class SearchPlayer(Player, ABC):
    """A player whose search can be stopped at any time; its thoughts improve until then."""

    def __init__(self, agent: Agent, game: Game, seat: int, seed: int = 0) -> None:
        super().__init__(agent, game, seat, seed)
        self._timer: Timer | None = None
        """Timer of the previous search, whose threads may still be ending."""

    @abstractmethod
    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        """Yield the current thought whenever `timer.run` yields, and the final one at the end."""

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if limit.seconds is not None and len(position.legal_actions) == 1:
            limit = limit.within(depth=1)  # a forced move: keep the time for other moves
        timer = self._start(limit)
        try:
            *_, last = self.search(position, limit, seed, timer)
        except BaseException:  # such as Ctrl-C, which may come at any moment
            self.forget()
            raise
        timer.answered()
        return last

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Iterator[Thought]:
        limit, seed = Limit.of_move(limit), self._next_seed(seed)
        determinized = self._determinized(position, seed)
        return self.search(determinized, limit, seed, self._start(limit, TICK))

    def forget(self) -> None:
        """Drop what is kept from move to move, as an interrupted search leaves it half done."""

    def longest(self, limit: Limit) -> float | None:
        """Return the seconds after which a search is stopped."""
        return limit.seconds

    def _start(self, limit: Limit, every: float | None = None) -> Timer:
        """Start a search's timer, once the previous search has released the shared memory."""
        timer = Timer(self.longest(limit), limit.cpu, every)
        if self._timer is not None:
            self._timer.finish()
        self._timer = timer
        return timer


TICK = 0.2
"""Seconds between two thoughts of an analysis."""
