"""The base class of studies: options, a method that measures, and one that draws conclusions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import ClassVar

from plyground import __version__
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.export.report import Plot, Report, Table
from plyground.options import Options, option


@dataclass(frozen=True)
class Laboratory:
    """What a study needs to run: a function that plays tournaments, and a callback for progress."""

    play: Callable[[Tournament], Iterable[Record]]
    progress: Callable[[str], None]
    """Receives one line about the current step."""
    folder: Path | None = None
    """Where a long study may keep what is done, so that the next run goes on from there."""


@dataclass(frozen=True)
class Findings:
    """What a study measured."""

    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()


class Study(Options, ABC):
    """A table of an original study measured again, beside the figures it reported."""

    title: ClassVar[str]
    about: ClassVar[str]

    quick: bool = option(False, help="fewer games and rough figures, in about a minute")
    seed: int = option(0, low=0, help="random seed")

    @abstractmethod
    def measure(self, laboratory: Laboratory) -> Findings:
        """Run the study and return its tables and plots; `quick` only shows that it works."""

    @staticmethod
    @abstractmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        """Return sentences that follow from the tables of `measure` alone.

        Explanations belong into the notes beside the record, which a person writes.
        """

    def report(self, laboratory: Laboratory) -> Report:
        """Run the study and return its report."""
        began = perf_counter()
        findings = self.measure(laboratory)
        return Report(
            name=self.name,
            title=self.title,
            about=self.about,
            command=" ".join(["plyground reproduce", self.name, *self._flags()]),
            tables=findings.tables,
            plots=findings.plots,
            remarks=self.conclude(findings.tables),
            seconds=round(perf_counter() - began, 1),
            version=__version__,
        )

    def _flags(self) -> list[str]:
        """Return the command line's options for this study's settings."""
        return ["--quick"] * self.quick + [f"--seed {self.seed}"] * (self.seed != 0)
