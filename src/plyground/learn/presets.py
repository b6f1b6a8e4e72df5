"""Sizes of trainings that can be asked for by name."""

from __future__ import annotations

from dataclasses import replace

from plyground.errors import UnknownNameError
from plyground.game import Game
from plyground.learn.recipe import EXACT_SELFPLAY, SELFPLAY, SOLVER, Recipe, SelfPlaySettings

SMALL = Recipe(
    (), channels=32, blocks=3, batch=256, shard=4096, first=1, capacity=200_000,
    selfplay=SelfPlaySettings(games=128, simulations=16),
)  # fmt: skip
MEDIUM = Recipe(
    (), channels=64, blocks=6, batch=2048, shard=32_768, capacity=500_000, opening=6,
    selfplay=SelfPlaySettings(games=8192, simulations=16),
)  # fmt: skip
FULL = Recipe(
    (), channels=128, blocks=8, batch=4096, shard=16_384, first=16, capacity=30_000_000, opening=6,
    selfplay=SelfPlaySettings(games=8192, simulations=32),
)  # fmt: skip
PRESETS = {"small": SMALL, "medium": MEDIUM, "full": FULL}
"""small: minutes on a laptop; medium: minutes on an accelerator; full: with many cores beside."""

AGENT_SHARD = 4096
"""Samples per file of an agent's games at most: a strong one takes a minute for so many."""
AGENT_CAPACITY = 2_000_000
"""Samples of an agent that are kept: unlike those of a network that learns, they do not age. So
many take up to 3 GB of memory, after hours on a laptop."""


def recipe_of(preset: str, game: Game, starts: tuple[str, ...], source: str, seed: int) -> Recipe:
    """Return the recipe of a preset for a game, and variants of it whose starts are played too."""
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, PRESETS)
    recipe = replace(PRESETS[preset], games=(repr(game), *starts), source=source, seed=seed)
    if source in (SELFPLAY, EXACT_SELFPLAY, SOLVER):
        return recipe
    return replace(recipe, shard=min(recipe.shard, AGENT_SHARD), capacity=AGENT_CAPACITY)
