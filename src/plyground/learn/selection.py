"""Which network is kept: a newer one replaces the best only where it plays better."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
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
from plyground.game import Position
from plyground.games import load_game
from plyground.inference import Inference
from plyground.learn.assess import play_alone
from plyground.learn.exact import HASTE
from plyground.learn.learner import Learner
from plyground.learn.onnx import save_onnx
from plyground.learn.recipe import EXACT_SELFPLAY, Recipe

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

    def consider(self, learner: Learner) -> Verdict:
        """Compare the learner's averaged network with the best one; keep it if it is better."""
        best, latest = self.folder / BEST, self.folder / LATEST
        alone = self.games[0].facts.players == 1
        if alone:
            score, low, high = self._play_alone(learner)
            kept = not best.exists() or score > self._best_score()
            write_network(learner, self.recipe, latest, {"score": score})
        else:
            write_network(learner, self.recipe, latest)
            score, low, high = self._play_best(learner.steps) if best.exists() else (0.5, 0.0, 1.0)
            kept = not best.exists() or score > 0.5
        if kept:
            copied = best.with_suffix(".partial")
            shutil.copyfile(latest, copied)
            copied.replace(best)
        return Verdict(score, low, high, kept)

    def _best_score(self) -> float:
        about = Inference(self.games[0], str(self.folder / BEST)).about
        return float(about.get("score", -np.inf))

    def _play_alone(self, learner: Learner) -> tuple[float, float, float]:
        """Return the mean return on starts of all variants, and its interval."""
        if not self._starts:
            each = -(-STARTS // len(self.games))
            seeds = range(FIRST_SEED, FIRST_SEED + each)
            self._starts = [[game.start(seed) for seed in seeds] for game in self.games]
        with ThreadPoolExecutor() as pool:  # networks are compiled for each size of board
            scores = pool.map(partial(play_alone, learner.evaluate), self._starts)
            returns = np.concatenate([score.returns for score in scores])
        spread = Z * float(returns.std()) / sqrt(len(returns))
        score = float(returns.mean())
        return score, score - spread, score + spread

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
