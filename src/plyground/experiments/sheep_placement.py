"""Battle Sheep, Experiment 1: placement and steps by rule or by Monte Carlo tree search."""

from __future__ import annotations

from plyground.experiments._sheep import GAMES, MCTS, OPPONENTS, spend_evening
from plyground.experiments.experiment import Experiment, Findings, Laboratory
from plyground.report import Cell, Table

RULE, SEARCH = "rule(by=spreading)", MCTS.format(50, "nothing")
COMBINATIONS = {
    "rule / rule": (RULE, RULE, "3 of 10"),
    "rule / MCTS": (RULE, SEARCH, "2 of 10"),
    "MCTS / rule": (SEARCH, RULE, "4 of 10"),
    "MCTS / MCTS": (SEARCH, SEARCH, "3 of 10"),
}
"""Who places, who steps, and the seed's wins."""

LARGE = MCTS.format(2000, "nothing")


class SheepPlacement(Experiment):
    """The four combinations on all four games, at 50 simulations a move and at 2,000."""

    name = "sheep_placement"
    title = "Battle Sheep: placement and steps, by rule or by search"
    about = (
        "The seed's Experiment 1 has ten games of each combination of initial placement and steps "
        "in game 1, with 50 iterations a move, against three bots of its course. Here the other "
        "three are its own rule, our play-outs' rule and random play; every start is played from "
        "all four seats."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        games = 4 if self.quick else 100
        tables = []
        for label, game in list(GAMES.items())[: 1 if self.quick else None]:
            rows: list[tuple[Cell, ...]] = []
            for name, (first, then, reported) in COMBINATIONS.items():
                for simulations, more in (("50", None), ("2,000", LARGE)):
                    if more is not None and (self.quick or "MCTS" not in name):
                        continue
                    begin, go_on = (
                        more if more and agent == SEARCH else agent for agent in (first, then)
                    )
                    player = f"relay(first={begin!r}, then={go_on!r})"
                    table = (player, *OPPONENTS)
                    evening = spend_evening(laboratory, game, table, games, self.seed)
                    before = reported if label == "game 1" and more is None else None
                    rows.append((name, simulations, before, *evening.cells()))
            headings = (
                "placement / steps", "simulations", "seed's wins", "wins", "95% interval", "points",
            )  # fmt: skip
            tables.append(Table(label, headings, tuple(rows)))
        return Findings(
            tables=tuple(tables),
            remarks=(
                "A table of equals wins 25%, of two teams 50%, and has 2.75 points a game. The "
                "seed's ten games tell little: 3 of 10 is anything between 11% and 60%, and its"
                " opponents are not public. Its program also counted every play-out as a win, "
                "so that its search was a random player. With play-outs that count, 50 of them "
                "a move are about as good as the rule; 2,000, which take 0.02 s, beat it in all"
                " four games, and a searched placement helps then too.",
            ),
        )
