"""Connect-N, the four events of the class tournament: the seed's agent with its depth by stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.export.report import Curve, Plot, Table
from plyground.studies._connect_n import RESULTS, results, seeds_agent, staged_agent, standings
from plyground.studies.study import Findings, Laboratory, Study

EVENTS = ((7, 6, 4), (7, 6, 5), (10, 8, 4), (10, 8, 5))
"""Width, height and n."""


class ConnectNEvents(Study):
    """A round robin on each of the four boards."""

    name = "connect_n_events"
    title = "Connect-N: the four class events"
    about = (
        "The class tournament has four events: boards of 7 x 6 and of 10 x 8, each with four and "
        "with five in a row, 15 seconds a move. The seed entered its agent with a depth that "
        "grows with the stage of the game, to the end of the game in the last, and says nothing "
        "of how it did."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        tables, curves, games = [], [], 2 if self.quick else 30
        for width, height, n in EVENTS:
            players = {
                "the seed's, depth by stage": staged_agent(width, height),
                "the seed's, depth 4": seeds_agent(4),
                "the seed's, depth 6": seeds_agent(6),
                "MCTS, 1,000 sharp play-outs": "mcts(simulations=1000, playout=sharp)",
                "greedy": "greedy",
                "random": "random",
            }
            if self.quick:
                players = {name: players[name] for name in ("the seed's, depth 4", "random")}
            tournament = Tournament.make(
                {
                    "game": f"connect_n(width={width}, height={height}, n={n})",
                    "agents": list(players.values()),
                    "games": games,
                    "opening": 4,
                    "opening_rule": "random",
                    "seed": self.seed,
                }
            )
            slowest = [0.0] * len(players)
            table = standings(tournament, _timed(laboratory.play(tournament), slowest))
            rows = tuple(
                (name, *results(row), f"{1000 * row.seconds / row.moves:.1f}", f"{1000 * most:.0f}")
                for name, row, most in zip(players, table, slowest, strict=True)
            )
            headings = ("agent", *RESULTS, "ms a move", "slowest move, ms")
            event = f"{width} x {height}, {n} in a row"
            tables.append(Table(event, headings, rows))
            curves.append(Curve.of(event, range(len(players)), table))
        return Findings(
            tables=tuple(tables),
            plots=(Plot(self.title, "score", "", tuple(curves), names=tuple(players)),),
            remarks=(
                f"Every pair plays {games} games after four random plies, each start once with "
                "either agent first. The stages are those of the code at the seed's end, in plies: "
                "on 7 x 6 depth 2 before ply 6, 4 before 19, 6 before 30, then to the end (12 "
                "plies and less); on 10 x 8 depth 2 before ply 8, 3 before 15, 4 before 26, 6 "
                "before 63, then to the end (17 and less). What differs: our search deepens ply "
                "by ply and remembers positions, which changes no value but, among equal ones, "
                "perhaps the column. The seed chose its stages to stay within 15 seconds a move; "
                "times here depend on the machine and on what else it does.",
            ),
        )


def _timed(records: Iterable[Record], slowest: list[float]) -> Iterator[Record]:
    """Pass records on, noting each agent's longest move."""
    for record in records:
        for ply in range(record.opening, len(record.actions)):
            agent = record.entrants[record.players[ply]]
            slowest[agent] = max(slowest[agent], record.seconds[ply])
        yield record
