"""A person's keyboard: lines that are edited with readline, and single keys such as arrows."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from select import select
from typing import Any, Self

with suppress(ImportError):  # not on Windows: lines are read there, without arrows
    import readline
    import termios
    import tty

ESCAPE, END_OF_INPUT = "\x1b", "\x04"
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
"""By the last letter of what a terminal sends: ESC [ A, or ESC O A."""

PAUSE = 0.05
"""Seconds in which the rest of a key's letters follow its ESC."""


class Keyboard:
    """The keys of a terminal, of which some enter a text at once."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        self.keys = keys if "termios" in globals() else {}
        self._lines: Any = None
        """The terminal's settings for reading lines, where it is set to keys."""

    def __enter__(self) -> Self:
        if self.keys:
            self._lines = termios.tcgetattr(sys.stdin)
            self._listen()
        return self

    def __exit__(self, *raised: object) -> None:
        if self.keys:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, self._lines)

    def read(self, prompt: str) -> str | None:
        """Read a line, or a key that stands for one; None at the end of input."""
        if not self.keys:
            return _read_line(prompt)
        print(prompt, end="", flush=True)
        while True:
            key = self._key()
            if key in self.keys:
                return self.keys[key]
            if key in ("", END_OF_INPUT):
                return None
            if key in "\r\n":
                return ""
            if key.isprintable() and len(key) == 1:
                return self._rest(prompt, key)

    def _listen(self) -> None:
        """Set the terminal to keys; those pressed in the meantime stay."""
        tty.setcbreak(sys.stdin, termios.TCSANOW)

    def _key(self) -> str:
        key = os.read(sys.stdin.fileno(), 1).decode("latin-1")
        if key != ESCAPE:
            return key
        letters = ""
        while len(letters) < 2 and select([sys.stdin], [], [], PAUSE)[0]:
            letters += os.read(sys.stdin.fileno(), 1).decode("latin-1")
        return ARROWS.get(letters[1:], ESCAPE) if letters[:1] in ("[", "O") else ESCAPE

    def _rest(self, prompt: str, key: str) -> str | None:
        """Read the rest of a line whose first letter was a key."""
        termios.tcsetattr(sys.stdin, termios.TCSANOW, self._lines)
        readline.set_startup_hook(lambda: readline.insert_text(key))
        try:
            return _read_line(f"\r{prompt}")
        finally:
            readline.set_startup_hook(None)
            self._listen()


def _read_line(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None
