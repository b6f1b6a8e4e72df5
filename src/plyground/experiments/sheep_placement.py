"""Battle Sheep, Experiment 1: placement and steps by rule or by Monte Carlo tree search."""

from __future__ import annotations

from plyground.experiments._sheep import GAMES, LIMITS, MCTS, OPPONENTS, spend_evening
from plyground.experiments.experiment import Experiment, Findings, Laboratory
from plyground.report import Cell, Table

RULE = "rule(by=spreading)"
COMBINATIONS = {
    "rule / rule": (RULE, RULE, "3 of 10"),
    "rule / MCTS": (RULE, MCTS, "2 of 10"),
    "MCTS / rule": (MCTS, RULE, "4 of 10"),
    "MCTS / MCTS": (MCTS, MCTS, "3 of 10"),
}
"""Who places, who steps, and the seed's wins."""


class SheepPlacement(Experiment):
    """The four combinations on all four games, at 50 simulations a move and at equal time."""

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
                for limit, simulations, seconds in LIMITS[: 1 if MCTS not in (first, then) else 2]:
                    begin, go_on = (agent.format(simulations, "nothing") for agent in (first, then))
                    table = (f"relay(first={begin!r}, then={go_on!r})", *OPPONENTS)
                    evening = spend_evening(laboratory, game, table, games, self.seed, seconds)
                    before = reported if label == "game 1" and seconds is None else None
                    rows.append((name, limit, before, *evening.cells()))
            headings = (
                "placement / steps", "a move", "seed's wins", "wins", "95% interval", "points",
            )  # fmt: skip
            tables.append(Table(label, headings, tuple(rows)))
        return Findings(
            tables=tuple(tables),
            remarks=(
                "A table of equals wins 25%, of two teams 50%, and has 2.75 points a game. The "
                "seed's ten games tell little: 3 of 10 is anything between 11% and 60%, and its"
                " opponents are not public. Its program also counted every play-out as a win, "
                "so that its search was a random player. With play-outs that count, 50 of them "
                "a move are about as good as the rule; the some thousand of 0.02 s beat it in all "
                "four games, and a searched placement helps then too.",
            ),
        )
