"""Arguments shared by several commands, and helpers for input and output."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plyground.errors import OptionError
from plyground.game import Game, Position
from plyground.games import GAMES, load_game
from plyground.programs.sandbox.process import STRICT
from plyground.spec import parse_setting
from plyground.text import cleaned

if TYPE_CHECKING:
    from plyground.arena.store import Store


def _set_strict(value: bool) -> bool:
    """Set the environment variable that every process reads before it starts a bot."""
    if value:
        os.environ[STRICT] = "1"
    return value


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="A game: name, name(option=value) or a .py file.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", help="Set an option of the game; repeatable."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[
    int,
    typer.Option(min=0, max=2**63 - 1, help="Random seed: the same seed repeats the run."),
]
Seconds = Annotated[float | None, typer.Option(help="Thinking time per move in seconds.")]
Games = Annotated[int, typer.Option(min=1, help="Number of games.")]
PositionText = Annotated[
    str | None,
    typer.Option("--position", help="Start from this position, in the game's text format."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        envvar=STRICT,
        callback=_set_strict,
        help="Refuse to run bots where the system cannot keep all their limits.",
    ),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write the best agents' last game as .html page or .svg animation."
    ),
]
GameFile = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="FILE",
        help="The .py file of the stored game; files named by records are not run without this.",
    ),
]


def store_to_write(location: str) -> str:
    """Return the location that was given; "none" if PLYGROUND_STORE says so and none was given."""
    return location or ("none" if os.environ.get("PLYGROUND_STORE") == "none" else "")


StoreToWrite = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE|URL",
        callback=store_to_write,
        help="Database for results: a file path or a postgresql:// URL; 'none' keeps nothing.",
    ),
]
StoreToRead = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE|URL",
        help="Database of results: a file path or a postgresql:// URL.",
    ),
]


def read_game(spec: str, settings: list[str] | None) -> Game:
    """Return a game; options of `--set` override those of its spec."""
    return load_game(spec, **dict(map(parse_setting, settings or [])))


def load_game_file(name: str | None) -> None:
    """Load a game's file, without which its records cannot be read; records never load one."""
    if name is not None:
        if not name.endswith(".py"):
            raise OptionError(f"--game {name}: a .py file is needed; other games need no --game")
        GAMES.find(name)


def read_position(game: Game, text: str | None, seed: int) -> Position:
    """Return the position of a text, or the start position of the seed."""
    return game.start(seed) if text is None else game.parse(text)


def open_store(location: str) -> Store:
    """Return the open store that `--store` names."""
    from plyground.arena.store import Store  # database drivers are imported only if needed

    return Store(location)


def check_writable(path: Path) -> None:
    """Raise OptionError for a path that cannot be written; call this before long work."""
    try:
        is_new = not path.exists()
        path.open("a").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror}") from None


def write_file(path: Path, text: str) -> None:
    """Write a file; raise OptionError if that fails."""
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror}") from None


def say(line: str) -> None:
    """Print a message on standard error."""
    print(cleaned(line), file=sys.stderr)


def print_json(data: Any) -> None:
    """Print one line of JSON."""
    print(json.dumps(data))
