"""Tron: the regression of CountBOTula, on as many examples as the original had, and on more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from plyground.arena.plan import Tournament
from plyground.arena.record import Record, positions
from plyground.arena.tournament import play_tournament
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.games import load_game
from plyground.games.tron.learned import PLANE, SIDE, numbers
from plyground.learn.regression import Averages, View, descend
from plyground.studies._findings import sentence
from plyground.studies._tron import MAPS, TA1, TA2, WALL
from plyground.studies.study import Findings, Laboratory, Study

PAIRS = ((TA2, TA2), (TA1, TA2), (TA1, WALL), (TA2, WALL))
EMPTY = ("tron",)
SEVERAL = (*(f"tron(map={name})" for name in MAPS), "tron(map=room, width=21, height=21)",
           "tron(map=pillars)")  # fmt: skip
HAD, WISHED = 5_750, 60_000
"""Numbers of examples that the original study had, and wished for."""
RATE, EPOCHS, LONG = 0.01, 1500, 20_000
FIGURES = (("Figure 10", 0.1, EPOCHS), ("Figure 11", RATE, EPOCHS), ("Figure 12", RATE, 1000))
DIVERGED = 1e6
"""The mean squared error above which a descent counts as diverged."""
FIFTH = 5
"""One of so many starts is kept for the test."""
CONSTANT = "constant prediction"

POINTS = 60
"""The number of points of a curve."""


class Examples(NamedTuple):
    """Positions as rows of numbers, the winners (1 or -1), and whether kept for the test."""

    numbers: Any
    labels: Any
    kept: Any


class Run(NamedTuple):
    """One gradient descent."""

    name: str
    examples: Examples
    rate: float = RATE
    epochs: int = EPOCHS
    all_views: bool = False
    """Whether every example is used in all `views`: symmetries and seats."""


class TronRegression(Study):
    """Mean squared errors by epoch, on positions learned from and on those of other games."""

    name = "tron_regression"
    title = "Tron: who will win, by linear regression"
    about = (
        "The original study's CountBOTula adds a linear regression to Voronoi. Its 338 inputs are "
        "the taken cells and the cells of the heads on a board of 13 x 13. It is fitted by "
        "gradient descent to the winners of games TA2 - TA2, TA1 - TA2, TA1 - WallBot and TA2 - "
        "WallBot, largely in the empty room: 5,750 positions, a fifth of them kept for the test. "
        "Figures 10 to 12 plot the mean squared error (no numbers are given); the study wished "
        "for 60,000 positions and several thousand epochs."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        if self.quick:
            few = many = self._examples(laboratory, EMPTY, 20, HAD)
        else:
            few = self._examples(laboratory, EMPTY, 40, HAD)
            many = self._examples(laboratory, SEVERAL, 50, WISHED)
        by_position = np.arange(len(few.labels)) % FIFTH == 0
        runs = [
            Run("Figure 11, tested on positions of the same games", few._replace(kept=by_position)),
            *(Run(name, few, rate, epochs) for name, rate, epochs in FIGURES),
            Run("60,000 positions", many),
            Run("60,000 positions, longer", many, epochs=LONG),
            Run("all symmetries", many, all_views=True),
            Run("all symmetries, longer", many, epochs=LONG, all_views=True),
        ]
        rows = [_constant(few), _constant(many)]
        curves: dict[int, list[Curve]] = {EPOCHS: [], LONG: []}
        for run in runs:
            laboratory.progress(f"{len(run.examples.labels):,} examples, {run.name}")
            row, drawn = _descent(run)
            rows.append(row)
            if run.epochs in curves:
                curves[run.epochs] += drawn
        headings = ("run", "examples", "rate", "highest rate", "epochs", "MSE", "MSE in the test")
        return Findings(
            tables=(Table("Mean squared error", headings, tuple(rows)),),
            plots=tuple(
                Plot(
                    f"{epochs:,} epochs, rate {RATE}", "epochs", "mean squared error", tuple(drawn)
                )
                for epochs, drawn in curves.items()
            ),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        constants = {row[1]: row[-1] for row in tables[0].rows if row[0] == CONSTANT}
        errors = {row[0]: row for row in tables[0].rows if row[0] != CONSTANT}
        remarks = []
        for name, (_, examples, rate, highest, epochs, _, error) in errors.items():
            if isinstance(error, str):
                remarks.append(
                    f"{name}: descent at a rate of {rate:g}, where {highest:.3g} is the highest "
                    f"stable one, diverged {error}"
                )
            elif isinstance(error, float) and isinstance(constant := constants[examples], float):
                side = "below" if error < constant else "above"
                remarks.append(
                    f"{name}, {epochs:,} epochs: {error:.3g} in the test, {side} the "
                    f"{constant:.3g} of a constant prediction"
                )
        return tuple(map(sentence, remarks))

    def weights(self, laboratory: Laboratory) -> list[float]:
        """Return the weights of the heads, learned from all examples: those in `learned.json`."""
        examples = self._examples(laboratory, SEVERAL, 50, WISHED)
        averages = Averages.of(examples.numbers, examples.labels).seen_as(views())
        *_, last = descend(averages, RATE, LONG)
        return [round(float(weight), 5) for weight in last[PLANE:]]

    def _examples(
        self, laboratory: Laboratory, games: tuple[str, ...], per_pair: int, count: int
    ) -> Examples:
        """Return `count` positions from games of every pair in every variant of the game."""
        played = [
            sorted(
                laboratory.play(self._tournament(game, pair, per_pair)),
                key=lambda record: record.number,
            )
            for game in games
            for pair in PAIRS
        ]
        records = list(chain.from_iterable(zip(*played, strict=True)))
        tested = set(sorted({record.start for record in records})[::FIFTH])
        columns = zip(*_rows(records, tested, count), strict=True)
        return Examples(*(np.array(column) for column in columns))

    def _tournament(self, game: str, pair: tuple[str, str], games: int) -> Tournament:
        return Tournament.make(
            {
                "game": game, "agents": pair, "games": games, "seed": self.seed,
                "opening": 2, "opening_rule": "random",
            }
        )  # fmt: skip


def _rows(records: list[Record], tested: set[str], count: int) -> Iterator[tuple[Any, float, bool]]:
    """Yield up to `count` positions of games, without repeated games: inputs, winner, whether kept
    for the test, which are those of the starts `tested`."""
    seen = set()
    for record in records:
        if (record.start, record.actions) in seen:
            continue
        seen.add((record.start, record.actions))
        for position in positions(load_game(record.game), record)[:-1]:
            yield numbers(position).astype(np.float32), record.returns[0], record.start in tested
            count -= 1
            if count == 0:
                return


def views() -> Iterator[View]:
    """Yield all views of a position: the board's eight symmetries, each from both seats."""
    cells = np.arange(PLANE).reshape(SIDE, SIDE)
    same, negated = np.ones(PLANE), -np.ones(PLANE)
    for turns in range(4):
        turned = np.rot90(cells, turns)
        for board in (turned, turned.T):
            order = np.concatenate([board.ravel(), PLANE + board.ravel()])
            yield order, np.concatenate([same, same]), 1
            yield order, np.concatenate([same, negated]), -1


