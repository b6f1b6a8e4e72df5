"""Expendibots: ratings of all players of the original study, and of two of ours."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.agents import load_agent
from plyground.arena.plan import Tournament
from plyground.arena.ratings import rate
from plyground.export.report import Curve, Plot, Table
from plyground.studies._findings import comparison, figures, leader, sentence
from plyground.studies.study import Findings, Laboratory, Study

_ADVISED = "alphabeta(exact=True, depth=3, evaluate=pieces, order=boom_map, unwise=suicides"
PLAYERS = {
    "original player: 3 turns, boom map, no suicides, boom quiescence": (f"{_ADVISED}, quiet=4)"),
    "without quiescence": f"{_ADVISED})",
    "with tall-stack quiescence": f"{_ADVISED}, quiet=2, loud=towers)",
    "alpha-beta, booms first": "alphabeta(exact=True, depth=3, evaluate=pieces, order=nothing)",
    "minimax, 2 turns": (
        "alphabeta(exact=True, depth=2, evaluate=pieces, order=nothing, prune=False)"
    ),
    "greedy": "rule(by=greedy)",
    "MCTS, best 6 children by pieces": "mcts(simulations=1000, best=6, evaluate=pieces)",
    "random": "random",
    "ours: 4 turns, four features": "alphabeta(depth=4, unwise=suicides, quiet=4)",
    "ours: MCTS, booms that gain": "mcts(simulations=1000, playout=boomer, unwise=suicides)",
}


class ExpendibotsRanking(Study):
    """A round robin of every player that the original study describes, and two of ours."""

    name = "expendibots_ranking"
    title = "Expendibots: the ranking of all players"
    about = (
        "The original study describes a minimax player with every refinement, the quiescence it "
        "rejected, a greedy player of six classes and a Monte Carlo tree search, and says that "
        "the first won. It gives no table, and says only that Monte Carlo tree search lost even "
        "to the greedy player."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        chosen = ("greedy", "random", "minimax, 2 turns") if self.quick else tuple(PLAYERS)
        tournament = Tournament.make(
            {
                "game": "expendibots",
                "agents": [PLAYERS[name] for name in chosen],
                "games": 4 if self.quick else 40,
                "opening": 4,
                "opening_rule": "random",
                "seed": self.seed,
            }
        )
        ratings = rate(laboratory.play(tournament))
        names = {repr(load_agent(spec)): name for name, spec in PLAYERS.items()}
        rows = []
        for rating in ratings.rows:
            low, high = rating.interval()
            rows.append(
                (
                    names[rating.agent],
                    f"{rating.elo:+.0f}",
                    f"{low:+.0f} to {high:+.0f}",
                    rating.games,
                    f"{rating.score:.0%}",
                )
            )
        headings = ("player", "Elo", "95% interval", "games", "score")
        bounds = zip(*(rating.interval() for rating in ratings.rows), strict=True)
        elos = tuple(rating.elo for rating in ratings.rows)
        curve = Curve("Elo", tuple(range(len(elos))), elos, *bounds)
        ranked = tuple(names[rating.agent] for rating in ratings.rows)
        return Findings(
            plots=(Plot(self.title, "Elo, relative to the mean", "", (curve,), names=ranked),),
            tables=(Table("Round robin from random openings of 4 plies", headings, tuple(rows)),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        elos = figures(tables[0], "Elo")
        by_name = {elo.name: elo for elo in elos}
        remarks = [leader(elos, "Elo")]
        remarks += [
            comparison(by_name[name], by_name["greedy"])
            for name in by_name
            if "MCTS" in name and "greedy" in by_name
        ]
        return tuple(map(sentence, remarks))
