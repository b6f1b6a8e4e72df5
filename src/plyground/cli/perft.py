"""The command `perft`: counts the lines of play by depth."""

from __future__ import annotations

from time import process_time
from typing import Annotated

import typer

from plyground.cli.arguments import (
    GameName,
    Json,
    PositionText,
    Seed,
    Settings,
    print_json,
    read_game,
    read_position,
)
from plyground.cli.terminal import console, table
from plyground.game.perft import perft as count_lines


def perft(
    game: GameName,
    depth: Annotated[
        int, typer.Argument(metavar="DEPTH", min=1, help="Plies of the longest lines.")
    ],
    position: PositionText = None,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Count the lines of play by depth, to compare rules with other programs.

    A game that ends at a depth counts at that depth only.
    """
    start = read_position(read_game(game, settings), position, seed)
    count_lines(start, 1)  # compile before the time is measured
    counts, seconds = [], []
    for plies in range(1, depth + 1):
        began = process_time()
        counts.append(count_lines(start, plies))
        seconds.append(process_time() - began)
    if as_json:
        counted = {"game": repr(start.game), "position": start.to_text(), "leaves": counts}
        print_json(counted | {"seconds": [round(spent, 6) for spent in seconds]})
        return
    rows = [
        [plies, f"{count:,}", f"{count / max(spent, 1e-9) / 1e6:.1f}"]
        for plies, (count, spent) in enumerate(zip(counts, seconds, strict=True), start=1)
    ]
    console.print(table(["depth", "leaves", "M leaves/s"], rows, f"{start.game}"))
