"""Connect-N, what else the study varied: lists of weights, and depth."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import (
    RESULTS,
    WEIGHTS,
    original_agent,
    results,
    round_robin,
    standings,
)
from plyground.studies._findings import figures, leader, sentence, steps
from plyground.studies.study import Findings, Laboratory, Study

LISTS = (
    (0, 10, 25, 100, 1000),
    (0, 10, 50, 250, 10000),
    (0, 10, 100, 10000),
    (0, 10, 50, 500, 10000),
    (0, 10, 50, 5000, 100000),
    WEIGHTS,
)
"""As the study lists them (one of them twice), and the one of its tournaments."""

DEPTHS = tuple(range(2, 9))


class ConnectNParameters(Study):
    """Round robins over the study's lists of weights, and over its depths."""

    name = "connect_n_parameters"
    title = "Connect-N: weights and depth"
    about = (
        "Before it settled on weights 0, 10, 50, 5000, 1000000, the original study tried five "
        "other lists, and depths from 2 to 8. It reports no figures, but that both more and less "
        "depth had their merits: deeper searches went over the 15 seconds a move."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        depth, depths, games = (2, DEPTHS[:3], 2) if self.quick else (6, DEPTHS, 40)
        tables = []
        for title, heading, agents in (
            (
                f"Weights, depth {depth}",
                "weights",
                {", ".join(map(str, each)): original_agent(depth, weights=each) for each in LISTS},
            ),
            ("Depth", "depth", {str(each): original_agent(each) for each in depths}),
        ):
            tournament = round_robin(agents.values(), games, self.seed)
            table = standings(tournament, laboratory.play(tournament))
            rows = tuple(
                (name, *results(row), f"{1000 * row.seconds / max(1, row.moves):.1f}")
                for name, row in zip(agents, table, strict=True)
            )
            tables.append(Table(title, (heading, *RESULTS, "ms a move"), rows))
        curve = Curve.of("depth", depths, table)
        return Findings(
            tables=tuple(tables),
            plots=(Plot("Score by depth", "depth", "score", (curve,)),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        weights, depth = (figures(table, "score") for table in tables)
        return (
            sentence(leader(weights, tables[0].title)),
            sentence(leader(depth, tables[1].title)),
            sentence(f"by depth the score {steps(depth)}"),
        )
