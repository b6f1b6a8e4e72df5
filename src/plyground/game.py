"""The contract: a `Game` is its facts, its kernels and its words; a `Position` is one moment in it.

Everything a kernel sees is flat: `setup`, the words that never change in one game (sizes, walls,
tables), and `state`, the words that do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plyground import compile as compiler
from plyground.arithmetic import mix, random_stream
from plyground.compile import (
    SLOTS,
    Function,
    Planes,
    Reals,
    Words,
    call_determinize,
    call_encode,
    call_evaluate,
    call_key,
    call_legal,
    call_observe,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    kernel,
    loop,
)
from plyground.errors import (
    BadGame,
    BadOption,
    BadState,
    BadText,
    IllegalAction,
    UnknownName,
    shortened,
    suggestion,
)
from plyground.options import Options, parse_spec
from plyground.picture import Picture, Rows, grid, plain


@dataclass(frozen=True)
class Facts:
    """What is true of every position of a game; the laws in `check` hold a game to it."""

    players: int
    actions: int
    """Actions are the integers from 0 to `actions` - 1."""
    branching: int
    """No position has more legal actions than this."""
    longest: int
    """No game has more plies than this."""
    zero_sum: bool = True
    """The players' returns add up to 0."""
    symmetries: int = 1
    """How many images a position has under `image`, itself (number 0) among them."""
    hidden: bool = False
    """A player does not see everything: `observe` hides it, `determinize` guesses it."""
    simultaneous: bool = False
    """Two players choose at once: the second is to move without knowing what the first did."""
    planes: tuple[int, int, int] = (0, 0, 0)
    """What `encode` fills: planes, rows, columns."""
    repetition: int = 0
    """A position (a key) that occurs so many times in a game ends it without a winner."""
    clock: int | None = None
    """The word of the state that only counts towards the end of the game: no part of the key."""


class Kernels(NamedTuple):
    """A game's compiled rules; those that are None may be left out.

    Without `key` every word of the state is hashed; `image` and `image_action` go with symmetries,
    `observe` and `determinize` with hidden information. For searches, `order` scores an action
    (the highest is tried first), `loud` lists the legal actions that quiescence follows, `unwise`
    marks actions that forward pruning may drop, `rollout` draws an action for a play-out, and
    `bound` gives the fewest plies in which a puzzle can still be solved.
    """

    player: Function
    legal: Function
    play: Function
    over: Function
    returns: Function
    key: Function | None = None
    image: Function | None = None
    image_action: Function | None = None
    observe: Function | None = None
    determinize: Function | None = None
    encode: Function | None = None
    order: Function | None = None
    loud: Function | None = None
    unwise: Function | None = None
    rollout: Function | None = None
    bound: Function | None = None


class Evaluator(Options, ABC):
    """A heuristic: a kernel, and options that are its tunable numbers.

    Law: the kernel gives every player a value strictly between -1 and 1.
    """

    kernel: ClassVar[Function]

    @abstractmethod
    def params(self, game: Game) -> Sequence[float]:
        """Give the numbers that the kernel reads."""


