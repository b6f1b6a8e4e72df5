"""What a training does: its sizes, and which data and which network belong to which step."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple, Self

from plyground.errors import OptionError
from plyground.game import Game
from plyground.learn.checked import read_checked, write_checked
from plyground.learn.starts import grouped
from plyground.search.forest import Gumbel
from plyground.text import one_line

FILE = "recipe.json"
"""The file of a training's folder that holds its recipe and its limit."""

SELFPLAY, EXACT_SELFPLAY, SOLVER = "selfplay", "selfplay+solver", "solver"
"""Sources: games of the network against itself, without and with exact labels of late positions;
games of the exact solver. Any other source is an agent's spec."""

PLIES = 32
"""So many positions of a file there are for each game that is played at once, or as many as a game
can have: a file of whole games is then hardly longer than it should be."""


@dataclass(frozen=True)
class SelfPlaySettings:
    """How a network plays against itself."""

    games: int = 512
    """How many games are played at once."""
    simulations: int = 16
    considered: int = 8
    """Actions that are searched at the root."""

    def rule(self, game: Game) -> Gumbel:
        """Return the rule of the search.

        The values of a puzzle's actions differ by one move of many: unless they are stretched, the
        search hardly changes the policy, and nothing is learned.
        """
        return Gumbel(considered=self.considered, rescale=game.facts.players == 1)


@dataclass(frozen=True)
class Recipe:
    """What a training does; kept with it, so that it is resumed as it began."""

    games: tuple[str, ...]
    """The game, and variants of it whose starts are played too; their boards may differ in size."""
    source: str = SELFPLAY
    """What is learned from: SELFPLAY, EXACT_SELFPLAY, SOLVER or an agent's spec."""
    channels: int = 64
    blocks: int = 6
    batch: int = 1024
    rate: float = 1e-3
    shard: int = 16_384
    """Samples per file."""
    reuse: float = 4.0
    """How often a sample is seen, in the mean."""
    first: int = 4
    """Files that must be there before the first step; one of each group at least."""
    ahead: int = 4
    """How many files workers play ahead of the learner: more keep more workers busy, but play with
    an older network."""
    capacity: int = 4_000_000
    opening: int = 0
    """Random plies before a game at most: each game has its own number of them."""
    weights: str = ""
    """Weights to begin with, a file or a name; empty: random ones."""
    seed: int = 0
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)

    @property
    def selfplays(self) -> bool:
        """Return whether the network learns from its own games."""
        return self.source in (SELFPLAY, EXACT_SELFPLAY)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the games in groups of one shape each."""
        return grouped(self.games)

    def group_of(self, number: int) -> tuple[str, ...]:
        """Return the games of a file, and of a step, by its number: groups take turns."""
        return self.groups[number % len(self.groups)]

    def files_for(self, step: int) -> int:
        """Return how many files must be there for a step: that alone decides what it sees."""
        return self._first_files + int(step * self.batch / (self.reuse * self.shard))

    def played_at(self, number: int) -> int:
        """Return the step whose network plays a file: the first one that needs `ahead` less."""
        missing = number - self.ahead - self._first_files + 1
        return max(0, ceil(missing * self.reuse * self.shard / self.batch))

    @property
    def _first_files(self) -> int:
        return max(self.first, len(self.groups))

    def games_at_once(self, game: Game) -> int:
        """Return how many games are played at once for one file."""
        most = self.shard // min(PLIES, game.facts.longest)
        return max(1, min(self.selfplay.games, most))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the recipe that `dataclasses.asdict` described."""
        settings = SelfPlaySettings(**data["selfplay"])
        return cls(**data | {"games": tuple(data["games"]), "selfplay": settings})


class Limit(NamedTuple):
    """When a training ends: after so many steps, or so many seconds, whichever is given."""

    steps: int | None = None
    seconds: float | None = None

    def share(self, step: int, seconds: float) -> float:
        """Return how much of it is done, from 0 to 1."""
        return min(1.0, step / self.steps if self.steps else seconds / (self.seconds or 1.0))


def check_recipe(folder: Path, recipe: Recipe, *, resume: bool) -> None:
    """Raise OptionError unless a folder holds no training, or one of this recipe to be resumed."""
    path = folder / FILE
    if path.exists() and not resume:
        raise OptionError(f"{folder} holds a training: --resume goes on, another --out begins")
    if path.exists():
        kept, _ = read_recipe(folder)
        for each in fields(Recipe):
            was, now = getattr(kept, each.name), getattr(recipe, each.name)
            if was != now:
                raise OptionError(
                    f"{folder} holds a training with {each.name}={was!r}, which --resume cannot "
                    f"change to {now!r}"
                )


def keep_recipe(folder: Path, recipe: Recipe, limit: Limit) -> None:
    """Write the recipe and the limit into a training's folder."""
    write_checked(folder / FILE, {"recipe": asdict(recipe), "limit": limit._asdict()})


def read_recipe(folder: Path) -> tuple[Recipe, Limit]:
    """Return the recipe and the limit that a training's folder holds."""
    path = folder / FILE
    try:
        content = read_checked(path)
        return Recipe.from_json(content["recipe"]), Limit(**content["limit"])
    except FileNotFoundError:
        raise OptionError(f"{folder} holds no training that --resume could go on with") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = one_line(str(error), 200)
        raise OptionError(f"{path} is damaged: {reason}") from None
