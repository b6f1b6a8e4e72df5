"""A recorded game as an HTML page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from plyground.arena.record import Record, positions
from plyground.game import Game, Position

PLACE = "/*DATA*/null"
"""Where the template has the game's data."""


def captions(record: Record, line: Sequence[Position]) -> list[tuple[str, str]]:
    """Return what led to each position of the record's line: the move, then its time and value."""
    written = [("the start", "")]
    for ply, (before, action) in enumerate(zip(line, record.actions, strict=False)):
        move = f"ply {ply + 1}: player {before.player + 1} played {before.format(action)}"
        value = record.values[ply]
        expected = "" if value is None else f", expecting {value:+.2f}"
        if ply < record.opening:
            written.append((move, " (random opening)"))
        else:
            written.append((move, f" in {1000 * record.seconds[ply]:.1f} ms{expected}"))
    return written


def contestants(record: Record) -> str:
    """Return who sat in which seat, as one line."""
    return "  |  ".join(f"{seat}: {agent}" for seat, agent in enumerate(record.names, start=1))


def replay_data(game: Game, record: Record) -> dict[str, Any]:
    """Return what the page shows, as plain data for `json`; each shape is written once."""
    line = positions(game, record)
    pictures = [game.draw(position) for position in line]
    numbers: dict[str, int] = {}
    frames = [
        [numbers.setdefault(shape, len(numbers)) for shape in picture.shapes]
        for picture in pictures
    ]
    return {
        "game": record.game,
        "outcome": record.outcome,
        "players": [
            {"name": name, "colour": colour, "result": result}
            for name, colour, result in zip(
                record.names, pictures[0].colours, _results(record.returns), strict=False
            )
        ],
        "captions": [move + detail for move, detail in captions(record, line)],
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


def _results(returns: Sequence[float]) -> list[str]:
    """Return each player's result in a word where two play, else as a number from -1 to 1."""
    if len(returns) != 2:
        return [f"{gained:+.2f}" for gained in returns]
    return ["won" if gained > 0 else "lost" if gained < 0 else "drew" for gained in returns]


def replay_page(game: Game, record: Record) -> str:
    """Return a page with a slider, a move list and a chart of what the players expected."""
    return replay_template().replace(PLACE, in_script(replay_data(game, record)))


def replay_template() -> str:
    """Return the page without a game: `PLACE` in it is to be replaced by the data."""
    return files("plyground.export").joinpath("replay.html").read_text(encoding="utf-8")


def in_script(data: Any) -> str:
    """Return data as JSON that can neither end a script of a page nor begin a tag in it."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
