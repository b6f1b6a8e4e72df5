"""Connect-N, the four events of the class tournament: the original agent with depth by stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plyground.arena.record import Record
from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import (
    RESULTS,
    original_agent,
    results,
    round_robin,
    staged_agent,
    standings,
)
from plyground.studies._findings import comparison, figures, leader, sentence
from plyground.studies.study import Findings, Laboratory, Study

EVENTS = ((7, 6, 4), (7, 6, 5), (10, 8, 4), (10, 8, 5))
"""Width, height and n."""

STAGED, FIXED = "original agent, depth by stage", "original agent, depth 6"


class ConnectNEvents(Study):
    """A round robin on each of the four boards."""

    name = "connect_n_events"
    title = "Connect-N: the four class events"
    about = (
        "The class tournament has four events: boards of 7 x 6 and of 10 x 8, each with four and "
        "with five in a row, 15 seconds per move. The original study entered its agent with a "
        "depth that grows with the stage of the game, to the end of the game in the last, and "
        "reports no result."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        tables, curves, games = [], [], 2 if self.quick else 30
        for width, height, n in EVENTS:
            players = {
                STAGED: staged_agent(width, height),
                "original agent, depth 4": original_agent(4),
                FIXED: original_agent(6),
                "MCTS, 1,000 sharp play-outs": "mcts(simulations=1000, playout=sharp)",
                "greedy": "greedy",
                "random": "random",
            }
            if self.quick:
                players = {name: players[name] for name in ("original agent, depth 4", "random")}
            tournament = round_robin(
                players.values(),
                games,
                self.seed,
                f"connect_n(width={width}, height={height}, n={n})",
            )
            slowest = [0.0] * len(players)
            table = standings(tournament, _timed(laboratory.play(tournament), slowest))
            rows = tuple(
                (name, *results(row), f"{1000 * row.seconds / row.moves:.1f}", f"{1000 * most:.0f}")
                for name, row, most in zip(players, table, slowest, strict=True)
            )
            headings = ("agent", *RESULTS, "ms per move", "slowest move, ms")
            event = f"{width} x {height}, {n} in a row"
            tables.append(Table(event, headings, rows))
            curves.append(Curve.of(event, range(len(players)), table))
        return Findings(
            tables=tuple(tables),
            plots=(Plot(self.title, "score", "", tuple(curves), names=tuple(players)),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        remarks = []
        for table in tables:
            scores = figures(table, "score")
            remarks.append(sentence(leader(scores, table.title)))
            by_name = {score.name: score for score in scores}
            if {STAGED, FIXED} <= set(by_name):
                remarks.append(sentence(comparison(by_name[STAGED], by_name[FIXED])))
        slowest = max(float(str(row[-1])) for table in tables for row in table.rows)
        remarks.append(f"The slowest move of all took {slowest:,.0f} ms.")
        return tuple(remarks)


def _timed(records: Iterable[Record], slowest: list[float]) -> Iterator[Record]:
    """Yield records, and write the time of each agent's slowest move into `slowest`."""
    for record in records:
        for ply in range(record.opening, len(record.actions)):
            agent = record.entrants[record.players[ply]]
            slowest[agent] = max(slowest[agent], record.seconds[ply])
        yield record
