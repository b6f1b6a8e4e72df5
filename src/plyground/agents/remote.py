"""Any program that speaks the protocol of docs/bot-protocol.md."""

from __future__ import annotations

import os
import shlex
import shutil

from plyground.agents._guest import Guest
from plyground.errors import BadOption, shortened
from plyground.options import option


class Remote(Guest):
    """Ask another program, in any language, over its standard input and output."""

    name = "remote"
    command: str = option("", help="the program and its arguments, as in a shell")

    def program(self) -> list[str]:
        return split_command(self.name, self.command)


def split_command(name: str, command: str) -> list[str]:
    """Split a command as a shell would; what names a file here names it from anywhere."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadOption(f"{name}: command={shortened(command)!r}: {error}") from None
    if not words:
        raise BadOption(f"{name}: say which program plays, as in {name}(command='./mybot')")
    if shutil.which(words[0]) is None:
        raise BadOption(f"{name}: there is no program {shortened(words[0])!r}")
    if os.sep in words[0]:
        words[0] = os.path.abspath(words[0])
    return [
        words[0],
        *(os.path.abspath(word) if os.path.exists(word) else word for word in words[1:]),
    ]
