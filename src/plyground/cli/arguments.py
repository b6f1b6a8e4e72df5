"""Arguments that several commands share, and helpers to read input and write output."""

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
Seed = Annotated[int, typer.Option(min=0, help="Random seed: the same seed repeats the run.")]
Seconds = Annotated[float | None, typer.Option(help="Thinking time per move.")]
Games = Annotated[int, typer.Option(min=1, help="Number of games.")]
PositionText = Annotated[str | None, typer.Option("--position", help="Start from this position.")]
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
    Path | None,
    typer.Option(
        metavar="FILE", help="Write the last game between the best agents, as .html page or .svg."
    ),
]
GameFile = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="FILE",
        help="The .py file of the stored game; a file that only a record names is never run.",
    ),
]
Where = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE|URL",
        help="Database for results: a file path or a postgresql:// URL; 'none' keeps nothing.",
    ),
]


def read_game(spec: str, settings: list[str] | None) -> Game:
    """Load a game; options of `--set` override those of its spec."""
    return load_game(spec, **dict(parse_setting(each) for each in settings or []))


def load_game_file(name: str | None) -> None:
    """Load a game's file, so that records of it can be read: only the user can have it run."""
    if name is not None:
        if not name.endswith(".py"):
            raise BadOption(f"--game {name}: a .py file is needed; other games need no --game")
        GAMES.find(name)


def read_position(game: Game, text: str | None, seed: int) -> Position:
    """Return the position of a text, or the start that the seed draws."""
    return game.start(seed) if text is None else game.parse(text)


def open_store(location: str) -> Store:
    """Open the store that `--store` named."""
    from plyground.arena.store import Store  # database drivers are loaded only where needed

    return Store(location)


def check_writable(path: Path) -> None:
    """Raise BadOption for a path that cannot be written; call it before the work is done."""
    try:
        is_new = not path.exists()
        path.open("a").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise BadOption(f"{path} cannot be written: {error.strerror}") from None


def write_file(path: Path, text: str) -> None:
    """Write a file; an error is one line."""
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadOption(f"{path} cannot be written: {error.strerror}") from None


def say(line: str) -> None:
    """Print a message on standard error."""
    print(cleaned(line), file=sys.stderr)


def print_json(data: Any) -> None:
    """Print one line of JSON."""
    print(json.dumps(data))
