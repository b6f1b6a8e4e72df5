"""The contract that every game fulfils, and positions of games."""

from plyground.game.contract import ADVICE, NOTHING, Evaluator, Game, Kernels
from plyground.game.facts import Facts
from plyground.game.position import Position, key_of
from plyground.game.solver import Solution, Solver, Stop

__all__ = [
    "ADVICE",
    "NOTHING",
    "Evaluator",
    "Facts",
    "Game",
    "Kernels",
    "Position",
    "Solution",
    "Solver",
    "Stop",
    "key_of",
]
