"""Plyground: write a board game's rules once, in Python; get agents at compiled speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plyground.agents import load_agent
    from plyground.agents.agent import Agent, Limit, Player, Proof, Thought
    from plyground.arena.frame import to_frame
    from plyground.arena.match import play_game, play_match
    from plyground.arena.plan import Tournament
    from plyground.arena.ratings import rate
    from plyground.arena.record import Record
    from plyground.arena.store import Store
    from plyground.arithmetic import mix, popcount, random_below
    from plyground.compile import helper, kernel
    from plyground.errors import (
        AgentError,
        CannotPlayError,
        GameError,
        IllegalActionError,
        KernelError,
        LoadError,
        OptionError,
        PlygroundError,
        SpecError,
        StateError,
        StoreError,
        TextError,
        UnknownNameError,
    )
    from plyground.game import Evaluator, Facts, Game, Kernels, Position
    from plyground.game.check import check
    from plyground.game.perft import perft
    from plyground.games import load_game
    from plyground.options import option

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentError",
    "CannotPlayError",
    "Evaluator",
    "Facts",
    "Game",
    "GameError",
    "IllegalActionError",
    "KernelError",
    "Kernels",
    "Limit",
    "LoadError",
    "OptionError",
    "Player",
    "PlygroundError",
    "Position",
    "Proof",
    "Record",
    "SpecError",
    "StateError",
    "Store",
    "StoreError",
    "TextError",
    "Thought",
    "Tournament",
    "UnknownNameError",
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
    "rate",
    "to_frame",
]

_MODULES = {
    "agents": ("load_agent",),
    "agents.agent": ("Agent", "Limit", "Player", "Proof", "Thought"),
    "arena.frame": ("to_frame",),
    "arena.match": ("play_game", "play_match"),
    "arena.plan": ("Tournament",),
    "arena.ratings": ("rate",),
    "arena.record": ("Record",),
    "arena.store": ("Store",),
    "arithmetic": ("mix", "popcount", "random_below"),
    "compile": ("helper", "kernel"),
    "errors": (
        "AgentError",
        "CannotPlayError",
        "GameError",
        "IllegalActionError",
        "KernelError",
        "LoadError",
        "OptionError",
        "PlygroundError",
        "SpecError",
        "StateError",
        "StoreError",
        "TextError",
        "UnknownNameError",
    ),
    "game": ("Evaluator", "Facts", "Game", "Kernels", "Position"),
    "game.check": ("check",),
    "game.perft": ("perft",),
    "games": ("load_game",),
    "options": ("option",),
}
"""The module of each public name, imported when the name is first used.

So `plyground --help` does not load Numba, and a game's module does not load tournaments.
"""


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
