"""Which network is kept: the newest one, unless it is shown to play worse than the best so far."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from plyground.arena.match import play_match
from plyground.arena.scores import score as score_of
from plyground.arena.tournament import Z, wilson
from plyground.arithmetic import derive_seed
from plyground.compile import Reals
from plyground.game import Position
from plyground.games import load_game
from plyground.inference.file import NetworkFile
from plyground.learn.assess import play_alone
from plyground.learn.exact import HASTE
from plyground.learn.learner import Learner
from plyground.learn.onnx import save_onnx
from plyground.learn.recipe import EXACT_SELFPLAY, Recipe
from plyground.search.forest import Evaluation
from plyground.workspace import Entries, Halves

STARTS = 200
"""Starts of a puzzle on which networks are compared, divided among its variants."""
FIRST_SEED = 10**9
"""The seed of the first of them; training deals from other seeds."""
GAMES = 64
"""Games in which two networks are compared: each opening is played in every rotation of seats."""
EVALUATIONS = 16
"""Evaluations per move in these games."""
OPENING = 2
"""Random plies before them."""

BEST, LATEST = "network.onnx", "latest.onnx"
"""The best network of a training, and the one that was compared with it last."""


class Verdict(NamedTuple):
    """How a newer network did."""

    score: float
    """The mean return alone, or the share of points against the best so far."""
    low: float
    """The 95% interval of the score."""
    high: float
    kept: bool


def write_network(
    learner: Learner, recipe: Recipe, path: Path, about: Mapping[str, Any] | None = None
) -> None:
    """Write the learner's averaged network; the file is there whole or not at all."""
    notes = {"game": recipe.games[0], "recipe": asdict(recipe), "steps": learner.steps}
    if recipe.source == EXACT_SELFPLAY:
        notes["haste"] = HASTE
    partial = path.with_suffix(".partial")
    try:
        save_onnx(learner.network(), partial, notes | dict(about or {}))
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


class Selection:
    """The best network of a training, in its folder."""

    def __init__(self, recipe: Recipe, folder: Path, executor: Executor) -> None:
        """Let the processes of an executor play the games in which networks are compared."""
        self.recipe, self.folder, self._executor = recipe, folder, executor
        self.games = [load_game(game) for game in recipe.games]
        self._starts: list[list[Position]] = []

    @property
    def best_step(self) -> int:
        """Return the step of the best network; -1: there is none."""
        return _step(self._about(BEST))

    def compare(self, learner: Learner) -> Verdict:
        """Write the learner's averaged network as the latest, and compare it with the best one.

        It is to be kept if it is better, or if it has learned longer and is not shown to be worse.
        """
        best = self._about(BEST)
        if self.games[0].facts.players == 1:
            returns = self._play_alone(learner)
            about = {"returns": returns.tolist()}
            write_network(learner, self.recipe, self.folder / LATEST, about)
            score, low, high = _interval(returns)
            more, _, most = _interval(returns - best["returns"]) if best else (0.0, 0.0, 0.0)
        else:
            write_network(learner, self.recipe, self.folder / LATEST)
            score, low, high = self._play_best(learner.steps) if best else (0.5, 0.0, 1.0)
            more, most = score - 0.5, high - 0.5
        longer = learner.steps > _step(best)
        return Verdict(score, low, high, more > 0.0 or (longer and most >= 0.0))

    def keep(self) -> None:
        """Let the network that was compared last be the best one."""
        best = self.folder / BEST
        copied = best.with_suffix(".partial")
        shutil.copyfile(self.folder / LATEST, copied)
        copied.replace(best)

    def settle(self, step: int) -> None:
        """Keep the network of a step that was to be kept when the training was killed."""
        if self.best_step < step == _step(self._about(LATEST)):
            self.keep()

    def _about(self, name: str) -> dict[str, Any]:
        """Return what was written about a network of the folder; empty: there is none."""
        path = self.folder / name
        return NetworkFile(path).about if path.exists() else {}

    def _play_alone(self, learner: Learner) -> Reals:
        """Return the returns on starts of all variants."""
        if not self._starts:
            each = -(-STARTS // len(self.games))
            seeds = range(FIRST_SEED, FIRST_SEED + each)
            self._starts = [[game.start(seed) for seed in seeds] for game in self.games]
        stopped = threading.Event()

        def evaluate(planes: Halves, entries: Entries) -> Evaluation:
            if stopped.is_set():
                raise CancelledError
            return learner.evaluate(planes, entries)

        with ThreadPoolExecutor() as pool:  # networks are compiled for each size of board
            try:
                scores = pool.map(partial(play_alone, evaluate), self._starts)
                return np.concatenate([score.returns for score in scores])
            finally:
                stopped.set()  # after Ctrl-C the pool ends with the moves under way

    def _play_best(self, step: int) -> tuple[float, float, float]:
        """Return the share of points against the best network, each opening in every rotation."""
        new, best = (
            f"alphazero(weights={str(self.folder / name)!r}, evaluations={EVALUATIONS})"
            for name in (LATEST, BEST)
        )
        begun = []
        for opening in range(GAMES // self.games[0].facts.players):
            game = self.games[opening % len(self.games)]
            agents = [new, *[best] * (game.facts.players - 1)]
            seed = derive_seed(self.recipe.seed, step, opening) >> 1
            begun.append(self._executor.submit(first_returns, repr(game), agents, seed))
        returns = [each for played in begun for each in played.result()]
        score = score_of(float(np.mean(returns)))
        return score, *wilson(score, len(returns))


def first_returns(game: str, agents: Sequence[str], seed: int) -> list[float]:
    """Play one opening in every rotation of the seats; return what the first agent gets."""
    records = play_match(game, agents, len(agents), opening=OPENING, seed=seed)
    return [record.returns[record.entrants.index(0)] for record in records]


def _step(about: Mapping[str, Any]) -> int:
    """Return the step of a network; -1: there is none."""
    return int(about.get("steps", -1))


def _interval(numbers: Reals) -> tuple[float, float, float]:
    """Return the mean of numbers and its 95% interval."""
    mean, spread = float(numbers.mean()), Z * float(numbers.std()) / sqrt(len(numbers))
    return mean, mean - spread, mean + spread
