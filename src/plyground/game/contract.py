"""The contract of a game: facts, kernels, and methods for text and pictures.

Everything a kernel sees is flat: `setup`, the words that never change in one game (sizes, walls,
tables), and `state`, the words that do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plyground import compile as compiler
from plyground.compile import SLOTS, Function, Planes, Reals, Words, kernel, kind_of
from plyground.errors import (
    BadGame,
    BadOption,
    BadState,
    BadText,
    IllegalAction,
    PlygroundError,
    UnknownName,
)
from plyground.game import planes
from plyground.game.position import Position, advance, guess, hide, look, result, value
from plyground.game.solver import Solver
from plyground.options import Kind, Options, first_line
from plyground.picture import Click, Picture, Rows, grid
from plyground.spec import parse_spec


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
    teams: tuple[int, ...] = ()
    """The team of each seat; its members have the same returns. Empty: each plays for itself."""
    symmetries: int = 1
    """How many images a position has under `image`, itself (number 0) among them."""
    hidden: bool = False
    """A player does not see everything: `observe` hides it, `determinize` guesses it."""
    simultaneous: bool = False
    """Two players choose at once: the second is to move without knowing what the first did."""
    planes: tuple[int, int, int] = (0, 0, 0)
    """What `encode` fills: planes, rows, columns."""
    policy: tuple[int, int, int] = (0, 0, 0)
    """The shape of a network's policy head: planes, rows, columns, of which `policy` says what
    belongs to an action. Without that kernel it is one entry for each action: (actions, 1, 1)."""
    policy_parts: int = 1
    """How many entries of the policy head add up to an action's logit."""
    repetition: int = 0
    """A position (a key) that occurs so many times in a game ends it without a winner."""
    places: tuple[float, ...] = ()
    """Points of the first place in a tournament, of the second, ...; empty: evenly from 1 to 0."""
    clock: int | None = None
    """The word of the state that only counts towards the end of the game: no part of the key."""

    def __post_init__(self) -> None:
        if not any(self.policy):
            object.__setattr__(self, "policy", (self.actions, 1, 1))

    def side(self, player: int) -> tuple[int, ...]:
        """Return the seats that win when a player does: its team, or itself alone."""
        if not self.teams:
            return (player,)
        return tuple(seat for seat in range(self.players) if self.teams[seat] == self.teams[player])


class Kernels(NamedTuple):
    """A game's compiled rules; those that are None may be left out.

    Without `key` every word of the state is hashed; `image` and `image_action` go with symmetries,
    `observe` and `determinize` with hidden information, `encode` and `policy` with networks.
    `finish` plays at random to the end, as loops do by the other kernels, and faster: for short
    games.
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
    policy: Function | None = None
    finish: Function | None = None


ADVICE = ("order", "loud", "unwise", "rollout", "bound")
"""The kinds of advice that a game can give to searches.

