"""Robot Reboot, the comparison's row for UCT: how many puzzles are solved, in how many moves."""

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
"""Moves after which a game is lost; its score is then minus the cap."""

UCT = "mcts(simulations={}, exploration=0.4, reuse=False, playout={})"
PLAYERS = (
    ("UCT, 50 play-outs an action, as the original", UCT.format(600, "random")),
    ("UCT, 500 play-outs an action", UCT.format(6_000, "random")),
    ("UCT, 5,000 play-outs an action", UCT.format(60_000, "random")),
    ("UCT of 50 that head for the house", UCT.format(600, "homing")),
    ("UCT of 500 that head for the house", UCT.format(6_000, "homing")),
    ("the shortest way", "shortest"),
)
"""About twelve of the sixteen actions are legal: 600 simulations are 50 for each."""

REPORTED = (
    ("original UCT, of its table", Share(18, 30), -9.13),
    ("original UCT, run again", Share(37, 60), -8.77),
    ("original AlphaZero", Share(17, 30), -9.60),
)


class RobotsUct(Study):
    """Puzzles solved, and the mean score, beside the study's and beside the shortest ways."""

    name = "robots_uct"
    title = "Robot Reboot: UCT on near starts"
    about = (
        "The original study compares UCT with its AlphaZero on 30 near starts: a game is won if "
        "the robot is home within 20 moves, and scores minus its moves, or -20."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        puzzles = 8 if self.quick else 400
        players = PLAYERS[:2] + PLAYERS[-1:] if self.quick else PLAYERS
        specs = [spec for _, spec in players]
        tournament = Tournament.make(
            {"game": "robots", "agents": specs, "games": puzzles, "seed": self.seed}
        )
        games: dict[int, list[Record]] = {each: [] for each in range(len(players))}
        for record in laboratory.play(tournament):
            games[record.entrants[0]].append(record)
        found = list(REPORTED)
        for (name, _), records in zip(players, games.values(), strict=True):
            solved = [record for record in records if record.returns[0] > -1]
            scores = [-len(record.actions) if record in solved else -CAP for record in records]
            found.append((name, Share(len(solved), puzzles), mean(scores)))
        rows = tuple((name, share.told, share.interval_told, score) for name, share, score in found)
        headings = ("player", "solved", "95% interval", "mean score")
        curve = Curve.of("solved", range(len(found)), [share for _, share, _ in found])
        names = tuple(name for name, _, _ in found)
        return Findings(
            tables=(Table(f"{puzzles} near starts", headings, rows),),
            plots=(Plot(self.title, "share of starts solved", "", (curve,), names=names),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        found = figures(tables[0], "solved")
        originals = [each for each in found if each.name.startswith("original")]
        ours = [each for each in found if each not in originals]
        told = [comparison(ours[0], each) for each in originals]
        told.append(leader(ours, "solved"))
        return tuple(map(sentence, told))
