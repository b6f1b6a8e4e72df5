"""Which network is kept: a newer one replaces the best only where it plays better."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from plyground.arena.match import play_match
from plyground.arena.tournament import Z, wilson
from plyground.arithmetic import derive_seed
from plyground.game import Position
from plyground.games import load_game
from plyground.inference import Inference
from plyground.learn.assess import play_alone
from plyground.learn.learner import Learner
from plyground.learn.onnx import save_onnx
from plyground.learn.recipe import Recipe

STARTS = 200
"""Starts of a puzzle on which networks are compared, divided among its variants."""
FIRST_SEED = 10**9
"""The seed of the first of them; training deals from other seeds."""
PAIRS = 16
"""Openings from which two networks play each other, in every rotation of the seats."""
EVALUATIONS = 16
"""Evaluations per move in these games."""
OPENING = 2
"""Random plies before them."""

BEST, CANDIDATE = "network.onnx", "candidate.onnx"


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

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self.recipe, self.folder = recipe, folder
        self.games = [load_game(game) for game in recipe.games]
        self._starts: list[list[Position]] = []

    def consider(self, learner: Learner) -> Verdict:
        """Compare the learner's averaged network with the best one; keep it if it is better."""
        best = self.folder / BEST
        if self.games[0].facts.players == 1:
            score, low, high = self._play_alone(learner)
            kept = not best.exists() or score > self._best_score()
            if kept:
                write_network(learner, self.recipe, best, {"score": score})
            return Verdict(score, low, high, kept)
        if not best.exists():
            write_network(learner, self.recipe, best)
            return Verdict(0.5, 0.0, 1.0, True)
        candidate = self.folder / CANDIDATE
        write_network(learner, self.recipe, candidate)
        score, low, high = self._play_best(learner.steps)
        kept = score > 0.5
        if kept:
            candidate.replace(best)
        else:
            candidate.unlink()
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
            for name in (CANDIDATE, BEST)
        )
        returns = []
        for number, game in enumerate(self.games):
            players = game.facts.players
            agents = [new, *[best] * (players - 1)]
            count = -(-PAIRS // len(self.games)) * players
            seed = derive_seed(self.recipe.seed, step, number) >> 1
            for record in play_match(game, agents, count, opening=OPENING, seed=seed):
                returns.append(record.returns[record.entrants.index(0)])
        score = float(np.mean(returns)) / 2 + 0.5
        return score, *wilson(score, len(returns))
