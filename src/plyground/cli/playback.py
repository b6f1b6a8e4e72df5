"""Playback of a recorded game: in the terminal, move by move, or as a file."""

from __future__ import annotations

from pathlib import Path
from time import sleep

from rich.live import Live
from rich.text import Text

from plyground.arena.record import Record, positions
from plyground.cli.arguments import say, write_file
from plyground.cli.terminal import board, console
from plyground.export.animation import replay_form
from plyground.export.replay import captions, contestants
from plyground.game import Game
from plyground.games import GAMES


def play_back(game: Game, record: Record, speed: float) -> None:
    """Show every position in place of the previous one, `speed` of them per second.

    Without a terminal, or if it has too few rows, positions are printed below each other.
    """
    line = positions(game, record)
    height = console.height - 3 if console.is_terminal else None
    frames = [
        Text.assemble(board(position, height), (move, "bold"), detail)
        for position, (move, detail) in zip(line, captions(record, line), strict=True)
    ]
    console.print(Text.assemble((record.game, "bold"), f"\n{contestants(record)}\n"))
    if console.is_terminal and all(str(frame).count("\n") < console.height - 1 for frame in frames):
        with Live(console=console, auto_refresh=False) as live:
            for frame in frames:
                live.update(frame, refresh=True)
                sleep(1 / speed)
    else:
        for frame in frames:
            console.print(frame, end="\n\n")
    console.print(Text(record.outcome, "bold"))


def write_replay(path: Path, record: Record) -> None:
    """Write a record as a replay in the format of the file's suffix; report it."""
    write_file(path, replay_form(path)(GAMES.recall(record.game), record))
    say(f"replay written to {path}")
