"""Positions of games: immutable, and the place where Python calls the rules' kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from plyground.arithmetic import mix, random_stream
from plyground.compile import (
    SLOTS,
    Planes,
    Words,
    call_determinize,
    call_evaluate,
    call_key,
    call_legal,
    call_observe,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
)
from plyground.errors import IllegalActionError, OptionError
from plyground.game.numbers import whole
from plyground.game.planes import encode_states
from plyground.game.symmetry import Image, images
from plyground.picture import plain
from plyground.text import one_line, shortened, suggestion

if TYPE_CHECKING:  # the contract imports this module
    from plyground.game.contract import Evaluator, Game

KEY = SLOTS.index("key")


@helper
def key_of(rules, setup, state, size):  # type: ignore[no-untyped-def]
    """Return a state's key, or a hash of its `size` words if the game has no kernel `key`."""
    if rules[KEY] != 0:
        return call_key(rules, setup, state)
    hashed = np.uint64(0)
    for index in range(size):
        hashed = mix(hashed, state[index])
    return hashed


PLAYER, SEEN_KEY, LEGAL = 0, 1, 2
"""Indices at which `look` writes the player to move, the key, and the first legal action."""

OVER = -1
"""In the place of the number of legal actions: the game is over."""

SKIP, SKIPPED = -1, "skip"
"""In the place of an action: the referee took the turn away; and its text."""


@helper
def _look(rules, setup, state, size, out):  # type: ignore[no-untyped-def]
    out[PLAYER] = call_player(rules, setup, state)
    out[SEEN_KEY] = np.int64(key_of(rules, setup, state, size))
    if call_over(rules, setup, state):
        return OVER
    return call_legal(rules, setup, state, out[LEGAL:])


@loop("i8(rules, setup, state, words)")
def look(rules, setup, state, out):  # type: ignore[no-untyped-def]
    """Write the player to move, the key and the legal actions; return their number, or OVER."""
    return _look(rules, setup, state, len(state), out)


@loop("i8(rules, setup, words, i8, words)")
def advance(rules, setup, state, action, out):  # type: ignore[no-untyped-def]
    """Play an action in a state, and `look` at the result, in one compiled call."""
    call_play(rules, setup, state, action)
    return _look(rules, setup, state, len(state), out)


@loop("none(rules, setup, state, reals)")
def result(rules, setup, state, out):  # type: ignore[no-untyped-def]
    call_returns(rules, setup, state, out)


@loop("none(rules, setup, state, reals, reals)")
def value(rules, setup, state, params, out):  # type: ignore[no-untyped-def]
    call_evaluate(rules, setup, state, params, out)


@loop("none(rules, setup, words, i8)")
def hide(rules, setup, state, player):  # type: ignore[no-untyped-def]
    call_observe(rules, setup, state, player)


@loop("none(rules, setup, words, i8, random)")
def guess(rules, setup, state, player, random):  # type: ignore[no-untyped-def]
    call_determinize(rules, setup, state, player, random)


class Loop(NamedTuple):
    """A loop over a game's kernels, called with the game."""

    call: Callable[..., Any]
    writes: tuple[int, ...]
    """The arguments that it writes, counted without the game."""


LOOPS = {
    "look": Loop(lambda game, *given: look(game.always, *given), (2,)),
    "advance": Loop(lambda game, *given: advance(game.always, *given), (1, 3)),
    "result": Loop(lambda game, *given: result(game.always, *given), (2,)),
    "hide": Loop(lambda game, *given: hide(game.rules_with("observe"), *given), (1,)),
    "guess": Loop(lambda game, *given: guess(game.rules_with("determinize"), *given), (1, 3)),
}
"""All that positions ask kernels for while a game is played."""


class Runner(Protocol):
    """Runs LOOPS elsewhere, such as in a process that may crash."""

    def run(self, game: Game, name: str, arguments: tuple[Any, ...]) -> int:
        """Call a loop; what it writes is written into the same arrays."""


def _run(game: Game, name: str, *arguments: Any) -> Any:
    """Call one of LOOPS where the game's kernels run."""
    if game.runner is None:
        return LOOPS[name].call(game, *arguments)
    return game.runner.run(game, name, arguments)


class _Draft:
    """A position while it is made: only then can its fields be set."""

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
        "seed",
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
    """The player whose view this is, if something may be hidden; None: everything is known."""
    ply: int
    """Number of actions played since the line began, even if `previous` does not lead back."""
    player: int
    """The player to move, from 0."""
    is_over: bool
    legal_actions: tuple[int, ...]
    """In ascending order; empty once the game is over."""
    returns: tuple[float, ...]
    """Each player's result, from -1 to 1; zeros while the game goes on."""
    key: int
    """A 64-bit hash of the state, equal for equal positions of one setup."""
    seed: int | None
    """The seed of the start with which the line begins; None if it begins with other words."""


