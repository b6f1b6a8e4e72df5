"""Keyboard input: lines edited with readline, and single keys such as arrows."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from select import select
from typing import Any, Self

with suppress(ImportError):  # Windows has none of these: only lines are read there
    import readline
    import termios
    import tty

ESCAPE, END_OF_INPUT = "\x1b", "\x04"
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
"""Arrow keys by the last letter of their escape sequence: ESC [ A, or ESC O A."""

PAUSE = 0.05
"""Seconds to wait for the rest of an escape sequence."""


class Keyboard:
    """Reads lines and keys from a terminal; `keys` maps single keys to the texts they enter."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        self.keys = keys if "termios" in globals() else {}
        self._line_settings: Any = None
        """The terminal's settings for reading lines, while it is set to single keys."""

    def __enter__(self) -> Self:
        if self.keys:
            self._line_settings = termios.tcgetattr(sys.stdin)
            self._set_to_keys()
        return self

    def __exit__(self, *raised: object) -> None:
        if self.keys:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, self._line_settings)

    def read(self, prompt: str) -> str | None:
        """Return a line, or the text of a single key; None at the end of input."""
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
                return self._read_rest(prompt, key)

    def _set_to_keys(self) -> None:
        """Set the terminal to single keys; keys that were pressed already are not lost."""
        tty.setcbreak(sys.stdin, termios.TCSANOW)

    def _key(self) -> str:
        key = os.read(sys.stdin.fileno(), 1).decode("latin-1")
        if key != ESCAPE:
            return key
        letters = ""
        while len(letters) < 2 and select([sys.stdin], [], [], PAUSE)[0]:
            letters += os.read(sys.stdin.fileno(), 1).decode("latin-1")
        return ARROWS.get(letters[1:], ESCAPE) if letters[:1] in ("[", "O") else ESCAPE

    def _read_rest(self, prompt: str, key: str) -> str | None:
        """Return a line that begins with a key which was read already."""
        termios.tcsetattr(sys.stdin, termios.TCSANOW, self._line_settings)
        readline.set_startup_hook(lambda: readline.insert_text(key))
        try:
            return _read_line(f"\r{prompt}")
        finally:
            readline.set_startup_hook(None)
            self._set_to_keys()


def _read_line(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None
