"""Connect-N, other parameters that the original study varied: weights and depth."""

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
"""The lists of the original study (one of which it names twice), and that of its tournaments."""

DEPTHS = tuple(range(2, 9))


class ConnectNParameters(Study):
    """Round robins over the original lists of weights, and over its depths."""

    name = "connect_n_parameters"
    title = "Connect-N: weights and depth"
    about = (
        "Before it chose the weights 0, 10, 50, 5000, 1000000, the original study tried five other "
        "lists, and depths from 2 to 8. It reports no figures, and says only that more and less "
        "depth both had merits: deeper searches exceeded the 15 seconds per move."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        depth, depths, games = (2, DEPTHS[:3], 2) if self.quick else (6, DEPTHS, 40)
        tables = []
        for title, heading, agents in (
            (
                f"Weights, depth {depth}",
                "weights",
                {
                    ", ".join(map(str, weights)): original_agent(depth, weights=weights)
                    for weights in LISTS
                },
            ),
            ("Depth", "depth", {str(plies): original_agent(plies) for plies in depths}),
        ):
            tournament = round_robin(agents.values(), games, self.seed)
            table = standings(tournament, laboratory.play(tournament))
            rows = tuple(
                (name, *results(row), f"{1000 * row.seconds / max(1, row.moves):.1f}")
                for name, row in zip(agents, table, strict=True)
            )
            tables.append(Table(title, (heading, *RESULTS, "ms per move"), rows))
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