class Position(_Draft):
    """A position of a game, immutable; `previous` and `action` lead back along the line of play."""

    __slots__ = ()

    def __new__(cls, game: Game, setup: Sequence[int] | Words, state: Sequence[int] | Words) -> Any:
        """Return the position of a setup and a state, checked as by `game.position`."""
        return game.position(setup, state)

    @staticmethod
    def _trusted(
        game: Game,
        setup: Words,
        state: Words,
        observer: int | None = None,
        ply: int = 0,
        seed: int | None = None,
    ) -> Position:
        """Return the first position of a line, unchecked: the words must come from the game."""
        out = np.empty(game.look_words, np.int64)
        count = _run(game, "look", setup, state, out)
        return _made(game, setup, state, None, None, observer, ply, seed, count, out)

    @classmethod
    def _unchecked(cls, game: Game, setup: Words, state: Words) -> Self:
        """Return a position with its words and no other field; no kernel is called on them."""
        draft = _Draft()
        draft.game, draft.setup, draft.state = game, setup, state
        draft.__class__ = cls
        return draft  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position does not change: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a position does not change: {name!r} cannot be deleted")

    def __reduce__(self) -> Any:
        first, *later = self.line()
        actions = [position.action for position in later]
        if first.seed is not None and not first.game.has_text:  # its words cannot be checked
            return _replayed, (first.game, first.seed, actions)
        return _replayed, (
            first.game, (first.setup, first.state, first.observer, first.ply), actions,
        )  # fmt: skip

    def _seat(self, player: int) -> int:
        players, seat = self.game.facts.players, whole(player)
        if seat not in range(players):
            shown = one_line(repr(player), 60)
            raise OptionError(f"player {shown}: {self.game} has players 0 to {players - 1}")
        return seat

    def play(self, action: int | str) -> Position:
        """Return the position after an action; this position does not change.

        A text is the action as a person types it and `format` writes it ("4" is Connect Four's
        fourth column); an integer is the action's number, from 0 (3 is the same column).
        """
        number = self.parse(action) if isinstance(action, str) else whole(action)
        if number not in self.legal_actions:
            raise IllegalActionError(self._illegal(action))
        game, setup = self.game, self.setup
        state, out = self.state.copy(), np.empty(game.look_words, np.int64)
        if game.runner is None:  # `look` took the types of the arrays
            count = advance.trusting(game.always, setup, state, number, out)
        else:
            count = game.runner.run(game, "advance", (setup, state, number, out))
        state.setflags(write=False)
        ply = self.ply + 1
        return _made(game, setup, state, self, number, self.observer, ply, self.seed, count, out)

    def replay(self, action: int) -> Position:
        """Return the position after an action of a record: a legal one, or SKIP."""
        if whole(action) != SKIP:
            return self.play(action)
        if self.is_over:
            raise IllegalActionError(self._illegal(SKIPPED))
        game, setup = self.game, self.setup
        state, out = np.array(game.skip(self), np.int64), np.empty(game.look_words, np.int64)
        count = _run(game, "look", setup, state, out)
        state.setflags(write=False)
        ply = self.ply + 1
        return _made(game, setup, state, self, SKIP, self.observer, ply, self.seed, count, out)

    def observe(self, player: int) -> Position:
        """Return a player's view: the position without what is hidden, and without its line."""
        if not self.game.facts.hidden:
            return self
        seat = self._seat(player)
        if self.observer not in (None, seat):
            raise OptionError(
                f"this is the view of player {self.observer}; that of player {seat} is unknown"
            )
        state = self.state.copy()
        _run(self.game, "hide", self.setup, state, seat)
        state.setflags(write=False)
        return self._trusted(self.game, self.setup, state, seat, self.ply)

    def determinize(self, seed: int) -> Position:
        """Return a position in which everything hidden from the observer is drawn at random."""
        if self.observer is None:
            return self
        state = self.state.copy()
        stream = random_stream(seed)
        _run(self.game, "guess", self.setup, state, self.observer, stream)
        state.setflags(write=False)
        return self._trusted(self.game, self.setup, state, ply=self.ply)

    def encode(self, player: int | None = None) -> Planes:
        """Return a network's input planes, from the view of a player (None: the one to move)."""
        seat = self._seat(self.player if player is None else player)
        planes: Planes = encode_states(self.game, self.setup, self.state[np.newaxis], [seat])[0]
        return planes

    def images(self) -> tuple[Image, ...]:
        """Return the images under the game's symmetries, this position first.

        Each comes with the image of every action. Images have no line of play, so the image of a
        position that is over by repetition is not over.
        """
        return images(self)

    def format(self, action: int) -> str:
        """Return an action as a person would type it."""
        return SKIPPED if action == SKIP else self.game.format(self, action)

    def parse(self, text: str) -> int:
        """Return the action that a text names, as `format` writes it, ignoring case."""
        folded = text.strip().casefold()
        for action in self.legal_actions:
            if self.format(action).casefold() == folded:
                return action
        raise IllegalActionError(self._illegal(text))

    def line(self) -> list[Position]:
        """Return the positions that led here, from the first to this one."""
        positions = [self]
        while positions[-1].previous is not None:
            positions.append(positions[-1].previous)
        return positions[::-1]

    def without_line(self) -> Position:
        """Return the same position as the first of a line, without those before it."""
        return self._trusted(self.game, self.setup, self.state, self.observer)

    def played_since(self, ply: int) -> list[tuple[Position, int]]:
        """Return the (position, action) pairs played from a ply up to this position."""
        played: list[tuple[Position, int]] = []
        position = self
        while position.ply > ply and position.previous is not None and position.action is not None:
            played.append((position.previous, position.action))
            position = position.previous
        return played[::-1]

    def evaluate(self, evaluator: str | Evaluator = "") -> tuple[float, ...]:
        """Return each player's value according to a heuristic of the game."""
        evaluator = self.game.evaluator(evaluator)
        params = np.array(evaluator.params(self.game), np.float64)
        out = np.zeros(self.game.facts.players)
        value(self.game.rules(evaluator), self.setup, self.state, params, out)
        return tuple(out.tolist())

    def to_text(self) -> str:
        """Return the whole position as one line of text; `game.parse` reads it."""
        return self.game.write(self)

    def _illegal(self, action: object) -> str:
        """Return why an action cannot be played, quoting it as it was given: text or number."""
        where = f"{self.game} at {self.to_text()!r}"
        if isinstance(action, str):
            shown = repr(shortened(action))
        else:
            shown = f"action {one_line(repr(action), 60)}"
        if self.is_over:
            return f"{shown} cannot be played: the game is over in {where}"
        if not isinstance(action, str):
            numbers = ", ".join(map(str, self.legal_actions[:20]))
            allowed = f"legal: {numbers}{', ...' if len(self.legal_actions) > 20 else ''}"
        else:
            known = [self.format(legal) for legal in self.legal_actions]
            few = len(known) <= 20
            allowed = f"legal: {', '.join(known)}" if few else suggestion(action, known)
        return f"{shown} is not legal in {where}; {allowed}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Position)
            and (self.game is other.game or self.game == other.game)
            and self.state.tobytes() == other.state.tobytes()  # much faster than `array_equal`
            and self.setup.tobytes() == other.setup.tobytes()
        )

    def __hash__(self) -> int:
        return self.key

    def __str__(self) -> str:
        return plain(self.game.rows(self))

    def __repr__(self) -> str:
        return f"<{self.game} {self.to_text()!r}>"

    def _repr_svg_(self) -> str:
        return self.game.draw(self).svg()


