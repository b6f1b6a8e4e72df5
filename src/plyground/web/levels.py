"""Strength in plain words: which agent plays at which level, by game."""

from __future__ import annotations

from typing import NamedTuple

from plyground.game import Game


class Level(NamedTuple):
    """A strength of play that people can choose."""

    name: str
    about: str


LEVELS = (
    Level("beginner", "knows the rules, and little more"),
    Level("casual", "sees what happens next"),
    Level("club", "plays soundly; a good start"),
    Level("strong", "punishes mistakes"),
    Level("strongest", "the best that comes with the game"),
)
DEFAULT = "club"

ANY_GAME = (
    "mcts(simulations=20)",
    "mcts(simulations=200)",
    "mcts(simulations=2000)",
    "mcts(simulations=20000)",
    "mcts(simulations=100000)",
)
AGENTS = {
    "connect_n": (
        "mcts(simulations=30)",
        "mcts(simulations=150)",
        "mcts(simulations=1000)",
        "mcts(simulations=10000)",
        "perfect",
    ),
    "tron": (
        "mcts(simulations=50)",
        "alphabeta(depth=1)",
        "alphabeta(depth=3)",
        "alphabeta(depth=6)",
        "alphabeta(depth=14, unwise=crashes, evaluate=neural)",
    ),
    "sheep": (
        "mcts(simulations=20)",
        "mcts(simulations=200)",
        "mcts(simulations=2000)",
        "mcts(simulations=10000)",
        "mcts(simulations=30000, select=ucb1_tuned, exploration=0.7)",
    ),
    "expendibots": (
        "mcts(simulations=20)",
        "alphabeta(depth=1)",
        "alphabeta(depth=2)",
        "alphabeta(depth=4)",
        "alphabeta(depth=6, unwise=suicides, quiet=4, evaluate=neural)",
    ),
    "robots": (
        "mcts(simulations=30)",
        "mcts(simulations=100)",
        "mcts(simulations=1000)",
        "mcts(simulations=10000)",
        "perfect",
    ),
}
"""The agents' specs, from the weakest level to the strongest; games not listed have ANY_GAME."""

ANALYST = {"connect_n": "alphabeta(depth=30)", "tron": "alphabeta(depth=40)", "sheep": "mcts",
           "expendibots": "alphabeta(depth=20)", "robots": "shortest"}  # fmt: skip
"""The agent that analyses a game, if not `mcts`."""


def agent_of(game: Game, level: str) -> str:
    """Return the spec of the agent that plays a game at a level."""
    number = [known.name for known in LEVELS].index(level)
    return AGENTS.get(game.name, ANY_GAME)[number]


def analyst_of(game: Game) -> str:
    """Return the spec of the agent whose search is shown in analyses."""
    return ANALYST.get(game.name, "mcts")
