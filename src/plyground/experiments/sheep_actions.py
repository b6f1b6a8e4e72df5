"""Battle Sheep, Experiment 2: how many sheep the search may send."""

from __future__ import annotations

from plyground.experiments._sheep import GAMES, LIMITS, MCTS, OPPONENTS, spend_evening
from plyground.experiments.experiment import Experiment, Findings, Laboratory
from plyground.report import Cell, Table

SPACES = {
    "all, 1 to M - 1": ("nothing", "0 of 10"),
    "one, M / 2": ("uneven_splits", "1 of 10"),
    "three, 1, M / 2 and M - 1": ("odd_splits", "3 of 10"),
}
"""What the tree leaves out, and the seed's wins."""


class SheepActions(Experiment):
    """The three action spaces on all four games, at 50 simulations a move and at equal time."""

    name = "sheep_actions"
    title = "Battle Sheep: three action spaces"
    about = (
        "The seed's Experiment 2 lets its search send any number of sheep, half a stack, or one, "
        "half, or all but one, in ten games of game 1 with 50 iterations a move."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        games = 4 if self.quick else 100
        tables = []
        for label, game in list(GAMES.items())[: 1 if self.quick else None]:
            rows: list[tuple[Cell, ...]] = []
            for name, (dropped, reported) in SPACES.items():
                for limit, simulations, seconds in LIMITS:
                    table = (MCTS.format(simulations, dropped), *OPPONENTS)
                    evening = spend_evening(laboratory, game, table, games, self.seed, seconds)
                    before = reported if label == "game 1" and seconds is None else None
                    rows.append((name, limit, before, *evening.cells()))
            headings = ("sheep sent", "a move", "seed's wins", "wins", "95% interval", "points")
            tables.append(Table(label, headings, tuple(rows)))
        return Findings(
            tables=tuple(tables),
            remarks=(
                "Only the tree is narrowed; play-outs send any number. At 50 simulations three "
                "actions do best and all do worst, as the seed found; at 0.02 s, some thousand "
                "simulations, the three spaces cannot be told apart. The seed's opponents are "
                "not public, so that its wins and ours are not of the same games.",
            ),
        )
