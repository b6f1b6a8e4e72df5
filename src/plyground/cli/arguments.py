"""What several commands share: their arguments, how they are read, and how JSON is written."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plyground.errors import BadOption, cleaned
from plyground.game import Game, Position
from plyground.games import GAMES, load_game
from plyground.programs.sandbox.process import STRICT
from plyground.spec import parse_setting

if TYPE_CHECKING:
    from plyground.arena.store import Store


def _set_strict(value: bool) -> bool:
    """Set the variable that every process which starts programs reads, also workers."""
    if value:
        os.environ[STRICT] = "1"
    return value


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
PositionText = Annotated[str | None, typer.Option("--position", help="Begin from this position.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        envvar=STRICT,
        callback=_set_strict,
        help="Refuse to run bots where they cannot be confined.",
    ),
]
Replay = Annotated[
    Path | None, typer.Option(help="Write the last game of the best as a page (.html) or .svg.")
]
GameFile = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="FILE",
        help="The file of a game of your own; none is run because a record names it.",
    ),
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


def load_game_file(name: str | None) -> None:
    """Load the file of a game that records may name: it is run because the user says so."""
    if name is not None:
        if not name.endswith(".py"):
            raise BadOption(f"--game {name}: that is no .py file; other games need not be named")
        GAMES.find(name)


def read_position(game: Game, text: str | None, seed: int) -> Position:
    """Give the position of a text, or a start."""
    return game.start(seed) if text is None else game.parse(text)


def open_store(location: str) -> Store:
    """Open the store that `--store` named."""
    from plyground.arena.store import Store  # SQL is loaded only by commands that need it

    return Store(location)


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before the work is done whose result it is to hold."""
    try:
        is_new = not path.exists()
        path.open("a").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise BadOption(f"{path} cannot be written: {error.strerror}") from None


def write_file(path: Path, text: str) -> None:
    """Write a file; where that cannot be done, the reason is one line."""
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadOption(f"{path} cannot be written: {error.strerror}") from None


def say(line: str) -> None:
    """Tell a person on standard error."""
    print(cleaned(line), file=sys.stderr)


def print_json(told: Any) -> None:
    """Write one line of JSON."""
    print(json.dumps(told))
