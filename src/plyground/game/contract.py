"""The contract of a game: kernels, and methods for text, pictures and agents.

Everything a kernel sees is flat: `setup`, the words that never change in one game (sizes, walls,
tables), and `state`, the words that do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plyground import compile as compiler
from plyground.compile import SLOTS, Function, Planes, Reals, Words, kernel, kind_of
from plyground.errors import (
    GameError,
    IllegalActionError,
    OptionError,
    PlygroundError,
    StateError,
    TextError,
    UnknownNameError,
)
from plyground.game import line_text, planes
from plyground.game.facts import Facts
from plyground.game.position import (
    LEGAL,
    Position,
    Runner,
    advance,
    guess,
    hide,
    look,
    result,
    value,
)
from plyground.game.solver import Solver
from plyground.options import Kind, Options, first_line
from plyground.picture import Click, Picture, Rows, grid
from plyground.spec import parse_spec
from plyground.text import counted


class Kernels(NamedTuple):
    """A game's compiled rules; those with the default None are optional.

    Without `key` every word of the state is hashed. `image` and `image_action` are for symmetries,
    `observe` and `determinize` for hidden information, `encode` and `policy` for networks.
    `finish` is a play-out in one kernel, which is faster than `legal` and `play` in a loop where
    games are short.
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


ADVICE = ("order", "loud", "unwise", "rollout", "bound", "skip")
"""The kinds of advice that a game can offer to searches.

`order` scores an action for move ordering (the highest is tried first). `loud` lists the noisy
actions that quiescence follows. `unwise` marks actions for forward pruning. `rollout` draws an
action of a play-out, or of an agent that plays by this rule alone. `bound` is a lower bound on the
plies in which a puzzle can still be solved. `skip` passes the turn, in games of two players where
that is hardly ever better than the best action: then a position that is good even so need not be
searched deeply.
"""
NOTHING = "nothing"
"""The name for no advice, and for the heuristic that values every position at 0."""


