"""What a study is: options, and one method that measures and reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

from plyground import __version__
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.export.report import Plot, Report, Table
from plyground.options import Options, option


@dataclass(frozen=True)
class Laboratory:
    """Where studies run: who plays their tournaments, and who hears how far they are."""

    play: Callable[[Tournament], Iterable[Record]]
    tell: Callable[[str], None]


@dataclass(frozen=True)
class Findings:
    """What a study measured."""

    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()


class Study(Options, ABC):
    """A study run again: every figure measured, beside what was reported originally."""

    title: ClassVar[str]
    about: ClassVar[str]

    quick: bool = option(False, help="a minute's worth: fewer games, rough figures")
    seed: int = option(0, low=0, help="makes the run repeatable")

    @abstractmethod
    def measure(self, laboratory: Laboratory) -> Findings:
        """Run it; with `quick`, a small form that shows that all of it works."""

    @staticmethod
    @abstractmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        """Return what the tables of `measure` show, and no more than that.

        Why that is so is for the author of the page to say, in notes beside the record.
        """

    def report(self, laboratory: Laboratory) -> Report:
        """Run it and write everything down."""
        began = perf_counter()
        found = self.measure(laboratory)
        return Report(
            name=self.name,
            title=self.title,
            about=self.about,
            command=" ".join(["plyground reproduce", self.name, *self._given()]),
            tables=found.tables,
            plots=found.plots,
            remarks=self.conclude(found.tables),
            seconds=round(perf_counter() - began, 1),
            version=__version__,
        )

    def _given(self) -> list[str]:
        """List what the command was told besides the name."""
        return ["--quick"] * self.quick + [f"--seed {self.seed}"] * (self.seed != 0)
