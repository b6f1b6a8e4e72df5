"""The contract's laws, tried on random games, and perft, the count of lines to a depth.

A new game is right when every law holds: `plyground check GAME`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from inspect import getfile
from pathlib import Path
from typing import Any

import numpy as np

from plyground.compile import (
    JIT,
    Words,
    call_image,
    call_image_action,
    call_legal,
    call_over,
    call_play,
    helper,
    kind_of,
    loop,
)
from plyground.errors import BadGame, BadOption, PlygroundError
from plyground.game import Game, Position
from plyground.game.advice import bound, loud, order, rollout, unwise
from plyground.registry import load_file

MOST_TRIED = 12
"""Of about so many actions of a position the costlier laws try each, of more a sample."""

COMPARED_GAMES = 5
"""How many games are played with the compiler on and off: plain Python is slow."""


class LawBroken(PlygroundError):
    """A game breaks a law; the text quotes the position."""


@dataclass
class Law:
    """One law and what became of it."""

    name: str
    cases: int = 0
    failure: str = ""

    @property
    def holds(self) -> bool:
        return not self.failure and self.cases > 0


@dataclass
class _Seen:
    """What the laws remember from one position to the next."""

    keys: dict[tuple[bytes, int], bytes] = field(default_factory=dict)
    states: dict[tuple[bytes, bytes], int] = field(default_factory=dict)


def _require(condition: object, what: str, position: Position) -> None:
    if not condition:
        raise LawBroken(f"{what}, in {position.game} at {position.to_text()!r}")


def _stride(position: Position) -> int:
    """Where there are very many actions, let a law try some of them, evenly spread."""
    return max(1, len(position.legal_actions) // MOST_TRIED)


# The laws, each of one position of a random game ------------------------------------------------


def _legal(position: Position, seen: _Seen) -> None:
    facts, actions = position.game.facts, position.legal_actions
    _require(list(actions) == sorted(set(actions)), "legal actions are not ascending", position)
    inside = all(0 <= action < facts.actions for action in actions)
    _require(inside, f"a legal action is not in 0..{facts.actions - 1}", position)
    _require(len(actions) <= facts.branching, "more legal actions than declared", position)


def _ended(position: Position, seen: _Seen) -> None:
    players = position.game.facts.players
    if not position.is_over:
        _require(position.legal_actions, "the game goes on without a legal action", position)
        _require(0 <= position.player < players, "the player to move does not exist", position)
    _require(
        position.ply <= position.game.facts.longest, "the game is longer than declared", position
    )


def _untouched(position: Position, seen: _Seen) -> None:
    before = position.setup.tobytes(), position.state.tobytes()
    again = _without_past(position)  # asks every kernel but `play`
    for action in again.legal_actions:
        again.play(action)
    after = again.setup.tobytes(), again.state.tobytes()
    _require(before == after, "a kernel changed what it was only to read", position)


def _without_past(position: Position) -> Position:
    return Position._trusted(position.game, position.setup, position.state)


def _returns(position: Position, seen: _Seen) -> None:
    if position.is_over:
        inside = all(-1.0 <= value <= 1.0 for value in position.returns)
        _require(inside, f"returns {position.returns} are not within -1..1", position)
        if position.game.facts.zero_sum:
            balanced = abs(sum(position.returns)) < 1e-9
            _require(balanced, f"returns {position.returns} do not add up to 0", position)
        for player, gained in enumerate(position.returns):
            partners = (position.returns[seat] for seat in position.game.facts.side(player))
            shared = all(gained == theirs for theirs in partners)
            _require(shared, f"returns {position.returns} differ within a team", position)


def _text(position: Position, seen: _Seen) -> None:
    text = position.to_text()
    again = position.game.parse(text)
    _require(again == position, f"the text reads back as {again.to_text()!r}", position)
    position.game.check_words(position.setup, position.state)
    _require("\n" not in text, "the text is more than one line", position)


def _actions_text(position: Position, seen: _Seen) -> None:
    texts: dict[str, int] = {}
    for action in position.legal_actions:
        text = position.format(action)
        other = texts.setdefault(text.strip().casefold(), action)
        same = other == action
        _require(same, f"actions {other} and {action} are both written {text!r}", position)
    for action in position.legal_actions[:: _stride(position)]:
        text = position.format(action)
        same = position.parse(text) == action
        _require(same, f"action {action} is written {text!r}, which reads as another", position)


def _keys(position: Position, seen: _Seen) -> None:
    words = position.state.copy()
    if position.game.facts.clock is not None:
        words[position.game.facts.clock] = 0
    setup, state = position.setup.tobytes(), words.tobytes()
    key = seen.states.setdefault((setup, state), position.key)
    _require(key == position.key, "the same position has two keys", position)
    other = seen.keys.setdefault((setup, position.key), state)
    _require(other == state, "two different positions have one key", position)


def _values(position: Position, seen: _Seen) -> None:
    for evaluator in position.game.evaluators:
        if not position.is_over:
            values = position.evaluate(evaluator.name)
            inside = all(-1.0 < value < 1.0 for value in values)
            _require(inside, f"{evaluator.name} gives {values}, not within -1..1", position)


def _symmetries(position: Position, seen: _Seen) -> None:
    position = _without_past(position)  # as an image is
    for symmetry in range(1, position.game.facts.symmetries):
        mirrored = image(position, symmetry)
        turned = [image_action(position, action, symmetry) for action in position.legal_actions]
        same = tuple(sorted(turned)) == mirrored.legal_actions
        _require(same, f"symmetry {symmetry} changes the legal actions", position)
        _require(mirrored.returns == position.returns, "a symmetry changes the returns", position)
        pairs = list(zip(position.legal_actions, turned, strict=True))
        for action, other in pairs[:: _stride(position)]:
            there = image(position.play(action), symmetry)
            commutes = there == mirrored.play(other)
            _require(commutes, f"symmetry {symmetry} and action {action} do not commute", position)


def _planes(position: Position, seen: _Seen) -> None:
    if position.game.kernels.encode is not None:
        for player in range(position.game.facts.players):
            planes = position.encode(player)
            inside = bool(np.isfinite(planes).all()) and float(np.abs(planes).max()) <= 1.0
            _require(inside, f"player {player}'s planes are not within -1..1", position)


def _hidden(position: Position, seen: _Seen) -> None:
    if not position.game.facts.hidden or position.is_over:
        return
    player = position.player
    view = position.observe(player)
    _require(view.player == player, "the observer does not know that it is to move", position)
    same = view.legal_actions == position.legal_actions
    _require(same, "the observer sees other legal actions than there are", position)
    guess = view.determinize(position.ply)
    again = guess.observe(player)
    _require(again == view, "a guess does not fit what the observer saw", position)


def _advice(position: Position, seen: _Seen) -> None:
    if position.is_over:
        return
    actions = position.legal_actions
    for kind, name in _advisors(position.game):
        if kind == "order":
            scores = [order(position, each, name) for each in actions[:: _stride(position)]]
            _require(np.isfinite(scores).all(), f"an action's {name} is not finite", position)
        elif kind == "loud":
            listed = loud(position, name)
            _require(listed == sorted(set(listed)), f"{name} is not ascending", position)
            _require(set(listed) <= set(actions), f"{name} lists what is not legal", position)
        elif kind == "unwise":
            wise = any(not unwise(position, action, name) for action in actions)
            _require(wise, f"{name} drops every action", position)
        elif kind == "rollout":
            drawn = {rollout(position, seed, name) for seed in range(3)}
            _require(drawn <= set(actions), f"{name} draws what is not legal", position)


def _advisors(game: Game) -> list[tuple[str, str]]:
    """List the kind and the name of all that the game advises."""
    return [(kind_of(each), each.__name__) for each in game.advice]


def _bounds(position: Position, seen: _Seen) -> None:
    """With this a bound never counts more plies than a solution takes."""
    if position.is_over or position.game.advisor("bound") is None:
        return
    needed = bound(position)
    for action in position.legal_actions[:: _stride(position)]:
        after = position.play(action)
        if not after.is_over or after.returns[0] > -1.0:
            left = 0 if after.is_over else bound(after)
            _require(needed <= left + 1, f"action {action} lowers the bound too far", position)


LAWS: dict[str, Callable[[Position, _Seen], None]] = {
    "legal actions are ascending, unique and as declared": _legal,
    "a game goes on exactly while there is something to play, and ends in time": _ended,
    "playing leaves the position it began from as it was": _untouched,
    "returns lie within -1..1 and add up to 0 where declared": _returns,
    "a position's text reads back": _text,
    "an action's text reads back": _actions_text,
    "equal positions have equal keys, different ones different": _keys,
    "heuristics lie strictly within -1..1": _values,
    "symmetries commute with play": _symmetries,
    "planes are finite and lie within -1..1": _planes,
    "what a player sees is enough to move, and guesses fit it": _hidden,
    "searches are advised what is legal, and not to leave everything": _advice,
    "a puzzle's bound falls by at most 1 with an action": _bounds,
}
SEEDED = "the same seed gives the same game"
COMPILED = "compiled kernels do what plain Python does"


def check(
    game: Game, games: int = 100, seed: int = 0, watch: Callable[[int], None] = lambda done: None
) -> list[Law]:
    """Try every law on so many random games; `watch` is told how many are done."""
    game.prepare()
    laws = {name: Law(name) for name in (*LAWS, SEEDED, COMPILED)}
    seen = _Seen()
    for number in range(games):
        line = list(random_game(game, seed + number))
        for name, law in LAWS.items():
            for position in line:
                _try(laws[name], lambda p=position, law=law: law(p, seen))  # type: ignore[misc]
        again = [position.key for position in random_game(game, seed + number)]
        _try(laws[SEEDED], lambda line=line, again=again: _same(line, again))  # type: ignore[misc]
        watch(number + 1)
    _try(laws[COMPILED], lambda: _compare(game, min(games, COMPARED_GAMES), seed))
    return list(laws.values())


def _try(law: Law, attempt: Callable[[], None]) -> None:
    if not law.failure:
        law.cases += 1
        try:
            attempt()
        except PlygroundError as error:
            law.failure = str(error)
        except Exception as error:  # the game's own words may fail in any way
            law.failure = f"{type(error).__name__}: {error}"


def _same(line: list[Position], keys: list[int]) -> None:
    _require([position.key for position in line] == keys, SEEDED, line[0])


def random_game(game: Game, seed: int) -> Iterator[Position]:
    """Play at random from a seed; give every position, up to one past the declared bound."""
    stream = random.Random(seed)
    position = game.start(seed)
    yield position
    while not position.is_over and position.legal_actions and position.ply <= game.facts.longest:
        position = position.play(stream.choice(position.legal_actions))
        yield position


# With the compiler on and off -------------------------------------------------------------------


def trace(game: Game, seed: int) -> str:
    """Digest one random game: every state, list of actions, key, return and heuristic."""
    digest = sha256()
    for position in random_game(game, seed):
        values = [
            [round(value, 9) for value in position.evaluate(each.name)]
            for each in game.evaluators
            if not position.is_over
        ]
        seen = (
            position.state.tolist(),
            position.legal_actions,
            position.key,
            position.player,
            position.returns,
            values,
            [] if position.is_over else _advised(position),
        )
        digest.update(repr(seen).encode())
    return digest.hexdigest()


def _advised(position: Position) -> list[Any]:
    """Ask all advice that the game has."""
    actions = position.legal_actions[:: _stride(position)]
    ask: dict[str, Callable[[str], Any]] = {
        "order": lambda name: [round(order(position, each, name), 9) for each in actions],
        "unwise": lambda name: [unwise(position, each, name) for each in actions],
        "loud": lambda name: loud(position, name),
        "rollout": lambda name: rollout(position, position.ply, name),
        "bound": lambda name: bound(position, name),
    }
    return [ask[kind](name) for kind, name in _advisors(position.game)]


def _compare(game: Game, games: int, seed: int) -> None:
    """Play the same games in another process with the compiler switched the other way."""
    source = type(game)
    told: dict[str, Any] = {
        "module": source.__module__,
        "file": str(getfile(source)),
        "class": source.__qualname__,
        "options": game.changed(),
        "seeds": list(range(seed, seed + games)),
    }
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1" if JIT else "0"}
    done = subprocess.run(
        [sys.executable, "-m", "plyground.game.check"],
        input=json.dumps(told), capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    if done.returncode:
        raise BadGame(f"with the compiler switched: {done.stderr.strip().splitlines()[-1]}")
    for number, other in zip(told["seeds"], json.loads(done.stdout), strict=True):
        if trace(game, number) != other:
            raise LawBroken(f"the game of seed {number} differs with the compiler on and off")


def _answer() -> None:
    """Be the other process."""
    told = json.load(sys.stdin)
    if told["module"].startswith("_plyground_"):
        module = load_file(Path(told["file"]))
    else:
        module = import_module(told["module"])
    game = getattr(module, told["class"]).make(told["options"])
    json.dump([trace(game, seed) for seed in told["seeds"]], sys.stdout)


# Symmetry, from Python --------------------------------------------------------------------------


@loop("none(rules, setup, state, i8, words, words)")
def _image(rules, setup, state, symmetry, setup_out, state_out):  # type: ignore[no-untyped-def]
    call_image(rules, setup, state, symmetry, setup_out, state_out)


@loop("i8(rules, setup, i8, i8)")
def _image_action(rules, setup, action, symmetry):  # type: ignore[no-untyped-def]
    return call_image_action(rules, setup, action, symmetry)


def image(position: Position, symmetry: int) -> Position:
    """Return a position's image under one of its game's symmetries."""
    _check_symmetry(position.game, symmetry)
    setup, state = np.empty_like(position.setup), np.empty_like(position.state)
    rules = position.game.rules_with("image")
    _image(rules, position.setup, position.state, int(symmetry), setup, state)
    return Position._trusted(position.game, setup, state)


def image_action(position: Position, action: int, symmetry: int) -> int:
    """Return an action's image."""
    game = position.game
    _check_symmetry(game, symmetry)
    if action not in range(game.facts.actions):
        raise BadOption(f"action {action}: {game} has actions 0 to {game.facts.actions - 1}")
    rules = position.game.rules_with("image_action")
    return int(_image_action(rules, position.setup, int(action), int(symmetry)))


