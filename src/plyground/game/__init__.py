"""The contract: what a game is, and its positions."""

from plyground.game.contract import ADVICE, NOTHING, Evaluator, Facts, Game, Kernels
from plyground.game.position import Position, key_of

__all__ = ["ADVICE", "NOTHING", "Evaluator", "Facts", "Game", "Kernels", "Position", "key_of"]
