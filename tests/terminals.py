"""Run a command in a pseudo-terminal of 80 x 24 and press its keys."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from select import select

ROWS, COLUMNS = 24, 80
CLEAR = "\x1b[2J"
PROMPT = "> "
PATIENCE = 120.0
"""Seconds after which a command that does not answer has failed."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\a\r]")


class Terminal:
    """A running command, its output, and the screens that it has drawn."""

    def __init__(self, *arguments, store, folder):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        hidden = ("COLUMNS", "LINES", "NO_COLOR")
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plyground", *arguments],
            stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True,
            env=kept | {"TERM": "xterm-256color", "PLYGROUND_STORE": str(store)},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.screens = []

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def send(self, keys):
        """Press keys, and return the screen on which the command asks again."""
        os.write(self.master, keys.encode())
        return self.screen()

    def type(self, line):
        """Type a line, and return the screen on which the command asks again."""
        return self.send(f"{line}\n")

    def screen(self):
        """Return the text of the next screen with a prompt; all screens are kept."""
        written = ""
        until = time.monotonic() + PATIENCE
        while not (CLEAR in written and plain(written).endswith(PROMPT)):
            assert time.monotonic() < until, f"no prompt in {plain(written)!r}"
            piece = self._read()
            assert piece is not None, f"the command has ended: {plain(written)!r}"
            written += piece
        drawn = [plain(each).strip("\n") for each in written.split(CLEAR)[1:]]
        self.screens += drawn
        return drawn[-1]

    def leave(self, keys):
        """Press keys that end the command; return its exit code and the last that it wrote."""
        os.write(self.master, keys.encode())
        written = ""
        while (piece := self._read()) is not None:
            written += piece
        return self.process.wait(timeout=PATIENCE), plain(written)

    def interrupt(self):
        """Press Ctrl-C until the command ends; return its exit code and the last that it wrote.

        One pressed between the prompt and the wait for a key may take effect only with the next.
        """
        until, written, piece = time.monotonic() + PATIENCE, "", ""
        while piece is not None and time.monotonic() < until:
            if not piece:
                os.write(self.master, b"\x03")
            piece = self._read(2.0)
            written += piece or ""
        return self.process.wait(timeout=PATIENCE), plain(written)

    def _read(self, seconds=PATIENCE):
        """Return what is written within so many seconds, or None when the command has ended."""
        if not select([self.master], [], [], seconds)[0]:
            return ""
        try:
            return os.read(self.master, 65536).decode(errors="replace") or None
        except OSError:  # Linux reports so that the other end is closed
            return None


def plain(text):
    """Return a text without escape sequences."""
    return _CONTROL.sub("", text)
