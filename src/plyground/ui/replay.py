"""A recorded game as one HTML page that needs nothing else."""

from __future__ import annotations

import json
from importlib.resources import files

from plyground.arena.record import Record, positions
from plyground.game import Game


def replay_page(game: Game, record: Record) -> str:
    """Draw every position of a record into a page with a slider, a move list and a value chart."""
    line = positions(game, record)
    moves = [
        {
            "text": before.format(action),
            "player": before.player,
            "seconds": record.seconds[ply],
            "value": record.values[ply],
            "opening": ply < record.opening,
        }
        for ply, (before, action) in enumerate(zip(line, record.actions, strict=False))
    ]
    told = {
        "game": record.game,
        "agents": record.agents,
        "ending": record.outcome,
        "moves": moves,
        "frames": [game.draw(position).svg() for position in line],
    }
    page = files("plyground.ui").joinpath("replay.html").read_text(encoding="utf-8")
    # "<" written as an escape can neither end the script nor begin a tag.
    return page.replace("/*DATA*/null", json.dumps(told).replace("<", "\\u003c"))
