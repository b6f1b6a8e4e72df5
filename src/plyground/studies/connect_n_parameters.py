"""Connect-N, what else the seed varied: lists of weights, and depth."""

from __future__ import annotations

from plyground.arena.plan import Tournament
from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import RESULTS, WEIGHTS, results, seeds_agent, standings
from plyground.studies.study import Findings, Laboratory, Study

LISTS = (
    (0, 10, 25, 100, 1000),
    (0, 10, 50, 250, 10000),
    (0, 10, 100, 10000),
    (0, 10, 50, 500, 10000),
    (0, 10, 50, 5000, 100000),
    WEIGHTS,
)
"""As the seed lists them (one of them twice), and the one of its tournaments."""

DEPTHS = tuple(range(2, 9))


class ConnectNParameters(Study):
    """Round robins over the seed's lists of weights, and over its depths."""

    name = "connect_n_parameters"
    title = "Connect-N: weights and depth"
    about = (
        "Before it settled on weights 0, 10, 50, 5000, 1000000, the seed tried five other lists, "
        "and depths from 2 to 8. It reports no figures, but that both more and less depth had "
        "their merits: deeper searches went over the 15 seconds a move."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        depth, depths, games = (2, DEPTHS[:3], 2) if self.quick else (6, DEPTHS, 40)
        tables = []
        for title, heading, agents in (
            (
                f"Weights, depth {depth}",
                "weights",
                {", ".join(map(str, each)): seeds_agent(depth, weights=each) for each in LISTS},
            ),
            ("Depth", "depth", {str(each): seeds_agent(each) for each in depths}),
        ):
            tournament = Tournament.make(
                {
                    "game": "connect_n",
                    "agents": list(agents.values()),
                    "games": games,
                    "opening": 4,
                    "opening_rule": "random",
                    "seed": self.seed,
                }
            )
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
            remarks=(
                f"Every pair plays {games} games after four random plies, each start once with "
                "either agent first; offensiveness 0.35. Where a list has no weight for a number "
                "of stones, its last one serves. The score of a depth is the one among these "
                "depths. Times depend on the machine and on what else it does.",
            ),
        )
