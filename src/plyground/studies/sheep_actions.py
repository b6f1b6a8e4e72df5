"""Battle Sheep, Experiment 2: how many sheep the search may send in a move."""

from __future__ import annotations

from plyground.studies._sheep import MCTS, Entry, SheepTable

SPACES = (
    Entry("all, 1 to M - 1", MCTS.format("nothing"), "0 of 10"),
    Entry("one, M / 2", MCTS.format("uneven_splits"), "1 of 10"),
    Entry("three, 1, M / 2 and M - 1", MCTS.format("odd_splits"), "3 of 10"),
)


class SheepActions(SheepTable):
    """The three action spaces on all four games, with 50 simulations or 0.02 s per move."""

    name = "sheep_actions"
    title = "Battle Sheep: three action spaces"
    about = (
        "The original study's Experiment 2 lets its search send any number of sheep, half a "
        "stack, or one, half, or all but one, in ten games of game 1 with 50 iterations per move."
    )

    heading = "sheep sent"
    entries = SPACES
