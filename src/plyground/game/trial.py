"""The child process of `check`: plays random games and tests the laws on their positions.

It reads one task from standard input and writes lines of JSON: the number of games done, and at the
end the results or an error. Whatever the game itself prints goes to standard error.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import reduce
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from plyground.compile import JIT
from plyground.errors import GameError, KernelError, PlygroundError, place_of
from plyground.game import Game, Position
from plyground.game.advice import bound, loud, order, rollout, skip, unwise
from plyground.game.check import PLAIN_GAMES, SEEDED, Law, random_game
from plyground.game.laws import LAWS, Seen, advisors, lacking, require, stride
from plyground.game.mutants import MUTANTS, mutant, problem
from plyground.game.streams import Streams
from plyground.registry import load_file

PLAIN_SECONDS = 5.0
"""Seconds after which no further game is begun in plain Python."""

MUTANT_SECONDS, POSITIONS = 5.0, 4
"""How long changed texts are tried at most, and of how many positions of a game."""

PLAIN_POSITIONS = 3
"""On about how many positions of a game the laws are tested in plain Python."""


class Trial:
    """Tests the laws on one random game after another."""

    def __init__(self, game: Game, folder: Path, timeout: float) -> None:
        self.game, self.folder, self.timeout = game, folder, timeout
        self.laws = {name: Law(name) for name in (*LAWS, SEEDED)}
        self.digests: list[str] = []
        self.movers: set[int] = set()
        self.seen, self.streams = Seen(), Streams()

    def play(self, seed: int) -> None:
        """Play one random game, and test every law on its positions."""
        line = []
        self._watch()
        for position in random_game(self.game, seed):
            self._watch()
            line.append(position)
        self.movers.update(position.player for position in line if not position.is_over)
        if len(self.digests) < PLAIN_GAMES:
            self.digests.append(self._digest(line))
        step = 1 if JIT else max(1, len(line) // PLAIN_POSITIONS)
        for name, law in LAWS.items():
            self._watch()
            for position in line[::step]:
                if not JIT:
                    self._watch()
                self._try(name, lambda p=position, law=law: law(p, self.seen))  # type: ignore[misc]
        self._try(SEEDED, lambda: self._repeated(seed, line))
        if JIT:
            for position in line:
                self.streams.watch(position)

    def _repeated(self, seed: int, line: list[Position]) -> bool:
        """Test that a seed gives the same game again."""
        again = [position.key for position in random_game(self.game, seed)]
        require([position.key for position in line] == again, SEEDED, line[0])
        return True

    def _watch(self) -> None:
        """Restart the time limit: the process ends unless this is called again in time."""
        faulthandler.dump_traceback_later(self.timeout, exit=True)

    def _try(self, name: str, attempt: Callable[[], bool]) -> None:
        law = self.laws[name]
        if law.failure:
            return
        try:
            law.cases += attempt()
        except KernelError:
            raise
        except Exception as error:  # the game's own methods may fail in any way
            law.cases += 1
            law.failure = described(error, self.folder)

    def report(self) -> list[dict[str, Any]]:
        """Return the laws as plain data; those that were not tested say why."""
        for law in self.laws.values():
            lacks = lacking(self.game, law.name)
            if not law.cases:
                law.untested = f"no {lacks}" if lacks else "no random position met its condition"
        return [asdict(law) for law in self.laws.values()]

    def idle_advice(self) -> list[str]:
        """Return the kernels of advice that had nothing to say in any position."""
        names = [name for kind, name in advisors(self.game) if kind != "bound"]
        return [name for name in names if name not in self.seen.advised]

    def try_mutants(self, seed: int, count: int, announce: Callable[[str], None]) -> Law:
        """Return the law of changed texts and words; each is announced before it is tried."""
        law, random, began = Law(MUTANTS), Random(seed), time.monotonic()
        if any(other.failure for other in self.laws.values()):
            law.untested = "other laws are broken"
            return law
        while law.cases < count and not law.failure:
            if time.monotonic() - began > MUTANT_SECONDS:
                break
            line, other = (list(random_game(self.game, random.randrange(64))) for _ in range(2))
            for position in random.sample(line, min(len(line), POSITIONS)):
                self._watch()
                read = mutant(self.game, position, random.choice(other), random)
                announce(str(read))
                law.cases += 1
                law.failure = law.failure or problem(read, self._use, random)
        return law

    def _use(self, position: Position) -> None:
        """Call all that a game offers for a position, and test what searches rely on."""
        for name in list(LAWS)[:2]:
            LAWS[name](position, self.seen)
        _contents(position)
        if position.game.facts.hidden and position.observer is None and not position.is_over:
            position.observe(position.player).determinize(0)
        position.images()

    def _digest(self, line: list[Position]) -> str:
        """Return a digest of all that the kernels compute in a game's positions."""
        digest = sha256()
        for position in line:
            self._watch()
            digest.update(repr(_contents(position)).encode())
        return digest.hexdigest()


def _contents(position: Position) -> tuple[Any, ...]:
    """Return all that kernels compute for a position."""
    game = position.game
    values = [
        [round(value, 9) for value in position.evaluate(evaluator.name)]
        for evaluator in game.evaluators
        if not position.is_over
    ]
    return (
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


def _advised(position: Position) -> list[Any]:
    """Return the results of all the game's advice."""
    actions = position.legal_actions[:: stride(position)]
    by_kind: dict[str, Callable[[str], Any]] = {
        "order": lambda name: [round(order(position, action, name), 9) for action in actions],
        "unwise": lambda name: [unwise(position, action, name) for action in actions],
        "loud": lambda name: loud(position, name),
        "rollout": lambda name: rollout(position, position.ply, name),
        "bound": lambda name: bound(position, name),
        "skip": lambda name: skip(position, name).state.tolist(),
    }
    return [by_kind[kind](name) for kind, name in advisors(position.game)]


def described(error: Exception, folder: Path) -> str:
    """Return an error as one line, with its place in the game's files."""
    text = " ".join(str(error).split())
    if isinstance(error, PlygroundError):
        return text
    place = place_of(error, folder)
    where = "" if place is None else f"{place[0].name}:{place[1]}: "
    return f"{where}{type(error).__name__}: {text}"


def _load(task: dict[str, Any]) -> Game:
    sys.path[:] = task["path"]
    if task["module"] == "__main__" or task["module"].startswith("_plyground_"):
        module = load_file(Path(task["file"]))
    else:
        module = import_module(task["module"])
    try:
        source = reduce(getattr, task["class"].split("."), module)
    except AttributeError:
        raise GameError(f"{task['file']} defines no class {task['class']!r}") from None
    game: Game = source.make(task["options"])
    return game


def main() -> None:
    """Entry point of the child process."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    task = json.load(sys.stdin)

    def send(**message: Any) -> None:
        print(json.dumps(message), file=answers, flush=True)

    folder = Path(task["file"]).parent
    began = time.monotonic()
    try:
        game = _load(task)
        game.prepare()
        trial = Trial(game, folder, task["timeout"])
        for number in range(task["games"]):
            if not JIT and number and time.monotonic() - began > PLAIN_SECONDS:
                break
            trial.play(task["seed"] + number)
            send(done=number + 1)
        send(
            laws=trial.report(),
            digests=trial.digests,
            movers=sorted(trial.movers),
            idle_advice=trial.idle_advice(),
            streams=trial.streams.words(),
        )
        if task["mutants"]:
            law = trial.try_mutants(task["seed"], task["mutants"], lambda text: send(trying=text))
            send(mutants=asdict(law))
    except Exception as error:
        send(error=described(error, folder))


if __name__ == "__main__":
    main()
