"""Bots written for an AI course (NYCU, AI Capstone 2024): `InitPos` and `GetStep`, or over TCP."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plyground.agents.course import CourseFile
from plyground.agents.program import split_command
from plyground.errors import OptionError
from plyground.options import Kind, option


class NycuSheep(CourseFile):
    """Battle Sheep: a file with InitPos and GetStep, or a program that connects to port 8887."""

    name = "nycu_sheep"
    plays = "sheep"
    handed_out = ("STcpClient",)
    command: str = option(
        "", kind=Kind.COMMAND, help="program that connects over TCP, instead of a path"
    )

    def arguments(self) -> list[str]:
        if self.path and self.command:
            raise OptionError(f"{self.name}: give a path or a command, not both")
        if self.command:
            return ["--tcp", *split_command(self.name, self.command)]
        return super().arguments()

    @classmethod
    def runs(cls, file: Path) -> bool:
        return super().runs(file) or (not file.suffix and os.access(file, os.X_OK))

    @contextmanager
    def belongings(self) -> Iterator[list[Path]]:
        if self.command:
            yield []
            return
        with super().belongings() as files:
            yield files