def _check_symmetry(game: Game, symmetry: int) -> None:
    if symmetry not in range(game.facts.symmetries):
        allowed = f"{game} has symmetries 0 to {game.facts.symmetries - 1}"
        raise BadOption(f"symmetry {symmetry}: {allowed}")


# Perft ------------------------------------------------------------------------------------------


@helper
def _count(rules, setup, states, actions, ply, depth):  # type: ignore[no-untyped-def]
    if call_over(rules, setup, states[ply]):
        return 0
    count = call_legal(rules, setup, states[ply], actions[ply])
    if depth == 1:
        return count
    leaves = 0
    for index in range(count):
        states[ply + 1, :] = states[ply]
        call_play(rules, setup, states[ply + 1], actions[ply, index])
        leaves += _count(rules, setup, states, actions, ply + 1, depth - 1)
    return leaves


@loop("i8(rules, setup, words2, words2, i8)")
def _perft(rules, setup, states, actions, depth):  # type: ignore[no-untyped-def]
    return _count(rules, setup, states, actions, np.int64(0), np.int64(depth))


def perft(position: Position, depth: int) -> int:
    """Count the lines of exactly `depth` plies.

    A game that ends at exactly that depth counts; one that ended earlier does not.
    """
    if depth < 0:
        raise BadOption(f"depth {depth}: count the lines of 0 plies or more")
    if depth > position.game.facts.longest:
        return 0
    states: Words = np.empty((depth + 1, len(position.state)), np.int64)
    states[0] = position.state
    actions = np.empty((depth + 1, position.game.facts.branching), np.int64)
    return (
        int(_perft(position.game.rules(), position.setup, states, actions, depth)) if depth else 1
    )


if __name__ == "__main__":
    _answer()
