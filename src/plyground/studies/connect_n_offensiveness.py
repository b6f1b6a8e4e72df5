"""Connect-N, the original second tournament: one agent, eleven values of offensiveness."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import RESULTS, original_agent, results, round_robin, standings
from plyground.studies._findings import comparison, figures, leader, sentence
from plyground.studies.study import Findings, Laboratory, Study

FINE = tuple(percent / 100 for percent in range(30, 41))
CHOSEN = "0.35"
"""The value that the original study chose."""

COARSE = tuple(percent / 100 for percent in range(20, 81, 5))


class ConnectNOffensiveness(Study):
    """Round robins over the original eleven values, and over the whole range it tried before."""

    name = "connect_n_offensiveness"
    title = "Connect-N: how offensive to be"
    about = (
        "The original study tried values of offensiveness from 0.2 to 0.8 by 0.05, then eleven "
        "from 0.30 to 0.40 in a tournament of alpha-beta agents only, depth 6, and chose 0.35. It "
        "reports no result of that tournament."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        depth, games = (2, 2) if self.quick else (6, 60)
        tables, curves = [], []
        for title, values in (
            ("Eleven values, 0.30 to 0.40", FINE),
            ("The whole range, 0.20 to 0.80", COARSE),
        ):
            tournament = round_robin(
                [original_agent(depth, value) for value in values], games, self.seed
            )
            table = standings(tournament, laboratory.play(tournament))
            rows = tuple(
                (f"{value:.2f}", *results(row)) for value, row in zip(values, table, strict=True)
            )
            tables.append(Table(title, ("offensiveness", *RESULTS), rows))
            curves.append(Curve.of(title, values, table))
        return Findings(
            tables=tuple(tables),
            plots=(Plot("Score by offensiveness", "offensiveness", "score", tuple(curves)),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        remarks = []
        for table in tables:
            scores = figures(table, "score")
            remarks.append(sentence(leader(scores, table.title)))
            (chosen,) = (score for score in scores if score.name == CHOSEN)
            best = max(scores, key=lambda score: score.low + score.high)
            if best is not chosen:
                remarks.append(sentence(f"the study's choice: {comparison(chosen, best)}"))
        return tuple(remarks)
