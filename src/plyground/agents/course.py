"""What agents share that run bots written for a course: a shim in the bot's own interpreter."""

from __future__ import annotations

import shutil
import sys
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from plyground.agents.program import ProgramAgent
from plyground.errors import BadOption, CannotPlay, shortened
from plyground.files import is_own
from plyground.game import Game
from plyground.options import Kind, option
from plyground.programs import courses


class Course(ProgramAgent):
    """A bot for one game, played through `programs/courses/NAME.py`."""

    plays: ClassVar[str]
    """The one game that the course is about."""

    python: str = option(
        "",
        kind=Kind.PROGRAM,
        help="Python interpreter for the bot; by default the one that runs plyground",
    )

    @abstractmethod
    def arguments(self) -> list[str]:
        """Return the shim's arguments; what is wrong with the options is a PlygroundError."""

    def program(self) -> list[str]:
        python = shutil.which(self.python or sys.executable)
        if python is None:
            raise BadOption(f"{self.name}: there is no interpreter {shortened(self.python)!r}")
        shim = Path(courses.__file__).with_name(f"{self.name}.py")
        return [python, str(shim), *self.arguments()]

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if game.name != self.plays:
            raise CannotPlay(f"{self.name} plays {self.plays}, not {game}")


class CourseFile(Course):
    """A bot that is a Python file or package; it starts in a folder with a copy of its files."""

    path: str = option("", kind=Kind.PROGRAM, help="the bot's file or package")

    package: ClassVar[bool] = False
    """Whether bots are packages: a folder, not a file."""

    handed_out: ClassVar[tuple[str, ...]] = ()
    """Modules that the course gives to its bots, beside which a bot's own file may lie."""

    @classmethod
    def runs(cls, file: Path) -> bool:
        """Return whether a file can be a bot's main one: Python, or compiled for it."""
        return file.suffix in (".py", ".so") and file.stem not in cls.handed_out

    @property
    def location(self) -> str:
        """Where the bot's file or package lies."""
        return self.path

    def arguments(self) -> list[str]:
        path = Path(self.location)
        kind = "folder" if self.package else "file"
        if not self.path:
            raise BadOption(f"{self.name}: say which {kind} plays, as in {self.name}(path='...')")
        if not (path.is_dir() if self.package else path.is_file()):
            raise BadOption(f"{self.name}: there is no {kind} {shortened(self.location)!r}")
        return [path.resolve().name]

    def belongings(self) -> list[Path]:
        """A package comes alone, a file with all that lies beside it."""
        path = Path(self.location).resolve()
        if self.package:
            return [path]
        return [each for each in path.parent.iterdir() if is_own(each.name)]