`order` scores an action (the highest is tried first), `loud` lists the legal actions that
quiescence follows, `unwise` marks actions to prune, `rollout` draws an action, for a play-out
or for a player by rule, and `bound` returns the fewest plies in which a puzzle can still be solved.
"""
NOTHING = "nothing"
"""The name that chooses no advice, or the heuristic that values everything at 0."""


class Evaluator(Options, ABC):
    """A heuristic: a kernel, and options that are its tunable numbers.

    Law: the kernel writes a value strictly between -1 and 1 for every player.
    """

    kernel: ClassVar[Function]

    @abstractmethod
    def params(self, game: Game) -> Sequence[float]:
        """Return the numbers that the kernel reads."""


class Game(Options, ABC):
    """The rules of a game, with its options set; immutable, and equal when its options are."""

    kernels: ClassVar[Kernels]
    evaluators: ClassVar[tuple[type[Evaluator], ...]] = ()
    advice: ClassVar[tuple[Function, ...]] = ()
    """Kernels that advise searches, each known by its own name; a kind's first is the default."""
    fixed: ClassVar[Iterable[int]] = ()
    """The words of the setup that the options alone determine, such as sizes; `write` may rely on
    them also where the other words are not checked yet."""
    notation: ClassVar[str] = ""
    """How a person types an action, and what stands for whom on the terminal's board; one or two
    sentences that `play` shows before the first move and in its help."""
    keys: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Keys of a terminal that enter an action at once: "up", "down", "left" or "right", each with
    the action as `format` writes it."""

    @abstractmethod
    def measure(self) -> Facts:
        """Return the facts, which may depend on the options."""

    @abstractmethod
    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the setup and the first state; whatever is random in them comes from the seed."""

    def write(self, position: Position) -> str:
        """Return the whole position as one line of text, by its `setup` and `state` alone.

        The default writes its words.
        """
        return " | ".join(" ".join(map(str, words)) for words in (position.setup, position.state))

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the setup and the state of a text as `write` returns it, or raise BadText."""
        try:
            setup, state = ([int(word) for word in part.split()] for part in text.split("|"))
        except ValueError:
            raise BadText(f"{self.name}: write a position as 'setup words | state words'") from None
        if setup != list(self.begin(0)[0]):
            raise BadText(f"{self.name}: the text's setup is not that of {self}")
        return setup, state

    def format(self, position: Position, action: int) -> str:
        """Return an action as a person would type it."""
        return str(action)

    def rows(self, position: Position) -> Rows:
        """Return the board as coloured rows for a terminal."""
        return [[(self.write(position), "")]]

    def compact_rows(self, position: Position) -> Rows:
        """Return the board in fewer rows, for a terminal that is too low for `rows`."""
        return self.rows(position)

    def draw(self, position: Position) -> Picture:
        """Return the board as a picture."""
        picture = grid(self.rows(position), self.name)
        picture.turn("12345678", position.player, position.returns if position.is_over else None)
        return picture

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return how a person enters a legal action by pointing: cells and words, in order.

        A number is a cell of the picture (see `Picture.area`), a text is a choice to be offered.
        No action's clicks are the beginning of another's.
        """
        return (self.format(position, action),)

    def penalty(self, position: Position, seed: int) -> int | None:
        """Return what its course's referee plays for a player that failed: an action, or SKIP.

        None: the player loses the game. What is random in the choice comes from the seed.
        """
        return None

    def skip(self, position: Position) -> Sequence[int]:
        """Return the state after the player to move has lost its move, where `penalty` is SKIP."""
        raise IllegalAction(f"{self.name}: a move cannot be skipped")

    def standing(self, position: Position) -> Sequence[float] | None:
        """Return each player's score in an unfinished game; None where there is no such thing.

        When a player forfeits, the others are placed by it.
        """
        return None

    def puzzle(self, position: Position) -> Position:
        """Return the position to solve: this one, or the part of the game it belongs to."""
        return position

    def solver(self) -> Solver | None:
        """Return a new exact solver of this game; None where there is none."""
        return None

    def observer_of(self, setup: Words, state: Words) -> int | None:
        """Return whose view the words are, where something in them is unknown, else None."""
        return None

    def start(self, seed: int = 0) -> Position:
        """Return the first position of a game."""
        return self._trusted(*self.begin(seed))

    def position(self, setup: Sequence[int] | Words, state: Sequence[int] | Words) -> Position:
        """Return the position of these words, whose number and meaning are checked."""
        words = _words(self, "setup", setup), _words(self, "state", state)
        self.check_words(*words)
        return self._trusted(*words)

    def parse(self, text: str) -> Position:
        """Return the position of a text."""
        return self._trusted(*self.read(text))

    def check_words(self, setup: Words, state: Words) -> None:
        """Raise BadState unless words, as many as there must be, are those of a position.

        Written as text they must read back as the same words, so that `read` is the one place
        that says what a position may be. A game without a text of its own should check here what
        its kernels rely on: they index memory by these words, and nothing else holds them back.
        """
        for at in self.fixed:
            _compare(self, "setup", at, setup[at], self._first[0][at])
        unseen = Position._unseen(self, setup, state)
        try:
            again = self.read(self.write(unseen))
        except PlygroundError as error:
            raise BadState(str(error)) from None
        except Exception as error:  # a game's own methods may fail on words that mean nothing
            if isinstance(error, AttributeError) and error.obj is unseen:
                raise BadGame(f"{self.name}: `write` must use setup and state alone") from None
            raise BadState(f"{self}: the words are not those of a position ({error})") from None
        for part, given, wanted in zip(PARTS, (setup, state), again, strict=True):
            read = _words(self, part, wanted)
            for at in np.flatnonzero(given != read).tolist():
                _compare(self, part, at, given[at], read[at])

    def _trusted(self, setup: Sequence[int] | Words, state: Sequence[int] | Words) -> Position:
        """Make a position from words that this game's own methods made or have checked."""
        words = _words(self, "setup", setup), _words(self, "state", state)
        observer = self.observer_of(*words) if self.facts.hidden else None
        return Position._trusted(self, *words, observer)

    @classmethod
    def offers(cls, kind: Kind) -> tuple[str, ...]:
        """Return the names of the evaluators or the advice of a kind, the default first."""
        if kind is Kind.EVALUATOR:
            return (*(each.name for each in cls.evaluators), NOTHING)
        if kind in ADVICE:
            return (*(each.__name__ for each in cls.advice if kind_of(each) == kind), NOTHING)
        return ()

    @classmethod
    def describe(cls) -> dict[str, Any]:
        """Return plain data about the game, its options, evaluators and advice."""
        evaluators = [each.describe() for each in cls.evaluators]
        advice = [
            {"kind": kind_of(each), "name": each.__name__, "about": first_line(each.__doc__)}
            for each in cls.advice
        ]
        return super().describe() | {"evaluators": evaluators, "advice": advice}

    def encode(self, positions: Iterable[Position]) -> Planes:
        """Return the planes that a network sees, (positions, planes, rows, columns).

        Each position is seen by its player to move; what is hidden from it is not shown.
        """
        return planes.encode(self, positions)

    def encode_states(
        self, setups: Words, states: Words, players: Sequence[int] | Words | None = None
    ) -> Planes:
        """Return the planes of a matrix of states, one in each row: for the loops of learning.

        `setups` is one setup for all of them or a matrix; `players` are who looks, each state's
        player to move by default. Shapes are checked, but the words must be the game's own.
        """
        return planes.encode_states(self, setups, states, players)

    def policy_indices(self, position: Position) -> Words:
        """Return a row for each legal action: its entries in a policy head of `facts.policy`.

        Entries are counted through the flat head. An action's logit is the sum of its entries;
        the probabilities are the softmax of the legal actions' logits.
        """
        return planes.policy_indices(self, position)

    def evaluator(self, spec: str | Evaluator = "") -> Evaluator:
        """Return an evaluator by its spec; "" is the game's first, or `nothing` where it has none.

        One that is given as itself must be of this game: its kernel reads this game's words.
        """
        if isinstance(spec, str):
            return _evaluator(type(self), spec)
        if not isinstance(spec, (*self.evaluators, Nothing)):
            raise BadOption(f"{spec!r} is no evaluator of {self.name}")
        return spec

    def advisor(self, kind: str, name: str = "") -> Function | None:
        """Return the kernel of a kind of advice; "" is the game's first, if it has one."""
        known = {each.__name__: each for each in self.advice if kind_of(each) == kind}
        if name in ("", NOTHING):
            return next(iter(known.values()), None) if name == "" else None
        if name not in known:
            raise UnknownName(f"{kind} of {self.name}", name, (*known, NOTHING))
        return known[name]

    def rules(self, evaluator: Evaluator | None = None, *more: Function | None) -> Any:
        """Return the table by which loops call the kernels, an evaluator's and more among them."""
        return _rules(type(self), Nothing if evaluator is None else type(evaluator), more)

    def rules_with(self, kernel: str) -> Any:
        """Return the table with an optional kernel, or raise BadGame where the game has none."""
        optional = getattr(self.kernels, kernel)
        if optional is None:
            raise BadGame(f"{self.name} has no kernel {kernel!r}")
        return self.rules(None, optional)

    def prepare(self) -> None:
        """Compile the rules, or load them from disk, before a clock or a progress bar starts."""
        _ = self._prepared

    @cached_property
    def _prepared(self) -> bool:
        if self.facts.symmetries > 1 and self.kernels.image is None:
            raise BadGame(f"{self.name} declares symmetries and has no kernel 'image'")
        if self.facts.policy != (self.facts.actions, 1, 1) and self.kernels.policy is None:
            raise BadGame(f"{self.name} declares a policy head and has no kernel 'policy'")
        self.rules()
        compiler.prepare(look, advance, result, value)
        if self.facts.hidden:
            self.rules_with("observe")
            self.rules_with("determinize")
            compiler.prepare(hide, guess)
        return True

    @cached_property
    def always(self) -> Any:
        """The table of the kernels that every game has: what positions are made by."""
        return self.rules()

    @cached_property
    def no_returns(self) -> tuple[float, ...]:
        """The returns of an unfinished game: zeros."""
        return (0.0,) * self.facts.players

    @cached_property
    def facts(self) -> Facts:
        """The facts of this game with these options."""
        return self.measure()

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many words a setup and a state of this game have."""
        setup, state = self._first
        return len(setup), len(state)

    @cached_property
    def _first(self) -> tuple[Sequence[int], Sequence[int]]:
        """The words of one start: every position of the game has as many."""
        return self.begin(0)


@cache
def _evaluator(game: type[Game], spec: str) -> Evaluator:
    evaluators: tuple[type[Evaluator], ...] = (*game.evaluators, Nothing)
    known = {each.name: each for each in evaluators}
    name, values = parse_spec(spec) if spec else (next(iter(known)), {})
    if name not in known:
        raise UnknownName(f"evaluator of {game.name}", name, known)
    return known[name].make(values)


REQUIRED = ("player", "legal", "play", "over", "returns")
ALWAYS = (*REQUIRED, "key", "finish")


@cache
def _rules(game: type[Game], evaluator: type[Evaluator], more: tuple[Function | None, ...]) -> Any:
    wanted: dict[str, Function | None] = {"evaluate": evaluator.kernel}
    wanted |= {name: getattr(game.kernels, name) for name in ALWAYS}
    wanted |= {kind_of(each): each for each in more if each is not None}
    for name in REQUIRED:
        if wanted[name] is None:
            raise BadGame(f"{game.name}: the kernel {name!r} is missing")
    return compiler.table([wanted.get(slot) for slot in SLOTS])


@kernel("evaluate")
def _zero(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    for player in range(np.int64(params[0])):
        out[player] = 0.0


class Nothing(Evaluator):
    """Value every unfinished position at 0."""

    name = NOTHING
    kernel = _zero

    def params(self, game: Game) -> Sequence[float]:
        return [game.facts.players]


PARTS = ("setup", "state")


def _words(game: Game, part: str, words: Sequence[int] | Words) -> Words:
    wanted = game.sizes[PARTS.index(part)]
    try:
        array = np.array(words)
        if array.size and array.dtype.kind != "i":
            raise TypeError
        array = np.ascontiguousarray(array, np.int64)
    except (ValueError, OverflowError, TypeError):
        raise BadState(f"{game}: the {part} must be whole numbers of 64 bits") from None
    if array.shape != (wanted,):
        raise BadState(f"{game}: the {part} has {array.size} words, this game has {wanted}")
    array.flags.writeable = False
    return array


def _compare(game: Game, part: str, at: int, given: int, wanted: int) -> None:
    if given != wanted:
        rule = f"with the others it must be {wanted}"
        raise BadState(f"{game}: word {at} of the {part} is {given}; {rule}")
