"""The games: one folder each, found by its being here; outside ones by the entry-point group."""

from __future__ import annotations

from plyground.game import Game
from plyground.registry import Registry

GAMES: Registry[Game] = Registry(Game, __name__, list(__path__))  # type: ignore[type-abstract]
load_game = GAMES.load
