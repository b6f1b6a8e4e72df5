"""Battle Sheep, Experiment 2: how many sheep the search may send."""

from __future__ import annotations

from plyground.studies._sheep import MCTS, Entry, try_in_all_games
from plyground.studies.study import Findings, Laboratory, Study

SPACES = (
    Entry("all, 1 to M - 1", MCTS.format("nothing"), "0 of 10"),
    Entry("one, M / 2", MCTS.format("uneven_splits"), "1 of 10"),
    Entry("three, 1, M / 2 and M - 1", MCTS.format("odd_splits"), "3 of 10"),
)


class SheepActions(Study):
    """The three action spaces on all four games, at 50 simulations a move and at equal time."""

    name = "sheep_actions"
    title = "Battle Sheep: three action spaces"
    about = (
        "The seed's Experiment 2 lets its search send any number of sheep, half a stack, or one, "
        "half, or all but one, in ten games of game 1 with 50 iterations a move."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        tables, plots = try_in_all_games(self, laboratory, SPACES, "sheep sent")
        return Findings(
            tables=tables,
            plots=plots,
            remarks=(
                "Only the tree is narrowed; play-outs send any number. At 50 simulations three "
                "actions do best and all do worst, as the seed found; at 0.02 s, some thousand "
                "simulations, the three spaces cannot be told apart. The seed's opponents are "
                "not public, so that its wins and ours are not of the same games.",
            ),
        )
