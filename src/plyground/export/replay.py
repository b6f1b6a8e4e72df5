"""A recorded game as an HTML page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from plyground.arena.record import Record, positions
from plyground.game import Game, Position


def captions(record: Record, line: Sequence[Position]) -> list[tuple[str, str]]:
    """Say what led to each position of the record's line, and in how much time and hope."""
    told = [("the start", "")]
    for ply, (before, action) in enumerate(zip(line, record.actions, strict=False)):
        deed = f"ply {ply + 1}: player {before.player + 1} played {before.format(action)}"
        value = record.values[ply]
        hope = "" if value is None else f", expecting {value:+.2f}"
        if ply < record.opening:
            told.append((deed, " (random opening)"))
        else:
            told.append((deed, f" in {1000 * record.seconds[ply]:.1f} ms{hope}"))
    return told


def contestants(record: Record) -> str:
    """Name who sits where."""
    return "  |  ".join(f"{seat}: {agent}" for seat, agent in enumerate(record.names, start=1))


def replay_page(game: Game, record: Record) -> str:
    """Write a page with a slider, a move list and a chart of what the players expected."""
    line = positions(game, record)
    pictures = [game.draw(position) for position in line]
    numbers: dict[str, int] = {}
    frames = [
        [numbers.setdefault(shape, len(numbers)) for shape in picture.shapes]
        for picture in pictures
    ]
    told = {
        "game": record.game,
        "agents": record.names,
        "contestants": contestants(record),
        "captions": [deed + detail for deed, detail in captions(record, line)],
        "ending": record.outcome,
        "moves": [
            {
                "text": before.format(action),
                "player": before.player,
                "value": record.values[ply],
                "opening": ply < record.opening,
            }
            for ply, (before, action) in enumerate(zip(line, record.actions, strict=False))
        ],
        "box": [max(each.width for each in pictures), max(each.height for each in pictures)],
        "shapes": list(numbers),
        "frames": frames,
    }
    page = files("plyground.export").joinpath("replay.html").read_text(encoding="utf-8")
    # "<" written as an escape can neither end the script nor begin a tag.
    return page.replace("/*DATA*/null", json.dumps(told).replace("<", "\\u003c"))
