"""Battle Sheep, Experiment 1: placement and steps by rule or by Monte Carlo tree search."""

from __future__ import annotations

from plyground.studies._sheep import MCTS, Entry, SheepTable

RULE, SEARCH = "rule(by=spreading)", MCTS.format("nothing")
COMBINATIONS = tuple(
    Entry(name, f"relay(first={first!r}, then={then!r})", reported)
    for name, first, then, reported in (
        ("rule / rule", RULE, RULE, "3 of 10"),
        ("rule / MCTS", RULE, SEARCH, "2 of 10"),
        ("MCTS / rule", SEARCH, RULE, "4 of 10"),
        ("MCTS / MCTS", SEARCH, SEARCH, "3 of 10"),
    )
)
"""By name, who places and who moves."""


class SheepPlacement(SheepTable):
    """The four combinations on all four games, with 50 simulations or 0.02 s per move."""

    name = "sheep_placement"
    title = "Battle Sheep: placement and steps, by rule or by search"
    about = (
        "The original study's Experiment 1 has ten games of each combination of initial placement "
        "and steps in game 1, with 50 iterations per move, against three bots of its course. Here "
        "the other three are its own rule, the policy of our play-outs and random play; every "
        "start is played from all four seats."
    )

    heading = "placement / steps"
    entries = COMBINATIONS
