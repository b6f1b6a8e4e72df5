"""What several commands share: their arguments, how they are read, and how JSON is written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plyground.game import Game, Position
from plyground.games import load_game
from plyground.options import parse_setting
from plyground.sandbox.process import STRICT

if TYPE_CHECKING:
    from plyground.arena.store import Store


def _set_strict(value: bool) -> bool:
    """Set the variable that every process which starts programs reads, also workers."""
    if value:
        os.environ[STRICT] = "1"
    return value


INTERRUPTED = 130
"""The exit code after Ctrl-C."""

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="A game, its options in brackets, or a .py file.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", help="Set an option of the game; repeatable."),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON for machines.")]
Seed = Annotated[int, typer.Option(min=0, help="Makes the run repeatable.")]
Seconds = Annotated[float | None, typer.Option(help="Thinking time a move.")]
Games = Annotated[int, typer.Option(min=1, help="How many games.")]
Text = Annotated[str | None, typer.Option("--position", help="Begin from this position.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        envvar=STRICT,
        callback=_set_strict,
        help="Refuse to run programs (bots) that cannot be confined on this machine.",
    ),
]
Replay = Annotated[
    Path | None, typer.Option(help="Write the last game of the best as a page (.html) or .svg.")
]
Where = Annotated[
    str,
    typer.Option(
        "--store", metavar="FILE|URL", help="Where games are kept; yours if not given, or none."
    ),
]


def read_game(spec: str, settings: list[str] | None) -> Game:
    """Load a game with the options that `--set` gave."""
    return load_game(spec, **dict(parse_setting(each) for each in settings or []))


def read_position(game: Game, text: str | None, seed: int) -> Position:
    """Give the position of a text, or a start."""
    return game.start(seed) if text is None else game.parse(text)


def open_store(location: str) -> Store:
    """Open the store that `--store` named."""
    from plyground.arena.store import Store  # SQL is loaded only by commands that need it

    return Store(location)


def print_json(told: Any) -> None:
    """Write one line of JSON."""
    print(json.dumps(told))
