"""A recorded game in the terminal, move by move."""

from __future__ import annotations

from time import sleep

from rich.live import Live
from rich.text import Text

from plyground.arena.record import Record, positions
from plyground.game import Game
from plyground.ui.replay import captions, contestants
from plyground.ui.terminal import board, console


def play_back(game: Game, record: Record, speed: float) -> None:
    """Show every position in the place of the last, `speed` a second; or all in a row.

    In a row where there is no terminal, or where it is too low for the board.
    """
    line = positions(game, record)
    frames = [
        Text.assemble(board(position), (deed, "bold"), detail)
        for position, (deed, detail) in zip(line, captions(record, line), strict=True)
    ]
    console.print(Text.assemble((record.game, "bold"), f"\n{contestants(record)}\n"))
    if console.is_terminal and all(str(each).count("\n") < console.height - 1 for each in frames):
        with Live(console=console, auto_refresh=False) as live:
            for frame in frames:
                live.update(frame, refresh=True)
                sleep(1 / speed)
    else:
        for frame in frames:
            console.print(frame, end="\n\n")
    console.print(Text(record.outcome, "bold"))
