"""Views of a session in the terminal: a full screen, plain lines, or lines of JSON."""

from __future__ import annotations

import json
import sys
from typing import Any, Protocol, Self

from rich.text import Text

from plyground.cli.commentary import AFTERWARDS, is_seen, recent_moves, turn
from plyground.cli.keyboard import Keyboard
from plyground.cli.terminal import board, console
from plyground.session import Session
from plyground.text import cleaned

PROMPT = "> "

BELOW = 5
"""Rows left free below the board: for moves, turn, a message and the prompt."""


class View(Protocol):
    """Shows a session, and reads what a person types."""

    ends_with_game: bool
    """Whether it takes no commands once the game is over."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    def show(self, viewer: int) -> None:
        """Show the position as a seat sees it, and the last moves."""

    def show_message(self, message: str) -> None:
        """Show a message, such as the answer to a command."""

    def ask(self) -> str | None:
        """Return what the person types; None at the end of input."""


class Screen:
    """A full screen: every position is drawn in place of the previous one."""

    ends_with_game = False

    def __init__(self, session: Session) -> None:
        self.session, self.viewer = session, 0
        self.keyboard = Keyboard(session.position.game.keys)

    def __enter__(self) -> Self:
        console.set_alt_screen(True)
        self.keyboard.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self.keyboard.__exit__()
        console.set_alt_screen(False)
        console.print(self._frame())

    def show(self, viewer: int) -> None:
        self.viewer = viewer
        has_moved = any(move.seat == viewer for move in self.session.moves)
        notation = "" if has_moved else self.session.position.game.notation
        frame = self._frame(AFTERWARDS if self.session.is_over else notation)
        self._draw(frame if self._fits(frame) else self._frame())

    def show_message(self, message: str) -> None:
        frame = self._frame(message)
        if not self._fits(frame):
            way_back = "" if self.session.is_over else "\n(Enter shows the board again)"
            frame = Text(cleaned_lines(message) + way_back, "yellow")
        self._draw(frame)

    def ask(self) -> str | None:
        return self.keyboard.read(PROMPT)

    def _frame(self, message: str = "") -> Text:
        session = self.session
        frame = board(session.view(self.viewer), console.height - BELOW)
        if session.moves:
            frame.append(f"{recent_moves(session, self.viewer)}\n")
        frame.append(turn(session), "bold")
        return frame.append(f"\n{cleaned_lines(message)}", "yellow") if message else frame

    def _fits(self, frame: Text) -> bool:
        """Return whether a frame leaves a row of the screen for the prompt."""
        return len(frame.wrap(console, console.width)) < console.height

    def _draw(self, frame: Text) -> None:
        console.clear()
        console.print(frame)


class Lines:
    """Plain text, if input or output is not a terminal; messages go to standard error."""

    ends_with_game = False

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def show(self, viewer: int) -> None:
        if self.session.moves:
            console.print(Text(f"\n{recent_moves(self.session, viewer)}"), soft_wrap=True)
        console.print(board(self.session.view(viewer)), end="")
        console.print(Text(turn(self.session), "bold"), soft_wrap=True)
        if self.session.is_over:
            self.show_message(AFTERWARDS)

    def show_message(self, message: str) -> None:
        print(cleaned_lines(message), file=sys.stderr)

    def ask(self) -> str | None:
        return sys.stdin.readline() or None


class JsonLines(Lines):
    """A line of JSON for every position, for programs."""

    ends_with_game = True

    def show(self, viewer: int) -> None:
        session, position = self.session, self.session.view(viewer)
        seen = [move for move in session.moves[-1:] if is_seen(session, move, viewer)]
        action, thought = (seen[0].action, seen[0].thought) if seen else (None, None)
        data: dict[str, Any] = {
            "position": position.to_text(),
            "ply": position.ply,
            "action": action,
            "player": position.player,
            "legal": [position.format(action) for action in position.legal_actions],
            "over": session.is_over,
            "returns": session.returns,
            "value": None if thought is None else thought.value,
        }
        if session.fault is not None:
            data |= {"ending": session.ending, "reason": session.reason, "fault": session.fault}
        print(json.dumps(data), flush=True)


def cleaned_lines(text: str) -> str:
    """Return a text without control characters other than line ends."""
    return "\n".join(map(cleaned, text.split("\n")))


def choose_view(session: Session, as_json: bool) -> View:
    """Return the view for the command's input and output."""
    if as_json:
        return JsonLines(session)
    return Screen(session) if sys.stdin.isatty() and console.is_terminal else Lines(session)