def _replayed(
    game: Game, start: int | tuple[Words, Words, int | None, int], actions: list[int]
) -> Position:
    """Return the last position of a line, whose actions are replayed.

    `start` is the seed of a start, or words that are checked, with their observer and ply.
    """
    if isinstance(start, tuple):
        setup, state, observer, ply = start
        first = game.position(setup, state)
        if first.observer is not None:  # the words themselves show whose view they are
            observer = first.observer
        elif observer is not None:
            first._seat(observer)
        position = Position._trusted(game, first.setup, first.state, observer, ply)
    else:
        position = game.start(start)
    for action in actions:
        position = position.replay(action)
    return position


def _made(
    game: Game,
    setup: Words,
    state: Words,
    previous: Position | None,
    action: int | None,
    observer: int | None,
    ply: int,
    seed: int | None,
    count: int,
    out: Words,
) -> Position:
    """Return a position with all its fields; `count` and `out` are what `look` gave."""
    draft = _Draft()
    draft.game = game
    draft.setup = setup
    draft.state = state
    draft.previous = previous
    draft.action = action
    draft.observer = observer
    draft.ply = ply
    draft.seed = seed
    draft.player, key, *legal = out[: LEGAL + count if count > 0 else LEGAL].tolist()
    draft.key = key & 0xFFFFFFFFFFFFFFFF
    draft.returns = game.no_returns
    repetition = game.facts.repetition
    draft.is_over = count == OVER or (repetition > 0 and _occurs(draft, repetition))
    draft.legal_actions = () if draft.is_over else tuple(legal)
    if count == OVER:
        returns = np.zeros(game.facts.players)
        _run(game, "result", setup, state, returns)
        draft.returns = tuple(returns.tolist())
    draft.__class__ = Position  # much faster than `object.__setattr__` for each field
    return draft  # type: ignore[return-value]


def _occurs(draft: _Draft, times: int) -> bool:
    """Return whether the key of a line's last position occurs at least so many times in it."""
    count, earlier = 1, draft.previous
    while earlier is not None and count < times:
        count += earlier.key == draft.key
        earlier = earlier.previous
    return count >= times