class Game(Options, ABC):
    """The rules of a game, with its options set; immutable, and equal when its options are."""

    kernels: ClassVar[Kernels]
    evaluators: ClassVar[tuple[type[Evaluator], ...]] = ()

    @abstractmethod
    def measure(self) -> Facts:
        """Give the facts, which may depend on the options."""

    @abstractmethod
    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        """Give the setup and the first state; whatever is random in them comes from the seed."""

    def write(self, position: Position) -> str:
        """Write the whole position as one line of text; the default writes its words."""
        return " | ".join(" ".join(map(str, words)) for words in (position.setup, position.state))

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        """Give the setup and the state that `write` wrote."""
        try:
            setup, state = ([int(word) for word in part.split()] for part in text.split("|"))
        except ValueError:
            raise BadText(f"{self.name}: write a position as 'setup words | state words'") from None
        if setup != list(self.begin(0)[0]):
            raise BadText(f"{self.name}: the text's setup is not that of {self}")
        return setup, state

    def format(self, position: Position, action: int) -> str:
        """Write an action as a person would type it."""
        return str(action)

    def rows(self, position: Position) -> Rows:
        """Give the board as coloured rows for a terminal."""
        return [[(self.write(position), "")]]

    def draw(self, position: Position) -> Picture:
        """Give the board as a picture."""
        return grid(self.rows(position), self.name)

    def start(self, seed: int = 0) -> Position:
        """Give the first position of a game."""
        return self.position(*self.begin(seed))

    def position(self, setup: Sequence[int] | Words, state: Sequence[int] | Words) -> Position:
        """Make a position from its words; their number is checked, their sense is not."""
        return Position(
            self,
            _words(self, "setup", setup, self._lengths[0]),
            _words(self, "state", state, self._lengths[1]),
        )

    def parse(self, text: str) -> Position:
        """Read a position from its text."""
        return self.position(*self.read(text))

    def evaluator(self, spec: str = "") -> Evaluator:
        """Find an evaluator by its spec; "" is the game's first, or `nothing` where it has none."""
        return _evaluator(type(self), spec)

    def rules(self, evaluator: Evaluator | None = None, *optional: str) -> Any:
        """Give the table by which loops call the kernels, with an evaluator's and optional ones."""
        return _rules(type(self), Nothing if evaluator is None else type(evaluator), optional)

    def rules_with(self, kernel: str) -> Any:
        """Give the table with an optional kernel that has to be there."""
        if getattr(self.kernels, kernel) is None:
            raise BadGame(f"{self.name} has no kernel {kernel!r}")
        return self.rules(None, kernel)

    def prepare(self) -> None:
        """Compile the rules, or find them on disk, before a clock or a progress bar runs."""
        if self.facts.symmetries > 1 and self.kernels.image is None:
            raise BadGame(f"{self.name} declares symmetries and has no kernel 'image'")
        self.rules()
        compiler.prepare(_look, _step)

    @cached_property
    def facts(self) -> Facts:
        """The facts of this game with these options."""
        return self.measure()

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        setup, state = self.begin(0)
        return len(setup), len(state)


@cache
def _evaluator(game: type[Game], spec: str) -> Evaluator:
    evaluators: tuple[type[Evaluator], ...] = (*game.evaluators, Nothing)
    known = {each.name: each for each in evaluators}
    name, values = parse_spec(spec) if spec else (next(iter(known)), {})
    if name not in known:
        raise UnknownName(f"evaluator of {game.name}", name, known)
    return known[name].make(values)


REQUIRED = ("player", "legal", "play", "over", "returns")
ALWAYS = (*REQUIRED, "key")


@cache
def _rules(game: type[Game], evaluator: type[Evaluator], optional: tuple[str, ...]) -> Any:
    wanted: dict[str, Function | None] = {"evaluate": evaluator.kernel}
    wanted |= {name: getattr(game.kernels, name) for name in (*ALWAYS, *optional)}
    for name in REQUIRED:
        if wanted[name] is None:
            raise BadGame(f"{game.name}: the kernel {name!r} is missing")
    return compiler.table([wanted.get(slot) for slot in SLOTS])


