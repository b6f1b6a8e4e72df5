"""The state of a game as plain data for a page; see docs/site-protocol.md."""

from __future__ import annotations

import json
from typing import Any

from plyground.arena.record import Record, positions
from plyground.game import Game, Position
from plyground.games import GAMES
from plyground.picture import Picture
from plyground.web.catalogue import shown_spec, title_of
from plyground.web.drawing import Drawing, operations
from plyground.web.live import AGENT, LiveGame
from plyground.web.paths import shown_record
from plyground.web.thoughts import sources_of
from plyground.web.views import clicks_of

PROTOCOL = 1
"""Version of the protocol."""

REPLAY = "replay"
"""The mode of a stored game."""


def written(content: Any) -> str:
    """Return plain data as JSON."""
    return json.dumps(content, separators=(",", ":"))


def state_of(game: LiveGame, owner: str, link: str) -> dict[str, Any]:
    """Return everything that a page needs to show a game to a visitor, but the situation."""
    view, start = game.view(owner), game.session.start
    return (
        _header(game.mode, start.game, start.game.draw(start))
        | _start(view.start, view.text_of(start), start)
        | {
            "id": game.id,
            "link": link,
            "rematch": game.rematch or None,
            "moves": list(view.moves),
        }
    )


def _header(mode: str, game: Game, picture: Picture) -> dict[str, Any]:
    """Return what is the same throughout a game; `picture` is one of its pictures."""
    facts = game.facts
    return {
        "type": "state",
        "protocol": PROTOCOL,
        "mode": mode,
        "game": {
            "name": game.name,
            "title": title_of(game),
            "spec": shown_spec(game),
            "about": game.describe()["about"],
            "notation": game.notation,
            "keys": dict(game.keys),
            "players": facts.players,
            "hidden": facts.hidden,
            "simultaneous": facts.simultaneous,
            "sources": [] if mode == REPLAY else list(sources_of(game)),
            "overlays": [] if mode == REPLAY else list(game.overlays),
        },
        "colours": list(picture.colours[: facts.players]),
        "marks": list(picture.marks[: facts.players]),
        "turnable": picture.turnable,
    }


def _start(drawing: Drawing, text: str, position: Position) -> dict[str, Any]:
    return {
        "box": drawing.box,
        "areas": drawing.areas,
        "start": {
            "text": text,
            "seat": position.player,
            "shapes": [shape.to_json() for shape in drawing.shapes],
        },
    }


def situation_of(game: LiveGame, owner: str, online: set[str]) -> dict[str, Any]:
    """Return the part of the state that changes, for one visitor."""
    session, can, view = game.session, game.allowed(owner), game.view_of(owner)
    over = session.is_over
    return {
        "version": game.version,
        "ply": len(session.moves),
        "turn": None if over else session.seat,
        "view": None if view < 0 else view,
        "over": over,
        "returns": session.returns,
        "outcome": game.outcome(),
        "ending": session.ending if over else "",
        "seats": [
            {
                "kind": chair.kind,
                "name": name,
                "level": chair.level,
                "agent": chair.shown or None,
                "yours": bool(owner) and chair.owner == owner,
                "online": chair.kind == AGENT or chair.owner in online,
            }
            for chair, name in zip(game.chairs, game.names, strict=True)
        ],
        "clocks": _clocks(game),
        "legal": game.legal() if "move" in can else [],
        "can": can,
        "proposal": {
            "undo": [seat for wanting in game.proposal for seat in game.seats_of(wanting)]
        },
    }


def _clocks(game: LiveGame) -> dict[str, Any] | None:
    clock: dict[str, Any] | None = game.made["clock"]
    if clock is None:
        return None
    session = game.session
    left = [session.seconds_left(seat) for seat in range(len(game.chairs))]
    return clock | {
        "left": [round(max(0.0, seconds or 0.0), 3) for seconds in left],
        "running": session.seat_timed,
    }


def replay_of(record: Record) -> dict[str, Any]:
    """Return a stored game in the form of a state; no request is allowed in it."""
    game = GAMES.recall(record.game)
    line, record = positions(game, record), shown_record(record)
    pictures = [game.draw(position) for position in line]
    drawings = [Drawing.of(picture) for picture in pictures]
    moves = [
        {
            "ply": ply + 1,
            "seat": record.players[ply],
            "action": action,
            "text": line[ply].format(action),
            "clicks": clicks_of(line[ply], action),
            "seconds": record.seconds[ply],
            "value": record.values[ply],
            "note": "random opening" if ply < record.opening else "",
            "position": line[ply + 1].to_text(),
            "operations": operations(drawings[ply], drawings[ply + 1]),
        }
        for ply, action in enumerate(record.actions)
    ]
    seats = [
        {
            "kind": AGENT,
            "name": name,
            "level": None,
            "agent": agent,
            "yours": False,
            "online": False,
        }
        for name, agent in zip(record.names, record.agents, strict=True)
    ]
    return (
        _header(REPLAY, game, pictures[0])
        | _start(drawings[0], line[0].to_text(), line[0])
        | {
            "version": 1,
            "moves": moves,
            "ply": len(moves),
            "turn": None,
            "view": None,
            "over": True,
            "returns": record.returns,
            "outcome": record.outcome,
            "ending": record.ending,
            "seats": seats,
            "clocks": None,
            "legal": [],
            "can": [],
            "proposal": {"undo": []},
            "pace": None,
            "thinking": None,
        }
    )
