"""Which network is kept: a newer one replaces the best only where it plays better."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from plyground.arena.match import play_match
from plyground.game import Game, Position
from plyground.learn.assess import play_alone
from plyground.learn.learner import Learner
from plyground.learn.onnx import save_onnx

STARTS = 200
"""Starts of a puzzle on which networks are compared."""
FIRST_SEED = 10**9
"""The seed of the first of them; training deals from other seeds."""
PAIRS = 16
"""Pairs of games that two networks play against each other."""
EVALUATIONS = 16
"""Evaluations per move in these games."""
OPENING = 2
"""Random plies before them."""

BEST, CANDIDATE = "network.onnx", "candidate.onnx"


class Verdict(NamedTuple):
    """How a newer network did."""

    step: int
    score: float
    """The mean return alone, or the share of points against the best so far."""
    kept: bool


class Selection:
    """The best network of a training, in its folder."""

    def __init__(self, game: Game, folder: Path, about: dict[str, Any], seed: int) -> None:
        self.game, self.folder, self.about, self.seed = game, folder, about, seed
        self._starts: list[Position] = []
        self._best = -np.inf

    def consider(self, learner: Learner) -> Verdict:
        """Compare the learner's averaged network with the best one; keep it if it is better."""
        step, candidate = learner.steps, self.folder / CANDIDATE
        save_onnx(learner.network(), candidate, self.about | {"steps": step})
        if self.game.facts.players == 1:
            score = self._play_alone(learner)
            kept = score > self._best
            self._best = max(self._best, score)
        else:
            first = not (self.folder / BEST).exists()
            score = 0.5 if first else self._play_best(step)
            kept = first or score > 0.5
        if kept:
            candidate.replace(self.folder / BEST)
        else:
            candidate.unlink()
        return Verdict(step, score, kept)

    def _play_alone(self, learner: Learner) -> float:
        if not self._starts:
            seeds = range(FIRST_SEED, FIRST_SEED + STARTS)
            self._starts = [self.game.start(seed) for seed in seeds]
        return play_alone(learner.evaluate, self._starts).mean

    def _play_best(self, step: int) -> float:
        """Return the share of points against the best network, seats rotated."""
        new, best = (
            f"alphazero(weights={str(self.folder / name)!r}, evaluations={EVALUATIONS})"
            for name in (CANDIDATE, BEST)
        )
        players = self.game.facts.players
        games = PAIRS * players
        agents = [new, *[best] * (players - 1)]
        records = play_match(self.game, agents, games, opening=OPENING, seed=self.seed + step)
        returns = [record.returns[record.entrants.index(0)] for record in records]
        return float(np.mean(returns)) / 2 + 0.5