class Evaluator(Options, ABC):
    """A heuristic: a kernel, with its tunable numbers as options.

    The kernel must write a value strictly between -1 and 1 for every player.
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
    """Kernels that advise searches, chosen by name; the first of each kind is the default."""
    fixed: ClassVar[Iterable[int]] = ()
    """Indices of the setup's words that the options alone determine, such as sizes. They are
    checked first, so that `write` may rely on them for words that are not checked yet."""
    runner: ClassVar[Runner | None] = None
    """Where the kernels of its positions run; None: in this process."""
    notation: ClassVar[str] = ""
    """How a person types an action, and which symbols on the terminal's board are whose: one or
    two sentences that `play` shows before the first move and in its help."""
    title: ClassVar[str] = ""
    """The name for people, where it is not `name` with blanks."""
    overlays: ClassVar[tuple[str, ...]] = ()
    """Names of what `overlay` can show on the board."""
    keys: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Terminal keys that enter an action at once: "up", "down", "left" or "right", each with the
    action as `format` writes it."""

    @abstractmethod
    def measure(self) -> Facts:
        """Return the facts, which may depend on the options."""

    @abstractmethod
    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the setup and the first state; all randomness in them comes from the seed."""

    def write(self, position: Position) -> str:
        """Return the whole position as one line of text; only `setup` and `state` may be used.

        The default writes how the game started, and the actions since (see `line_text`).
        """
        return line_text.write(position)

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the setup and the state of a text that `write` wrote, or raise TextError.

        The default plays the actions again.
        """
        position = line_text.read(self, text)
        return position.setup.tolist(), position.state.tolist()

    def format(self, position: Position, action: int) -> str:
        """Return an action as a person would type it."""
        return str(action)

    def rows(self, position: Position) -> Rows:
        """Return the board as coloured rows for a terminal."""
        return [[(line_text.words(position), "")]]

    def compact_rows(self, position: Position) -> Rows:
        """Return the board in fewer rows, for a terminal with too few lines for `rows`."""
        return self.rows(position)

    def draw(self, position: Position) -> Picture:
        """Return the board as a picture."""
        picture = grid(self.rows(position), self.name)
        picture.turn("12345678", position.player, position.returns if position.is_over else None)
        return picture

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return the clicks by which a person enters a legal action, in order.

        A number is a cell of the picture (see `Picture.area`), a text is a choice to be offered.
        No action's clicks may be the beginning of another's.
        """
        return (self.format(position, action),)

    def overlay(self, position: Position, name: str) -> Mapping[int, tuple[int, float]]:
        """Return cells of the picture, each with the player it belongs to and how surely (0 to 1).

        `name` is one of `overlays`.
        """
        return {}

    def penalty(self, position: Position, fault: str, seed: int) -> int | None:
        """Return what the course's referee plays for a player that failed: an action, or SKIP.

        `fault` is one of `plyground.errors.FAULTS`. None: the player loses the game. Any randomness
        comes from the seed.
        """
        return None

    def skip(self, position: Position) -> Sequence[int]:
        """Return the state after the player to move has lost its turn (`penalty` returned SKIP)."""
        raise IllegalActionError(f"{self.name}: a move cannot be skipped")

    def standing(self, position: Position) -> Sequence[float] | None:
        """Return each player's score in an unfinished game; None if the game has no such score.

        It ranks the other players when one forfeits.
        """
        return None

    def puzzle(self, position: Position) -> Position:
        """Return the puzzle that a solver solves: this position, or the current round's puzzle."""
        return position

    def solver(self, *, within_cap: bool = False) -> Solver | None:
        """Return a new exact solver of this game; None if there is none.

        For a puzzle with a cap on its moves, `within_cap` asks for solutions that the cap allows.
        """
        return None

    def champions(self) -> Sequence[str]:
        """Return specs of the strongest agents known; `champion` is the first that can play."""
        return ()

    def levels(self) -> Sequence[str]:
        """Return specs of the nine agents below the champion, the weakest first.

        They are the levels 1 to 9 of `champion`; without them it chooses agents by the facts.
        """
        return ()

    def verdict(self, value: float, plies: int | None) -> str:
        """Return in the game's words what is proved: a value, and the plies to the end if known."""
        if value == 0:
            return "draw"
        word = "win" if value > 0 else "loss"
        return word if plies is None else f"{word} in {plies} {'ply' if plies == 1 else 'plies'}"

    def observer_of(self, setup: Words, state: Words) -> int | None:
        """Return the player whose view the words are, or None if nothing in them is hidden."""
        return None

    def chooses_first(self, position: Position) -> Position:
        """Return the position before the other's hidden choice at this turn, if there is one.

        Games with simultaneous moves define it.
        """
        return position

    def start(self, seed: int = 0) -> Position:
        """Return the first position of a game."""
        return self._trusted(*self.begin(seed), seed)

    def position(self, setup: Sequence[int] | Words, state: Sequence[int] | Words) -> Position:
        """Return the position with this setup and state, or raise StateError if they are wrong."""
        words = _words(self, "setup", setup), _words(self, "state", state)
        self.check_words(*words)
        return self._trusted(*words)

    def parse(self, text: str) -> Position:
        """Return the position that a text describes, or raise TextError."""
        if not self.has_text:
            return line_text.read(self, text)
        setup, state = self.read(text)
        if type(self).check_words is not Game.check_words:  # the default would read it once more
            try:
                self.check_words(_words(self, "setup", setup), _words(self, "state", state))
            except StateError as error:
                raise TextError(str(error)) from None
        return self._trusted(setup, state)

    @property
    def has_text(self) -> bool:
        """Whether positions are read from a text of the game's own, not by replaying their line."""
        return type(self).read is not Game.read

    @property
    def checks_words(self) -> bool:
        """Whether the game can tell the words of a position from others."""
        return self.has_text or type(self).check_words is not Game.check_words

    def check_words(self, setup: Words, state: Words) -> None:
        """Raise StateError unless a setup and a state of the right sizes are a position.

        Written as text they must read back as the same words, so that `read` alone decides which
        positions are valid. A game without a text of its own refuses all words, unless it checks
        here what its kernels rely on: they index memory by these words without further checks.
        """
        if not self.has_text:
            raise StateError(
                f"{self}: words cannot be checked, as this game has neither `read` nor "
                "`check_words`: give its actions instead, such as 'start: ACTION ACTION ...'"
            )
        for index in self.fixed:
            _compare(self, "setup", index, setup[index], self.first[0][index])
        unchecked = Position._unchecked(self, setup, state)
        try:
            again = self.read(self.write(unchecked))
        except PlygroundError as error:
            raise StateError(str(error)) from None
        except Exception as error:  # a game's own methods may fail on invalid words
            if isinstance(error, AttributeError) and error.obj is unchecked:
                raise GameError(f"{self.name}: `write` may use only setup and state") from None
            raise StateError(f"{self}: the words are not those of a position ({error})") from None
        for part, actual, expected in zip(PARTS, (setup, state), again, strict=True):
            read = _words(self, part, expected)
            for index in np.flatnonzero(actual != read).tolist():
                _compare(self, part, index, actual[index], read[index])

    def _trusted(
        self,
        setup: Sequence[int] | Words,
        state: Sequence[int] | Words,
        seed: int | None = None,
    ) -> Position:
        """Return a position of words that this game's own methods made or have checked."""
        words = _words(self, "setup", setup), _words(self, "state", state)
        observer = self.observer_of(*words) if self.facts.hidden else None
        return Position._trusted(self, *words, observer, seed=seed)

    @classmethod
    def offers(cls, kind: Kind) -> tuple[str, ...]:
        """Return the names of the evaluators or the advice of a kind, the default first."""
        if kind is Kind.EVALUATOR:
            return (*(evaluator.name for evaluator in cls.evaluators), NOTHING)
        if kind in ADVICE:
            names = (advisor.__name__ for advisor in cls.advice if kind_of(advisor) == kind)
            return (*names, NOTHING)
        return ()

    @classmethod
    def describe(cls) -> dict[str, Any]:
        """Return plain data about the game, its options, evaluators and advice."""
        evaluators = [evaluator.describe() for evaluator in cls.evaluators]
        advice = [
            {
                "kind": kind_of(advisor),
                "name": advisor.__name__,
                "about": first_line(advisor.__doc__),
            }
            for advisor in cls.advice
        ]
        return super().describe() | {"evaluators": evaluators, "advice": advice}

    def encode(self, positions: Iterable[Position]) -> Planes:
        """Return the input planes of a network, of shape (positions, planes, rows, columns).

        Each position is encoded as its player to move sees it, without what is hidden from it.
        A game without the kernel `encode` is encoded as the numbers and bits of its state's words.
        """
        return planes.encode(self, positions)

    def encode_states(
        self, setups: Words, states: Words, players: Sequence[int] | Words | None = None
    ) -> Planes:
        """Return the planes of a matrix of states, one per row.

        `setups` is one setup for all of them or a matrix; `players` are the observers, by default
        each state's player to move. The words are checked as by `position`.
        """
        setups, states = planes.matrices(self, setups, states)
        for row, state in enumerate(states):
            self.check_words(setups[row if len(setups) > 1 else 0], state)
        return planes.encode_states(self, setups, states, players)

    def policy_indices(self, position: Position) -> Words:
        """Return one row per legal action: its entries in a policy head of shape `facts.policy`.

        Entries are indices of the flattened head. An action's logit is the sum of its entries; the
        probabilities are the softmax of the legal actions' logits.
        """
        return planes.policy_indices(self, position)

    def evaluator(self, spec: str | Evaluator = "") -> Evaluator:
        """Return an evaluator by its spec; "" is the game's first, or `nothing` if it has none.

        An evaluator object is returned as it is, if it belongs to this game.
        """
        if isinstance(spec, str):
            return _evaluator(type(self), spec)
        if not isinstance(spec, (*self.evaluators, Nothing)):
            raise OptionError(f"{spec!r} is not an evaluator of {self.name}")
        return spec

    def advisor(self, kind: str, name: str = "") -> Function | None:
        """Return the kernel of a kind of advice, or None; "" is the game's first, if it has one."""
        advisors = (advisor for advisor in self.advice if kind_of(advisor) == kind)
        known = {advisor.__name__: advisor for advisor in advisors}
        if name in ("", NOTHING):
            return next(iter(known.values()), None) if name == "" else None
        if name not in known:
            raise UnknownNameError(f"{kind} of {self.name}", name, (*known, NOTHING))
        return known[name]

    def rules(self, evaluator: Evaluator | None = None, *more: Function | None) -> Any:
        """Return the table by which loops call the kernels, with those of an evaluator and more."""
        return _rules(type(self), Nothing if evaluator is None else type(evaluator), more)

    def rules_with(self, kernel: str) -> Any:
        """Return the table with an optional kernel, or raise GameError if the game has none."""
        optional = getattr(self.kernels, kernel)
        if optional is None:
            raise GameError(f"{self.name} has no kernel {kernel!r}")
        return self.rules(None, optional)

    def prepare(self) -> None:
        """Compile the rules, or load them from disk, before a clock or a progress bar starts."""
        _ = self._prepared

    @cached_property
    def _prepared(self) -> bool:
        if self.facts.symmetries > 1 and self.kernels.image is None:
            raise GameError(f"{self.name} declares symmetries but has no kernel 'image'")
        if self.facts.policy != (self.facts.actions, 1, 1) and self.kernels.policy is None:
            raise GameError(f"{self.name} declares a policy head but has no kernel 'policy'")
        if self.runner is not None:
            return True
        self.rules()
        compiler.prepare(look, advance, result, value)
        if self.facts.hidden:
            self.rules_with("observe")
            self.rules_with("determinize")
            compiler.prepare(hide, guess)
        return True

    @cached_property
    def always(self) -> Any:
        """The table of the kernels that every game has, as positions use them."""
        return self.rules()

    @cached_property
    def look_words(self) -> int:
        """The size of the array to which `look` writes.

        It is larger than the declared facts require, so that `check` can report a wrong one.
        """
        return LEGAL + 2 * self.facts.branching + 64

    @cached_property
    def no_returns(self) -> tuple[float, ...]:
        """The returns of an unfinished game: zeros."""
        return (0.0,) * self.facts.players

    @cached_property
    def facts(self) -> Facts:
        """The facts of this game with these options."""
        return self.measure()

    @cached_property
    def plane_shape(self) -> tuple[int, int, int]:
        """The shape of a position's planes; also where the game has no kernel `encode`."""
        return planes.plane_shape(self)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many words a setup and a state of this game have."""
        setup, state = self.first
        return len(setup), len(state)

    @cached_property
    def first(self) -> tuple[Sequence[int], Sequence[int]]:
        """Setup and state of the start of seed 0; every position has the same sizes."""
        return self.begin(0)


@cache
def _evaluator(game: type[Game], spec: str) -> Evaluator:
    evaluators: tuple[type[Evaluator], ...] = (*game.evaluators, Nothing)
    known = {evaluator.name: evaluator for evaluator in evaluators}
    name, values = parse_spec(spec) if spec else (next(iter(known)), {})
    if name not in known:
        raise UnknownNameError(f"evaluator of {game.name}", name, known)
    return known[name].make(values)


REQUIRED = ("player", "legal", "play", "over", "returns")
ALWAYS = (*REQUIRED, "key", "finish")


@cache
def _rules(game: type[Game], evaluator: type[Evaluator], more: tuple[Function | None, ...]) -> Any:
    kernels: dict[str, Function | None] = {"evaluate": evaluator.kernel}
    kernels |= {name: getattr(game.kernels, name) for name in ALWAYS}
    kernels |= {kind_of(function): function for function in more if function is not None}
    for name in REQUIRED:
        if kernels[name] is None:
            raise GameError(f"{game.name}: the kernel {name!r} is missing")
    return compiler.table([kernels.get(slot) for slot in SLOTS])


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
    size = game.sizes[PARTS.index(part)]
    try:
        array = np.array(words, order="C")
        if array.size and array.dtype.kind != "i":
            raise TypeError
        array = array.astype(np.int64, copy=False)
    except (ValueError, OverflowError, TypeError):
        raise StateError(f"{game}: the {part} must be integers of 64 bits") from None
    if array.shape != (size,):
        raise StateError(
            f"{game}: the {part} has {counted(array.size, 'word')}, this game needs {size}"
        )
    array.setflags(write=False)
    return array


def _compare(game: Game, part: str, index: int, actual: int, expected: int) -> None:
    if actual != expected:
        rule = f"given the other words it must be {expected}"
        raise StateError(f"{game}: word {index} of the {part} is {actual}; {rule}")
