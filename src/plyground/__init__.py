"""Plyground: write a board game's rules once, in Python; get agents at compiled speed."""

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Player, Proof, Thought
from plyground.arena.match import play_game, play_match
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arithmetic import mix, popcount, random_below
from plyground.compile import helper, kernel
from plyground.errors import PlygroundError
from plyground.game import Evaluator, Facts, Game, Kernels, Position
from plyground.game.check import check
from plyground.game.perft import perft
from plyground.games import load_game
from plyground.options import option

__all__ = [
    "Agent",
    "Evaluator",
    "Facts",
    "Game",
    "Kernels",
    "Limit",
    "Player",
    "PlygroundError",
    "Position",
    "Proof",
    "Record",
    "Thought",
    "Tournament",
    "check",
    "helper",
    "kernel",
    "load_agent",
    "load_game",
    "mix",
    "option",
    "perft",
    "play_game",
    "play_match",
    "popcount",
    "random_below",
]
