"""Base classes of agents that run bots written for a course, by a shim in their interpreter."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from plyground.agents.program import ProgramAgent
from plyground.errors import CannotPlayError, OptionError
from plyground.files import is_own
from plyground.game import Game
from plyground.options import Kind, option
from plyground.programs import courses
from plyground.programs.sandbox.view import find_program
from plyground.programs.submission import is_zip, main_file, main_folder, unpacked
from plyground.text import shortened


class Course(ProgramAgent):
    """A bot for one game, played through `programs/courses/NAME.py`."""

    plays: ClassVar[str]
    """The game that the course's bots play."""

    python: str = option(
        "",
        kind=Kind.PROGRAM,
        help="Python interpreter for the bot; by default the one that runs plyground",
    )

    @abstractmethod
    def arguments(self) -> list[str]:
        """Return the shim's arguments; raise a PlygroundError if the options are wrong."""

    def program(self) -> list[str]:
        python = find_program(self.python or sys.executable)
        if python is None:
            raise OptionError(f"{self.name}: there is no interpreter {shortened(self.python)!r}")
        shim = Path(courses.__file__).with_name(f"{self.name}.py")
        return [python, str(shim), *self.arguments()]

    def accept(self, game: Game) -> None:
        super().accept(game)
        if game.name != self.plays:
            raise CannotPlayError(f"{self.name} plays {self.plays}, not {game}")


class CourseFile(Course):
    """A bot that is a Python file or package; it runs in a folder with a copy of its files."""

    path: str = option("", kind=Kind.PROGRAM, help="the bot's file, its folder or a zip file of it")

    package: ClassVar[bool] = False
    """Whether bots are packages: a folder, not a file."""

    handed_out: ClassVar[tuple[str, ...]] = ()
    """Modules handed out by the course: they may lie beside a bot's file but are not bots."""

    @classmethod
    def runs(cls, file: Path) -> bool:
        """Return whether a file can be a bot's main file: Python source or a compiled module."""
        return file.suffix in (".py", ".so") and file.stem not in cls.handed_out

    @property
    def location(self) -> str:
        """Return the path of the bot's file or package."""
        return self.path

    def arguments(self) -> list[str]:
        with self._bot() as bot:
            return [bot.name]

    @contextmanager
    def belongings(self) -> Iterator[list[Path]]:
        """Yield the bot's package, or all files in the folder of the bot's file."""
        with self._bot() as bot:
            beside = bot.parent.iterdir()
            yield [bot] if self.package else [entry for entry in beside if is_own(entry.name)]

    @contextmanager
    def _bot(self) -> Iterator[Path]:
        """Yield the path of the bot's package or main file; a zip file is unpacked meanwhile."""
        path = Path(self.location).resolve()
        kind = "folder" if self.package else "file"
        if not self.path:
            raise OptionError(
                f"{self.name}: path must name the bot's {kind}, as in {self.name}(path='...')"
            )
        if not (path.is_dir() if self.package and not is_zip(path) else path.exists()):
            raise OptionError(f"{self.name}: there is no {kind} {shortened(self.location)!r}")
        with unpacked(path) as bot:
            if not bot.is_dir():
                yield bot
            else:
                yield main_folder(bot, self.runs) if self.package else main_file(bot, self.runs)