@kernel("evaluate")
def _zero(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    for player in range(np.int64(params[0])):
        out[player] = 0.0


class Nothing(Evaluator):
    """Know nothing: every unfinished position is worth 0."""

    name = "nothing"
    kernel = _zero

    def params(self, game: Game) -> Sequence[float]:
        return [game.facts.players]


def _words(game: Game, part: str, words: Sequence[int] | Words, wanted: int) -> Words:
    try:
        array = np.array(words)
        if array.size and array.dtype.kind != "i":
            raise TypeError
        array = array.astype(np.int64)
    except (ValueError, OverflowError, TypeError):
        raise BadState(f"{game}: the {part} must be whole numbers of 64 bits") from None
    if array.shape != (wanted,):
        raise BadState(f"{game}: the {part} has {array.size} words, this game has {wanted}")
    array.flags.writeable = False
    return array


# From Python to the kernels ---------------------------------------------------------------------


KEY = SLOTS.index("key")


@helper
def key_of(rules, setup, state, size):  # type: ignore[no-untyped-def]
    """Ask the game for a state's key, or hash its `size` words where the game has no `key`."""
    if rules[KEY] != 0:
        return call_key(rules, setup, state)
    hashed = np.uint64(0)
    for index in range(size):
        hashed = mix(hashed, state[index])
    return hashed


@loop("i8(rules, setup, state, words, reals)")
def _look(rules, setup, state, out, returns):  # type: ignore[no-untyped-def]
    """Fill `out` with player, over, key and the legal actions, `returns` at the end of a game."""
    ended = call_over(rules, setup, state)
    out[0] = call_player(rules, setup, state)
    out[1] = ended
    out[2] = np.int64(key_of(rules, setup, state, len(state)))
    if ended:
        call_returns(rules, setup, state, returns)
        return 0
    return call_legal(rules, setup, state, out[3:])


@loop("none(rules, setup, words, i8)")
def _step(rules, setup, state, action):  # type: ignore[no-untyped-def]
    call_play(rules, setup, state, action)


@loop("none(rules, setup, state, reals, reals)")
def _evaluate(rules, setup, state, params, out):  # type: ignore[no-untyped-def]
    call_evaluate(rules, setup, state, params, out)


@loop("none(rules, setup, words, i8)")
def _observe(rules, setup, state, player):  # type: ignore[no-untyped-def]
    call_observe(rules, setup, state, player)


@loop("none(rules, setup, words, i8, random)")
def _determinize(rules, setup, state, player, random):  # type: ignore[no-untyped-def]
    call_determinize(rules, setup, state, player, random)


@loop("none(rules, setup, state, i8, planes)")
def _encode(rules, setup, state, player, out):  # type: ignore[no-untyped-def]
    call_encode(rules, setup, state, player, out)


class Position:
    """One moment of a game, immutable; `previous` and `action` lead back to where it came from."""

    __slots__ = (
        "action",
        "game",
        "is_over",
        "key",
        "legal_actions",
        "observer",
        "player",
        "ply",
        "previous",
        "returns",
        "setup",
        "state",
    )

    game: Game
    setup: Words
    state: Words
    previous: Position | None
    action: int | None
    """The action that led here from `previous`."""
    observer: int | None
    """The player whose view this is, where something may be hidden; None: all is seen."""
    ply: int
    """How many actions were played since the position this line began with."""
    player: int
    """Who is to move, from 0."""
    is_over: bool
    legal_actions: tuple[int, ...]
    """Ascending; empty once the game is over."""
    returns: tuple[float, ...]
    """What each player got, from -1 to 1; zeros while the game goes on."""
    key: int
    """A 64-bit hash of the state: the same for equal positions of one setup."""

    def __init__(
        self,
        game: Game,
        setup: Words,
        state: Words,
        previous: Position | None = None,
        action: int | None = None,
        observer: int | None = None,
    ) -> None:
        facts = game.facts
        # Room to spare, so that a game that promised too little is found out and does no harm.
        out = np.empty(3 + 2 * facts.branching + 64, np.int64)
        returns = np.zeros(facts.players)
        count = _look(game.rules(), setup, state, out, returns)
        put = partial(object.__setattr__, self)
        put("game", game)
        put("setup", setup)
        put("state", state)
        put("previous", previous)
        put("action", action)
        put("observer", observer)
        put("ply", 0 if previous is None else previous.ply + 1)
        put("player", int(out[0]))
        put("key", int(out[2]) & 0xFFFFFFFFFFFFFFFF)
        put("returns", tuple(returns.tolist()))
        repeated = facts.repetition and self._occurrences() >= facts.repetition
        put("is_over", bool(out[1]) or bool(repeated))
        put("legal_actions", () if repeated else tuple(out[3 : 3 + count].tolist()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position does not change: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a position does not change: {name!r} cannot be deleted")

    def __reduce__(self) -> Any:
        return Position, (
            self.game, self.setup, self.state, self.previous, self.action, self.observer,
        )  # fmt: skip

    def _occurrences(self) -> int:
        return sum(position.key == self.key for position in self.line())

    def _seat(self, player: int) -> int:
        players = self.game.facts.players
        if not 0 <= player < players:
            raise BadOption(f"player {player}: {self.game} has players 0 to {players - 1}")
        return player

    def play(self, action: int) -> Position:
        """Give the position after an action; this one stays as it is."""
        if action not in self.legal_actions:
            raise IllegalAction(self._illegal(str(action)))
        state = self.state.copy()
        _step(self.game.rules(), self.setup, state, action)
        state.flags.writeable = False
        return Position(self.game, self.setup, state, self, int(action), self.observer)

    def observe(self, player: int) -> Position:
        """Give what a player sees: without what is hidden from it, and without the past."""
        if not self.game.facts.hidden:
            return self
        state = self.state.copy()
        _observe(self.game.rules_with("observe"), self.setup, state, self._seat(player))
        state.flags.writeable = False
        return Position(self.game, self.setup, state, observer=player)

    def determinize(self, seed: int) -> Position:
        """Guess what is hidden from the observer, in a way that fits what it sees."""
        if self.observer is None:
            return self
        state = self.state.copy()
        stream = random_stream(seed)
        rules = self.game.rules_with("determinize")
        _determinize(rules, self.setup, state, self.observer, stream)
        state.flags.writeable = False
        return Position(self.game, self.setup, state)

    def encode(self, player: int | None = None) -> Planes:
        """Give the planes that a network sees, from a player's point of view."""
        planes = np.zeros(self.game.facts.planes, np.float32)
        seat = self._seat(self.player if player is None else player)
        _encode(self.game.rules_with("encode"), self.setup, self.state, seat, planes.reshape(-1))
        return planes

    def format(self, action: int) -> str:
        """Write an action as a person would type it."""
        return self.game.format(self, action)

    def parse(self, text: str) -> int:
        """Read an action as `format` writes it; letters may be of either case."""
        wanted = text.strip().casefold()
        for action in self.legal_actions:
            if self.format(action).casefold() == wanted:
                return action
        raise IllegalAction(self._illegal(text))

    def line(self) -> list[Position]:
        """List the positions that led here, from the first to this one."""
        positions = [self]
        while positions[-1].previous is not None:
            positions.append(positions[-1].previous)
        return positions[::-1]

    def evaluate(self, evaluator: str | Evaluator = "") -> tuple[float, ...]:
        """Ask a heuristic for each player's value."""
        if isinstance(evaluator, str):
            evaluator = self.game.evaluator(evaluator)
        params = np.array(evaluator.params(self.game), np.float64)
        out = np.zeros(self.game.facts.players)
        _evaluate(self.game.rules(evaluator), self.setup, self.state, params, out)
        return tuple(out.tolist())

    def to_text(self) -> str:
        """Write the whole position in one line; `game.parse` reads it."""
        return self.game.write(self)

    def _illegal(self, text: str) -> str:
        where = f"{self.game} at {self.to_text()!r}"
        if self.is_over:
            return f"{shortened(text)!r} cannot be played: the game is over in {where}"
        known = [self.format(action) for action in self.legal_actions]
        allowed = suggestion(text, known) if len(known) > 20 else f"legal: {', '.join(known)}"
        return f"{shortened(text)!r} is not legal in {where}; {allowed}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Position)
            and self.game == other.game
            and np.array_equal(self.state, other.state)
            and np.array_equal(self.setup, other.setup)
        )

    def __hash__(self) -> int:
        return self.key

    def __str__(self) -> str:
        return plain(self.game.rows(self))

    def __repr__(self) -> str:
        return f"<{self.game} {self.to_text()!r}>"

    def _repr_svg_(self) -> str:
        return self.game.draw(self).svg()
