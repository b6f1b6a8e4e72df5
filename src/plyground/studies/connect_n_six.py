"""Connect-N, the original first tournament: three random and three alpha-beta players."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import RESULTS, original_agent, results, round_robin, standings
from plyground.studies._findings import comparison, figures, leader, sentence
from plyground.studies.study import Findings, Laboratory, Study

AGENTS = (
    ("alphabetab6ATK, offensiveness 0.40", original_agent(offensiveness=0.4), 14),
    ("alphabetab6DEF, offensiveness 0.30", original_agent(offensiveness=0.3), 12),
    ("alphabetab6, offensiveness 0.35", original_agent(offensiveness=0.35), 9),
    ("random2", "random", -2),
    ("random3", "random", -4),
    ("random1", "random", -4),
)
"""Name, agent, and the score in the original study."""


class ConnectNSix(Study):
    """The original tournament as it was played, and with enough games for a clear result."""

    name = "connect_n_six"
    title = "Connect-N: six agents"
    about = (
        "The original study tunes its agent by tournaments of many copies with random players "
        "among them, and shows one of six agents, depth 6: a win counts 1, a loss -1."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        many = 4 if self.quick else 200
        tables, curves = [], []
        for title, games, opening in (
            ("Two games per pair from the empty board, as its course plays them", 2, 0),
            (f"{many} games per pair after four random plies", many, 4),
        ):
            tournament = round_robin(
                [spec for _, spec, _ in AGENTS], games, self.seed, opening=opening
            )
            table = standings(tournament, laboratory.play(tournament))
            rows = tuple(
                (name, score, round(row.total), *results(row))
                for (name, _, score), row in zip(AGENTS, table, strict=True)
            )
            tables.append(
                Table(title, ("agent", "original score", "score, -1 to 1", *RESULTS), rows)
            )
            curves.append(Curve.of(f"{games} games per pair", range(len(AGENTS)), table))
        names = tuple(name for name, _, _ in AGENTS)
        return Findings(
            tables=tuple(tables),
            plots=(Plot(self.title, "score", "", tuple(curves), names=names),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        remarks = []
        for table in tables:
            scores = figures(table, "score")
            searching = [score for score in scores if not score.name.startswith("random")]
            lowest = min(searching, key=lambda score: score.low)
            others = [score for score in scores if score not in searching]
            highest = max(others, key=lambda score: score.high)
            remarks.append(sentence(f"{table.title}: {comparison(lowest, highest)}"))
            remarks.append(sentence(leader(searching, "among the agents that search")))
        return tuple(remarks)
