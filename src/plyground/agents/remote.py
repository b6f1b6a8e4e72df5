"""Programs that speak the protocol of docs/bot-protocol.md."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plyground.agents.program import ProgramAgent, split_command
from plyground.errors import OptionError
from plyground.files import is_own
from plyground.options import Kind, option
from plyground.programs.submission import is_zip, unpacked
from plyground.text import shortened


class Remote(ProgramAgent):
    """A program in any language that reads positions from standard input and writes moves."""

    name = "remote"
    command: str = option("", kind=Kind.COMMAND, help="program and its arguments")
    path: str = option(
        "",
        kind=Kind.PROGRAM,
        help="folder or zip file whose files are copied to where the program starts",
    )

    def program(self) -> list[str]:
        return split_command(self.name, self.command, its_own_folder=bool(self.path))

    @contextmanager
    def belongings(self) -> Iterator[list[Path]]:
        path = Path(self.path)
        if not self.path:
            yield []
            return
        if not (path.is_dir() or is_zip(path)):
            raise OptionError(f"{self.name}: there is no folder {shortened(self.path)!r}")
        with unpacked(path) as folder:
            yield [entry for entry in folder.iterdir() if is_own(entry.name)]
