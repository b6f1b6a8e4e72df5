"""The contract's laws, tried on random games.

A new game is right when every law holds: `plyground check GAME`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from inspect import getfile
from pathlib import Path
from typing import Any

import numpy as np

from plyground.compile import JIT
from plyground.errors import BadGame, PlygroundError
from plyground.game import Game, Position
from plyground.game.advice import bound, loud, order, rollout, unwise
from plyground.game.laws import LAWS, LawBroken, Seen, advisors, require, stride
from plyground.registry import load_file

COMPARED_GAMES = 5
"""How many games are played with the compiler on and off: plain Python is slow."""


@dataclass
class Law:
    """One law and what became of it."""

    name: str
    cases: int = 0
    failure: str = ""

    @property
    def holds(self) -> bool:
        return not self.failure and self.cases > 0


SEEDED = "the same seed gives the same game"
COMPILED = "compiled kernels do what plain Python does"


def check(
    game: Game, games: int = 100, seed: int = 0, watch: Callable[[int], None] = lambda done: None
) -> list[Law]:
    """Try every law on so many random games; `watch` is told how many are done."""
    game.prepare()
    laws = {name: Law(name) for name in (*LAWS, SEEDED, COMPILED)}
    seen = Seen()
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
    require([position.key for position in line] == keys, SEEDED, line[0])


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
    """Digest one random game: every state, list of actions, key, return, heuristic and plane."""
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
            [] if game.kernels.encode is None else np.round(position.encode(), 6).tolist(),
            game.policy_indices(position).tolist(),
        )
        digest.update(repr(seen).encode())
    return digest.hexdigest()


def _advised(position: Position) -> list[Any]:
    """Ask all advice that the game has."""
    actions = position.legal_actions[:: stride(position)]
    ask: dict[str, Callable[[str], Any]] = {
        "order": lambda name: [round(order(position, each, name), 9) for each in actions],
        "unwise": lambda name: [unwise(position, each, name) for each in actions],
        "loud": lambda name: loud(position, name),
        "rollout": lambda name: rollout(position, position.ply, name),
        "bound": lambda name: bound(position, name),
    }
    return [ask[kind](name) for kind, name in advisors(position.game)]


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
    """Run in the other process: answer with the digests of the games asked for."""
    told = json.load(sys.stdin)
    if told["module"].startswith("_plyground_"):
        module = load_file(Path(told["file"]))
    else:
        module = import_module(told["module"])
    game = getattr(module, told["class"]).make(told["options"])
    json.dump([trace(game, seed) for seed in told["seeds"]], sys.stdout)


if __name__ == "__main__":
    _answer()
