"""Battle Sheep: do more iterations help, as the study believed?"""

from __future__ import annotations

from collections.abc import Sequence

from plyground.export.report import Cell, Curve, Plot, Table
from plyground.studies._findings import comparison, figures, sentence, steps
from plyground.studies._sheep import MCTS, Evening, spend_evening
from plyground.studies.study import Findings, Laboratory, Study

SEARCH = MCTS.format("nothing")
SIMULATIONS = (50, 150, 500, 1500, 5000, 15000, 50000)


class SheepIterations(Study):
    """One player's simulations grow, its three opponents stay at 50."""

    name = "sheep_iterations"
    title = "Battle Sheep: more iterations help"
    about = (
        '"We believe it will get better with more iterations", the original study says of its '
        "search, which had 40 to 50 a move. Here one player of game 1 has ever more, three others "
        "50."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        games = 4 if self.quick else 80
        evenings: dict[int, Evening] = {}
        for simulations in SIMULATIONS[: 2 if self.quick else None]:
            table = (SEARCH.format(simulations), *[SEARCH.format(50)] * 3)
            evenings[simulations] = spend_evening(laboratory, "sheep", table, games, self.seed)
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (simulations, *evening.cells()) for simulations, evening in evenings.items()
        )
        wins = [evening.wins for evening in evenings.values()]
        curve = Curve.of("wins", map(float, evenings), wins)
        headings = ("simulations", "wins", "95% interval", "points")
        title = "Wins against three players of 50 simulations"
        return Findings(
            tables=(Table(title, headings, rows),),
            plots=(Plot(title, "simulations a move", "share of wins", (curve,), True),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        found = figures(tables[0], "wins")
        return (
            sentence(f"more simulations: {comparison(found[-1], found[0])}"),
            sentence(f"the share of wins {steps(found)}"),
        )
