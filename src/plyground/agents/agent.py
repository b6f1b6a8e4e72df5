"""What an agent is: options. What a player is: an agent that sits in one seat of one game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from math import inf
from typing import Any, ClassVar, Self

from plyground.arithmetic import derive_seed
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
class Proof:
    """What is certain of a position, whatever anyone plays."""

    value: float
    """What the player to move gets, from -1 to 1."""
    plies: int | None = None
    """How many plies the game lasts at best play, where that is known."""


@dataclass(frozen=True)
class Thought:
    """What a player makes of a position: its choice, and whatever else it knows."""

    action: int
    value: float | None = None
    """What the player to move can expect, from -1 to 1."""
    policy: Mapping[int, float] = field(default_factory=dict)
    """How much each action was favoured; adds up to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else the agent can tell, by name."""
    _: KW_ONLY
    proof: Proof | None = None
    depth: int | None = None
    """Plies to which everything was searched."""
    nodes: int | None = None
    """Positions visited; of a tree, those that it holds."""
    simulations: int | None = None
    line: tuple[int, ...] = ()
    """The principal variation: the action, and the best answers that were found."""
    seconds: float | None = None
    """What it took, where the player can tell better than whoever asked."""


class Agent(Options, ABC):
    """Options that say how to play any game; `sit` makes a player of them.

    An agent never changes: whatever a game leaves behind belongs to its players.
    """

    guesses: ClassVar[bool] = True
    """Whether hidden information is guessed once for the agent, or left for it to deal with."""

    deterministic: ClassVar[bool] = False
    """Whether it makes no use of the seed: without a clock it plays equal positions alike."""

    example_game: ClassVar[str] = "connect_n"
    """A game that it plays, for the example that `plyground agents` shows."""

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Choose an action in a position that is not over, of a game that `prepare` accepted.

        All that an agent needs which remembers nothing from move to move; others override `player`.
        Where something is hidden from the player, it has been guessed, if `guesses` says so.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither `choose` nor `player`")

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        """Return a player of this agent for one game; the parameters are those of `sit`."""
        return Player(self, game, seat, seed)

    def prepare(self, game: Game) -> None:
        """Compile what is needed, or say why this agent cannot play the game; before any clock."""
        game.prepare()

    def granted(self, limit: Limit, move: int) -> Limit:
        """Return the limit of a player's next move, of which it has made so many.

        For the rules of contests; `overage` is the whole game's, and the match keeps account of
        what is left.
        """
        return limit

    def sit(self, game: Game, seat: int, seed: int = 0, *, ponder: bool = False) -> Player:
        """Return a player in one seat of one game; close it when the game is over.

        What is random in its choices comes from the seed. With `ponder`, a player that is a program
        may go on computing while it is not its turn.
        """
        self.prepare(game)
        if not 0 <= seat < game.facts.players:
            raise CannotPlay(f"seat {seat}: {game} has the seats 0 to {game.facts.players - 1}")
        return self.player(game, seat, seed, ponder=ponder)

    def think(self, position: Position, limit: Limit | None = None, seed: int = 0) -> Thought:
        """Let a new player choose an action; what is random in the choice comes from the seed."""
        with self.sit(position.game, position.player, seed) as player:
            return player.think(position, limit, seed)

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int = 0
    ) -> Iterator[Thought]:
        """Let a new player think aloud: yield ever better thoughts; see `Player.analyse`."""
        player = self.sit(position.game, position.player, seed)
        return _closing(player, player.analyse(position, limit, seed))


def _closing(player: Player, thoughts: Iterator[Thought]) -> Iterator[Thought]:
    with player:
        yield from thoughts


class Player:
    """An agent in one seat of one game: it owns everything that changes while a game is played.

    Two players never share anything, whatever their agents; each is for one thread at a time.
    """

    def __init__(self, agent: Agent, game: Game, seat: int, seed: int = 0) -> None:
        self.agent, self.game, self.seat = agent, game, seat
        self._seed, self._drawn = seed, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def think(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Thought:
        """Choose an action; without a seed of its own, by the next from the player's stream."""
        seed = self._next(seed)
        return self.choose(self._seen(position, seed), limit or Limit(), seed)

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Iterator[Thought]:
        """Think aloud: yield ever better thoughts, the last of which is what `think` returns.

        Except for a forced move: under a clock it is played at once, and an analysis looks into it.
        """
        return iter((self.think(position, limit, seed),))

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        """Choose an action; see `Agent.choose`."""
        return self.agent.choose(position, limit, seed)

    def watch(self, action: int) -> None:
        """Hear of an action that was played, by whoever; where nothing is hidden."""

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        """Free what the player holds; `returns` are the game's, by seat, if it is over."""

    def _next(self, seed: int | None) -> int:
        if seed is not None:
            return seed
        self._drawn += 1
        return derive_seed(self._seed, self._drawn)

    def _seen(self, position: Position, seed: int) -> Position:
        """Return the position with what is hidden guessed; refuse one that cannot be played on."""
        if position.game is not self.game and position.game != self.game:
            raise CannotPlay(f"this player sits in {self.game}, the position is of {position.game}")
        if position.is_over:
            raise CannotPlay(f"the game is over: there is nothing to think about in {position!r}")
        return position.determinize(seed) if self.agent.guesses else position


class SearchPlayer(Player, ABC):
    """A player whose thoughts get better while it thinks, and that can be stopped at any time."""

    def __init__(self, agent: Agent, game: Game, seat: int, seed: int = 0) -> None:
        super().__init__(agent, game, seat, seed)
        self._timer: Timer | None = None
        """The timer of the search before, parts of which may still be ending."""

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
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Iterator[Thought]:
        limit, seed = limit or Limit(), self._next(seed)
        seen = self._seen(position, seed)
        return self.search(seen, limit, seed, self._start(limit, TICK))

    def _start(self, limit: Limit, every: float | None = None) -> Timer:
        """Start a search's timer; the search before lets go of the memory that they share."""
        timer = Timer(limit.seconds, limit.cpu, every)
        if self._timer is not None:
            self._timer.finish()
        self._timer = timer
        return timer


TICK = 0.2
"""Seconds between two thoughts of an analysis."""
