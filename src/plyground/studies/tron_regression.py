"""Tron: the regression of CountBOTula, on as many examples as the study had, and wished for."""

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
RATE, EPOCHS, LONG = 0.01, 1500, 20_000
FIGURES = (("Figure 10", 0.1, EPOCHS), ("Figure 11", RATE, EPOCHS), ("Figure 12", RATE, 1000))
LOST = 1e6
"""A mean squared error from which no descent comes back."""
FIFTH = 5
"""One start of so many is kept for the test."""
GUESS = "one guess for all"

POINTS = 60
"""Of a curve."""


class Examples(NamedTuple):
    """Positions' numbers, a row each, who won, 1 or -1, and whether kept for the test."""

    numbers: Any
    labels: Any
    kept: Any


class Run(NamedTuple):
    """One descent."""

    name: str
    examples: Examples
    rate: float = RATE
    epochs: int = EPOCHS
    all_ways: bool = False
    """Whether every example is seen all ways, as `views` gives them."""


class TronRegression(Study):
    """Mean squared errors by epoch, on positions learned from and on those of other games."""

    name = "tron_regression"
    title = "Tron: who will win, by linear regression"
    about = (
        "The original study's CountBOTula adds to Voronoi what a linear regression makes of 338 "
        "numbers: what is taken, and where the heads are, on 13 x 13 cells. It is fitted by "
        "gradient descent to the winners of games TA2 - TA2, TA1 - TA2, TA1 - WallBot and TA2 - "
        "WallBot, largely on the empty room: 5,750 positions, a fifth of them kept for the test. "
        "Figures 10 to 12 plot the mean squared error (no figure of it is given); the study "
        "wished for 60,000 positions and for several thousands of epochs."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        if self.quick:
            few = many = self._examples(laboratory, EMPTY, 20, HAD)
        else:
            few = self._examples(laboratory, EMPTY, 40, HAD)
            many = self._examples(laboratory, SEVERAL, 50, WISHED)
        by_position = np.arange(len(few.labels)) % FIFTH == 0
        runs = [
            Run("Figure 11, test of other positions", few._replace(kept=by_position)),
            *(Run(name, few, rate, epochs) for name, rate, epochs in FIGURES),
            Run("as wished", many),
            Run("and longer", many, epochs=LONG),
            Run("seen all ways", many, all_ways=True),
            Run("seen all ways, and longer", many, epochs=LONG, all_ways=True),
        ]
        rows = [_same_guess(few), _same_guess(many)]
        curves: dict[int, list[Curve]] = {EPOCHS: [], LONG: []}
        for run in runs:
            laboratory.tell(f"{len(run.examples.labels):,} examples, {run.name}")
            row, drawn = _descent(run)
            rows.append(row)
            if run.epochs in curves:
                curves[run.epochs] += drawn
        headings = ("run", "examples", "rate", "highest rate", "epochs", "MSE", "MSE in the test")
        return Findings(
            tables=(Table("Mean squared error", headings, tuple(rows)),),
            plots=tuple(
                Plot(f"{epochs:,} epochs, rate {RATE}", "epochs", "mean squared error", tuple(each))
                for epochs, each in curves.items()
            ),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        guesses = {row[1]: row[-1] for row in tables[0].rows if row[0] == GUESS}
        errors = {row[0]: row for row in tables[0].rows if row[0] != GUESS}
        told = []
        for name, (_, examples, rate, highest, epochs, _, error) in errors.items():
            if isinstance(error, str):
                told.append(
                    f"{name}: descent at a rate of {rate:g}, where {highest:.3g} is the highest, "
                    f"was lost {error}"
                )
            elif isinstance(error, float) and isinstance(guess := guesses[examples], float):
                side = "below" if error < guess else "above"
                told.append(
                    f"{name}, {epochs:,} epochs: {error:.3g} in the test, {side} the {guess:.3g} "
                    "of one guess for all"
                )
        return tuple(map(sentence, told))

    def weights(self, laboratory: Laboratory) -> list[float]:
        """Learn from all the examples that the study wished for: the heads' weights, as shipped."""
        examples = self._examples(laboratory, SEVERAL, 50, WISHED)
        averages = Averages.of(examples.numbers, examples.labels).seen_as(views())
        *_, last = descend(averages, RATE, LONG)
        return [round(float(weight), 5) for weight in last[PLANE:]]

    def _examples(
        self, laboratory: Laboratory, games: tuple[str, ...], each: int, wanted: int
    ) -> Examples:
        """Take positions from games of every pairing."""
        played = [
            sorted(laboratory.play(self._tournament(game, pair, each)), key=lambda one: one.number)
            for game in games
            for pair in PAIRS
        ]
        records = list(chain.from_iterable(zip(*played, strict=True)))
        tested = set(sorted({record.start for record in records})[::FIFTH])
        columns = zip(*_rows(records, tested, wanted), strict=True)
        return Examples(*(np.array(column) for column in columns))

    def _tournament(self, game: str, pair: tuple[str, str], games: int) -> Tournament:
        return Tournament.make(
            {
                "game": game, "agents": pair, "games": games, "seed": self.seed,
                "opening": 2, "opening_rule": "random",
            }
        )  # fmt: skip


def _rows(
    records: list[Record], tested: set[str], wanted: int
) -> Iterator[tuple[Any, float, bool]]:
    """Return the positions before every move of so many games as make the wanted number.

    No game comes twice; those of the starts `tested` are kept for the test.
    """
    seen = set()
    for record in records:
        if (record.start, record.actions) in seen:
            continue
        seen.add((record.start, record.actions))
        for position in positions(load_game(record.game), record)[:-1]:
            yield numbers(position).astype(np.float32), record.returns[0], record.start in tested
            wanted -= 1
            if wanted == 0:
                return


def views() -> Iterator[View]:
    """Return all ways to see a position: the board's eight symmetries, each from both seats."""
    cells = np.arange(PLANE).reshape(SIDE, SIDE)
    same, others = np.ones(PLANE), -np.ones(PLANE)
    for turns in range(4):
        turned = np.rot90(cells, turns)
        for board in (turned, turned.T):
            order = np.concatenate([board.ravel(), PLANE + board.ravel()])
            yield order, np.concatenate([same, same]), 1
            yield order, np.concatenate([same, others]), -1


def _same_guess(examples: Examples) -> tuple[Cell, ...]:
    """Return the row of a model that knows only how often the first player wins."""
    _, labels, kept = examples
    errors = np.square(labels - labels[~kept].mean())
    means = float(errors[~kept].mean()), float(errors[kept].mean())
    return (GUESS, len(labels), None, None, None, *means)


def _descent(run: Run) -> tuple[tuple[Cell, ...], list[Curve]]:
    """Return the row of a run, with both errors at the end or when it was lost, and both curves."""
    numbers, labels, kept = run.examples
    learned = Averages.of(numbers[~kept], labels[~kept])
    if run.all_ways:
        learned = learned.seen_as(views())
    test = Averages.of(numbers[kept], labels[kept])
    row = (run.name, len(labels), run.rate, learned.fastest, run.epochs)
    drawn: list[tuple[float, float, float]] = []
    for epoch, weights in enumerate(descend(learned, run.rate, run.epochs)):
        if epoch % max(1, run.epochs // POINTS) == 0 or epoch == run.epochs:
            error = learned.error(weights)
            if not error < LOST:
                return (*row, "lost", f"by epoch {epoch}"), []
            drawn.append((epoch, error, test.error(weights)))
    x, fitted, tested = (tuple(column) for column in zip(*drawn, strict=True))
    curves = [Curve(f"{run.name}: learned from", x, fitted), Curve(f"{run.name}: test", x, tested)]
    return (*row, fitted[-1], tested[-1]), curves


if __name__ == "__main__":  # writes what games/tron/learned.json holds
    found = TronRegression.make({}).weights(Laboratory(play_tournament, print))
    about = f"{WISHED} positions, rate {RATE}, {LONG} epochs, seen all ways, by tron_regression.py"
    print(json.dumps({"made": about, "weights": found}))
