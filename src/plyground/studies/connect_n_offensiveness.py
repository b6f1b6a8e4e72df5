"""Connect-N, the seed's second tournament: one agent, eleven values of offensiveness."""

from __future__ import annotations

from plyground.arena.plan import Tournament
from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import RESULTS, results, seeds_agent, standings
from plyground.studies.study import Findings, Laboratory, Study

FINE = tuple(percent / 100 for percent in range(30, 41))
COARSE = tuple(percent / 100 for percent in range(20, 81, 5))


class ConnectNOffensiveness(Study):
    """Round robins over the seed's eleven values, and over the whole range it tried before."""

    name = "connect_n_offensiveness"
    title = "Connect-N: how offensive to be"
    about = (
        "The seed tried values of offensiveness from 0.2 to 0.8 by 0.05, then eleven from 0.30 to "
        "0.40 in a tournament of alpha-beta agents only, depth 6, and settled on 0.35. It shows "
        "no result of it."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        depth, games = (2, 2) if self.quick else (6, 60)
        tables, curves = [], []
        for title, values in (
            ("Eleven values, 0.30 to 0.40", FINE),
            ("The whole range, 0.20 to 0.80", COARSE),
        ):
            tournament = Tournament.make(
                {
                    "game": "connect_n",
                    "agents": [seeds_agent(depth, value) for value in values],
                    "games": games,
                    "opening": 4,
                    "opening_rule": "random",
                    "seed": self.seed,
                }
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
            remarks=(
                f"Every pair plays {games} games after four random plies, each start once with "
                "either agent first. A score is the one among the values of its table; the bands "
                "are 95% intervals. The seed had the empty board only, on which two such agents "
                "play the same two games whenever they meet.",
            ),
        )
