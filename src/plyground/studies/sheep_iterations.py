"""Battle Sheep: do more iterations help, as the original study believed?"""

from __future__ import annotations

from collections.abc import Sequence

from plyground.export.report import Cell, Curve, Plot, Table
from plyground.studies._findings import comparison, figures, sentence, steps
from plyground.studies._sheep import MCTS, Score, play_four
from plyground.studies.study import Findings, Laboratory, Study

SEARCH = MCTS.format("nothing")
SIMULATIONS = (50, 150, 500, 1500, 5000, 15000, 50000)


class SheepIterations(Study):
    """One player with more and more simulations against three with 50."""

    name = "sheep_iterations"
    title = "Battle Sheep: more iterations help"
    about = (
        '"We believe it will get better with more iterations", the original study says of its '
        "search, which had 40 to 50 per move. Here one player of game 1 has more and more, the "
        "three others 50."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        games = 4 if self.quick else 80
        scores: dict[int, Score] = {}
        for simulations in SIMULATIONS[: 2 if self.quick else None]:
            players = (SEARCH.format(simulations), *[SEARCH.format(50)] * 3)
            scores[simulations] = play_four(laboratory, "sheep", players, games, self.seed)
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (simulations, *score.cells()) for simulations, score in scores.items()
        )
        wins = [score.wins for score in scores.values()]
        curve = Curve.of("wins", map(float, scores), wins)
        headings = ("simulations", "wins", "95% interval", "points")
        title = "Wins against three players of 50 simulations"
        return Findings(
            tables=(Table(title, headings, rows),),
            plots=(Plot(title, "simulations per move", "share of wins", (curve,), True),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        wins = figures(tables[0], "wins")
        return (
            sentence(f"more simulations: {comparison(wins[-1], wins[0])}"),
            sentence(f"the share of wins {steps(wins)}"),
        )
