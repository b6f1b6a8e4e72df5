"""A recorded game as a self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from plyground.arena.record import Record, positions
from plyground.game import Game, Position

PLACEHOLDER = "/*DATA*/null"
"""Text of the template that is replaced by the game's data."""


def captions(record: Record, line: Sequence[Position]) -> list[tuple[str, str]]:
    """Return a caption for each position of a record: the move before it, its time and value."""
    texts = [("the start", "")]
    for ply, (before, action) in enumerate(zip(line, record.actions, strict=False)):
        move = f"ply {ply + 1}: player {before.player + 1} played {before.format(action)}"
        value = record.values[ply]
        expected = "" if value is None else f", expecting {value:+.2f}"
        if ply < record.opening:
            texts.append((move, " (random opening)"))
        else:
            texts.append((move, f" in {1000 * record.seconds[ply]:.1f} ms{expected}"))
    return texts


def contestants(record: Record) -> str:
    """Return the players by seat, as one line."""
    return "  |  ".join(f"{seat}: {agent}" for seat, agent in enumerate(record.names, start=1))


def replay_data(game: Game, record: Record) -> dict[str, Any]:
    """Return the data of the page, for `json`; each shape is contained once."""
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
        "box": [
            max(picture.width for picture in pictures),
            max(picture.height for picture in pictures),
        ],
        "shapes": list(numbers),
        "frames": frames,
    }


def _results(returns: Sequence[float]) -> list[str]:
    """Return each player's result: won, drew or lost for two players, else from -1 to 1."""
    if len(returns) != 2:
        return [f"{gained:+.2f}" for gained in returns]
    return ["won" if gained > 0 else "lost" if gained < 0 else "drew" for gained in returns]


def replay_page(game: Game, record: Record) -> str:
    """Return a page with a slider, a move list and a chart of the players' values."""
    return replay_template().replace(PLACEHOLDER, in_script(replay_data(game, record)))


def replay_template() -> str:
    """Return the page without a game; `PLACEHOLDER` is to be replaced by the data."""
    return files("plyground.export").joinpath("replay.html").read_text(encoding="utf-8")


def in_script(data: Any) -> str:
    """Return data as JSON that cannot end the script element that contains it."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