def _constant(examples: Examples) -> tuple[Cell, ...]:
    """Return the row of a model that always predicts the mean result of the first player."""
    _, labels, kept = examples
    errors = np.square(labels - labels[~kept].mean())
    means = float(errors[~kept].mean()), float(errors[kept].mean())
    return (CONSTANT, len(labels), None, None, None, *means)


def _descent(run: Run) -> tuple[tuple[Cell, ...], list[Curve]]:
    """Return the row of a run, with both errors or the epoch of divergence, and both curves."""
    numbers, labels, kept = run.examples
    learned = Averages.of(numbers[~kept], labels[~kept])
    if run.all_views:
        learned = learned.seen_as(views())
    test = Averages.of(numbers[kept], labels[kept])
    row = (run.name, len(labels), run.rate, learned.fastest, run.epochs)
    drawn: list[tuple[float, float, float]] = []
    for epoch, weights in enumerate(descend(learned, run.rate, run.epochs)):
        if epoch % max(1, run.epochs // POINTS) == 0 or epoch == run.epochs:
            error = learned.error(weights)
            if not error < DIVERGED:
                return (*row, "diverged", f"by epoch {epoch}"), []
            drawn.append((epoch, error, test.error(weights)))
    x, fitted, tested = (tuple(column) for column in zip(*drawn, strict=True))
    curves = [Curve(f"{run.name}: training", x, fitted), Curve(f"{run.name}: test", x, tested)]
    return (*row, fitted[-1], tested[-1]), curves


if __name__ == "__main__":  # prints the content of games/tron/learned.json
    learned_weights = TronRegression.make({}).weights(Laboratory(play_tournament, print))
    about = f"{WISHED} positions, rate {RATE}, {LONG} epochs, seen all ways, by tron_regression.py"
    print(json.dumps({"made": about, "weights": learned_weights}))
