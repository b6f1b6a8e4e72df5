"""A game as a visitor sees it: pictures ply by ply, and nothing that is hidden from the visitor."""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any

from plyground.game import Position
from plyground.picture import STRIP, Picture
from plyground.session import Move, Session
from plyground.web.drawing import Drawing, Operation, operations

EVERYTHING, NOTHING = -1, -2
"""In place of the seat whose view it is: everything is shown, or nothing before the end."""


def shown_position(position: Position, view: int) -> Position:
    """Return the position that a view shows.

    Where players move at once, it is the last one in which no move is pending: its line of play
    holds nothing that is hidden.
    """
    if view == EVERYTHING:
        return position
    if position.game.facts.simultaneous:
        for known in reversed(position.line()):
            if known.observe(view) == known:
                return known
    return position.observe(view)


def covered() -> Drawing:
    """Return the picture for visitors from whom the game is hidden."""
    picture = Picture(8.0, 2.0 + STRIP, "hidden")
    picture.panel()
    picture.caption("players hide something: shown when the game is over")
    return Drawing.of(picture)


class View:
    """The pictures of one view, made as the game goes on; several visitors can share it."""

    def __init__(self, session: Session, view: int) -> None:
        self.session, self.view = session, view
        self.start = self.drawn = self._draw(session.start)
        self.moves: list[dict[str, Any]] = []

    def _draw(self, position: Position) -> Drawing:
        if self.view == NOTHING:
            return covered()
        shown = shown_position(position, self.view)
        return Drawing.of(shown.game.draw(shown))

    def text_of(self, position: Position) -> str:
        """Return the text of a position, as far as it can be seen."""
        if self.view == NOTHING:
            return ""
        return (position if self.view == EVERYTHING else position.observe(self.view)).to_text()

    def copy(self) -> View:
        """Return a view with the same pictures, to which others can be added."""
        view = copy(self)
        view.moves = list(self.moves)
        return view

    def update(self) -> None:
        """Follow the session: add moves that were played, drop those that were taken back."""
        session = self.session
        if len(self.moves) > len(session.moves):
            del self.moves[len(session.moves) :]
            self.drawn = self._draw(session.position)
        new = len(session.moves) - len(self.moves)
        line = session.position.line()[-new - 1 :] if new else []
        for before, after in pairwise(line):
            drawn = self._draw(after)
            steps = operations(self.drawn, drawn)
            self.drawn = drawn
            move = session.moves[len(self.moves)]
            self.moves.append(self._described(len(self.moves) + 1, move, before, after, steps))

    def _described(
        self, ply: int, move: Move, before: Position, after: Position, steps: list[Operation]
    ) -> dict[str, Any]:
        is_seen = self.view in (EVERYTHING, move.seat)
        thought = move.thought if is_seen else None
        return {
            "ply": ply,
            "seat": move.seat,
            "action": move.action if is_seen else None,
            "text": before.format(move.action) if is_seen else None,
            "clicks": clicks_of(before, move.action) if is_seen else None,
            "seconds": round(move.seconds, 3),
            "value": None if thought is None else thought.value,
            "note": "" if thought is None else str(thought.info.get("note", "")),
            "position": self.text_of(after),
            "operations": steps,
        }

    def preview(self, position: Position, action: int) -> list[Operation]:
        """Return what an action does to the pieces; nothing where some of it is hidden."""
        if self.view != EVERYTHING:
            return []
        after = Drawing.of(position.game.draw(position.play(action)))
        return operations(self.drawn.pieces(), after.pieces())


def clicks_of(position: Position, action: int) -> list[int | str]:
    """Return the clicks that enter an action; empty for a move that the referee skipped."""
    if action not in position.legal_actions:
        return []
    return list(position.game.clicks(position, action))


def legal_of(position: Position) -> list[dict[str, Any]]:
    """Return the legal actions as plain data."""
    return [
        {"action": action, "text": position.format(action), "clicks": clicks_of(position, action)}
        for action in position.legal_actions
    ]
