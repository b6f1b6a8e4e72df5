"""`plyground check GAME`: test a game against the laws of the contract, on random games.

The rules of a new game may loop for ever, index outside an array or crash, so they never run in
the caller's process. A first child process plays some games with the rules as plain Python, where
every index is checked and errors name a line; a second one plays all games with the compiled rules.
Both test the laws (see `trial`), and the games they play must be the same.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from inspect import getfile
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from plyground.errors import GameError
from plyground.game import Game, Position
from plyground.game.mutants import MUTANTS, REFUSE
from plyground.options import misspelt

PLAIN_GAMES = 5
"""How many games are also played as plain Python, which is slow."""

MUTANTS_PER_GAME = 2
"""How many changed texts and words are tried, for each game to be played."""

TIMEOUT = 20.0
"""Seconds after which a step of a game counts as an endless loop."""

SMALL_STATE = 8
"""Words of a state that are hashed as quickly as by a kernel `key`."""

SEEDED = "the same seed gives the same game"
COMPILED = "compiled kernels do what plain Python does"


@dataclass
class Law:
    """One law: how many cases were tested, and how it was broken, or ""."""

    name: str
    cases: int = 0
    failure: str = ""
    untested: str = ""
    """Why no case was tested."""

    @property
    def holds(self) -> bool:
        return not self.failure and self.cases > 0


@dataclass
class Report:
    """The result of `check`: the laws, and warnings of what is allowed but probably a mistake."""

    laws: list[Law]
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Law]:
        return iter(self.laws)


def check(
    game: Game,
    games: int = 100,
    seed: int = 0,
    watch: Callable[[int], None] = lambda done: None,
    timeout: float = TIMEOUT,
) -> Report:
    """Test every law on random games, in child processes, and return the report.

    `watch` is called with the number of games that are done. GameError is raised if the rules
    cannot be tested: a kernel does not compile, fails as plain Python, crashes, or does not return
    within `timeout` seconds.
    """
    trial = _Trial(game, timeout)
    mutants = MUTANTS_PER_GAME * max(1, games)
    plain = trial.run(seed, min(games, PLAIN_GAMES), compiled=False, mutants=mutants)
    compiled = trial.run(seed, games, compiled=True, watch=watch)
    agreement = Law(COMPILED)
    pairs = zip(plain["digests"], compiled["digests"], strict=False)
    for number, (plain_digest, compiled_digest) in enumerate(pairs):
        agreement.cases += 1
        if plain_digest != compiled_digest and not agreement.failure:
            what = f"the random game of seed {seed + number} differs with the compiler on and off"
            agreement.failure = f"{what}: do numbers in a kernel grow beyond 64 bits?"
    laws = [*(Law(**law) for law in compiled["laws"]), agreement, Law(**plain["mutants"])]
    return Report(laws, list(_warnings(game, games, compiled)))


def _warnings(game: Game, games: int, results: Mapping[str, Any]) -> Iterator[str]:
    for name, meant in misspelt(type(game)).items():
        yield f"nothing calls the method {name!r}; did you mean {meant!r}?"
    for player in sorted(set(range(game.facts.players if games else 0)) - set(results["movers"])):
        never = f"player {player} never moves in {games} random games"
        yield f"{never}: does `play` pass the turn on?"
    for word in results["streams"]:
        yield (
            f"word {word} of the state changes by itself, as a random stream does: every search "
            "reads it, and so knows each roll before it is made"
        )
    for name in results["idle_advice"]:
        yield f"the advice {name!r} never applied in {games} random games, so it was not tested"
    if not game.evaluators:
        yield "no heuristic: depth-limited searches value every unfinished position at 0"
    if game.kernels.key is None and len(game.begin(0)[1]) > SMALL_STATE:
        yield "no kernel `key`: every word of the state is hashed, which is slower"


def random_game(game: Game, seed: int) -> Iterator[Position]:
    """Play a random game; yield its positions, at most one beyond the declared longest game."""
    stream = random.Random(seed)
    position = game.start(seed)
    yield position
    while not position.is_over and position.legal_actions and position.ply <= game.facts.longest:
        position = position.play(stream.choice(position.legal_actions))
        yield position


# In child processes -----------------------------------------------------------------------------


class _Trial:
    """Runs `plyground.game.trial` in a child process, with a time limit."""

    def __init__(self, game: Game, timeout: float) -> None:
        source = type(game)
        try:
            self.file = Path(getfile(source))
        except (OSError, TypeError):
            raise GameError(f"{game.name}: check needs the class in a file of its own") from None
        if "<locals>" in source.__qualname__:
            raise GameError(f"{game.name}: check needs a class at the top level of its module")
        self.task = {
            "module": source.__module__,
            "file": str(self.file),
            "class": source.__qualname__,
            "options": game.changed(),
            "path": sys.path,
            "timeout": timeout,
        }

    def run(
        self,
        seed: int,
        games: int,
        *,
        compiled: bool,
        mutants: int = 0,
        watch: Callable[[int], None] = lambda done: None,
    ) -> dict[str, Any]:
        """Return the child's results, or raise GameError with the line at fault."""
        task = json.dumps(self.task | {"seed": seed, "games": games, "mutants": mutants})
        environment = os.environ | {"NUMBA_DISABLE_JIT": "0" if compiled else "1"}
        done = 0
        answer: dict[str, Any] = {}
        with TemporaryFile("w+", errors="replace") as noise:
            with subprocess.Popen(
                [sys.executable, "-m", "plyground.game.trial"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=noise, text=True,
                env=environment,
            ) as child:  # fmt: skip
                assert child.stdin is not None
                assert child.stdout is not None
                try:
                    with suppress(BrokenPipeError):  # the child died at once
                        child.stdin.write(task)
                        child.stdin.close()
                    for line in child.stdout:
                        message = json.loads(line)
                        answer |= message
                        if "done" in message:
                            done = message["done"]
                            watch(done)
                except BaseException:  # such as Ctrl-C, which compiled code ignores
                    child.kill()
                    raise
            if "error" in answer:
                raise GameError(answer["error"])
            if "mutants" in answer or ("laws" in answer and not mutants):
                return answer
            problem = self._problem(child.returncode, noise)
        if "trying" in answer:
            failure = f"{answer['trying']} is accepted: {self.file.name}{problem}; {REFUSE}"
            return answer | {"mutants": asdict(Law(MUTANTS, 1, failure))}
        if compiled:  # as plain Python the same game may show the line at fault
            self.run(seed + done, 1, compiled=False)
            problem += f" (compiled, in the random game of seed {seed + done})"
        raise GameError(f"{self.file.name}{problem}")

    def _problem(self, status: int, noise: IO[str]) -> str:
        """Return why a child ended without an answer."""
        noise.seek(0)
        errors = noise.read()
        if "Timeout (" in errors:
            within = f"no end within {self.task['timeout']:g} s: an endless loop? (--timeout)"
            frames = re.findall(r'^  File "(.+)", line (\d+) in (\w+)', errors, re.M)
            own = [frame for frame in frames if Path(frame[0]).is_relative_to(self.file.parent)]
            return f":{own[0][1]}, in {own[0][2]!r}: {within}" if own else f": {within}"
        if status < 0:
            return f": the rules crashed ({signal.Signals(-status).name})"
        last = errors.strip().splitlines()[-1:] or [f"exit status {status}"]
        return f": the rules ended the process: {last[0]}"
