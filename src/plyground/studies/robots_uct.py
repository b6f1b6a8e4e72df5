"""Robot Reboot, the original comparison's row for UCT: puzzles solved, and their moves."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.export.report import Curve, Plot, Table
from plyground.studies._findings import comparison, figures, leader, sentence
from plyground.studies._share import Share
from plyground.studies.study import Findings, Laboratory, Study

CAP = 20
"""Moves after which a game is lost, with a score of -20."""

UCT = "mcts(simulations={}, exploration=0.4, reuse=False, playout={})"
PLAYERS = (
    ("UCT, 50 play-outs per action, as the original", UCT.format(600, "random")),
    ("UCT, 500 play-outs per action", UCT.format(6_000, "random")),
    ("UCT, 5,000 play-outs per action", UCT.format(60_000, "random")),
    ("UCT, 50 homing play-outs per action", UCT.format(600, "homing")),
    ("UCT, 500 homing play-outs per action", UCT.format(6_000, "homing")),
    ("shortest solutions", "shortest"),
)
"""About twelve of the sixteen actions are legal: 600 simulations are about 50 per action."""

REPORTED = (
    ("original UCT, from its table", Share(18, 30), -9.13),
    ("original UCT, run again", Share(37, 60), -8.77),
    ("original AlphaZero", Share(17, 30), -9.60),
)


class RobotsUct(Study):
    """Puzzles solved and mean scores, beside the original ones and the shortest solutions."""

    name = "robots_uct"
    title = "Robot Reboot: UCT on near starts"
    about = (
        "The original study compares UCT with its AlphaZero on 30 near starts. A game is won if "
        "the robot reaches its house within 20 moves; its score is minus the moves, or -20."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        puzzles = 8 if self.quick else 400
        players = PLAYERS[:2] + PLAYERS[-1:] if self.quick else PLAYERS
        specs = [spec for _, spec in players]
        tournament = Tournament.make(
            {"game": "robots", "agents": specs, "games": puzzles, "seed": self.seed}
        )
        games: dict[int, list[Record]] = {player: [] for player in range(len(players))}
        for record in laboratory.play(tournament):
            games[record.entrants[0]].append(record)
        results = list(REPORTED)
        for (name, _), records in zip(players, games.values(), strict=True):
            solved = [record for record in records if record.returns[0] > -1]
            scores = [-len(record.actions) if record in solved else -CAP for record in records]
            results.append((name, Share(len(solved), puzzles), mean(scores)))
        rows = tuple(
            (name, share.count_text, share.interval_text, score) for name, share, score in results
        )
        headings = ("player", "solved", "95% interval", "mean score")
        curve = Curve.of("solved", range(len(results)), [share for _, share, _ in results])
        names = tuple(name for name, _, _ in results)
        return Findings(
            tables=(Table(f"{puzzles} near starts", headings, rows),),
            plots=(Plot(self.title, "share of starts solved", "", (curve,), names=names),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        shares = figures(tables[0], "solved")
        originals = [share for share in shares if share.name.startswith("original")]
        ours = [share for share in shares if share not in originals]
        remarks = [comparison(ours[0], original) for original in originals]
        remarks.append(leader(ours, "solved"))
        return tuple(map(sentence, remarks))
