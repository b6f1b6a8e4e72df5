"""The record and page docs/games/solvers: one table per section, each made by its own command."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from plyground import __version__
from plyground.export.report import Cell, Report, Table

NAME = "solvers"
ABOUT = (
    "Exact solvers beside the general searches in the same run, in CPU time of one thread on a "
    "busy machine. Every section can be measured on its own, by the command in the last table. "
    "Moves of agent `perfect` are checked by a second solver without a book."
)
TITLES = {
    "connect_n": "Connect Four: CPU microseconds per position",
    "robots": "Robot Reboot: CPU microseconds per position",
    "boards": "Empty boards of Connect-N: the result of perfect play",
    "empty": "The empty board of Connect Four: its exact score without a book",
    "deals": "Starts of Robot Reboot: CPU milliseconds per deal",
    "perfect": "Agent `perfect` at Connect Four: its moves from random openings",
    "endings": "The champion in endings of Connect-N on 10 x 8",
}
"""The sections in the order of the page, and the titles of their tables."""
COMMANDS = "How the figures were made"
COMMAND_HEADINGS = ("table", "command", "seconds")
PROGRAM_HEADINGS = (
    "positions", "program", "number", "wrong or unsolved", "mean", "median", "p90", "p99",
    "longest", "nodes", "nodes/s",
)  # fmt: skip
"""The columns of tables that compare programs at the same positions."""
DIGITS = 4

Row = tuple[Cell, ...]


def section(name: str, headings: tuple[str, ...], rows: Iterable[Row]) -> Table:
    """Return the table of a section, its figures rounded."""
    rounded = (tuple(map(_rounded, row)) for row in rows)
    return Table(TITLES[name], headings, tuple(rounded))


def _rounded(cell: Cell) -> Cell:
    return float(f"{cell:.{DIGITS}g}") if isinstance(cell, float) else cell


def command_of(parser: ArgumentParser, given: Namespace, *sections: str) -> str:
    """Return the command that measures sections with the options given."""
    options = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in vars(given).items()
        if name not in ("sections", "out") and value != parser.get_default(name)
    ]
    return " ".join([parser.prog, *sections, *options])


def add(
    folder: Path | None, report: Report | None, table: Table, command: str, seconds: float
) -> Report:
    """Return a report with a section added or replaced; in a folder, its record and page.

    The record is read again each time: another command may have written a section meanwhile.
    """
    if folder is None:
        return with_section(report, table, command, seconds)
    file = folder / f"{NAME}.json"
    report = Report.from_json(file.read_text()) if file.exists() else None
    report = with_section(report, table, command, seconds)
    file.write_text(report.to_json() + "\n")
    (folder / f"{NAME}.md").write_text(report.page())
    return report


def with_section(report: Report | None, table: Table, command: str, seconds: float) -> Report:
    """Return a report with a section added or replaced."""
    tables = {each.title: each for each in report.tables} if report else {}
    made = {row[0]: row for row in tables[COMMANDS].rows} if report else {}
    tables[table.title] = table
    made[table.title] = table.title, f"`{command}`", round(seconds)
    present = [title for title in TITLES.values() if title in tables]
    commands = tuple(made[title] for title in present)
    measured = [tables[title] for title in present]
    return Report(
        name=NAME,
        title="Exact solvers, measured",
        about=ABOUT,
        command="python -m benchmarks.solvers --out docs/games",
        tables=(*measured, Table(COMMANDS, COMMAND_HEADINGS, commands)),
        plots=(),
        remarks=tuple(remark for each in measured for remark in ratios(each)),
        seconds=float(sum(row[2] or 0 for row in commands)),
        version=__version__,
    )


def ratios(table: Table) -> Iterator[str]:
    """State how many times as fast as each other program the solver is, at each set."""
    if table.headings != PROGRAM_HEADINGS:
        return
    solver: dict[str, Cell] = {}
    for row in table.rows:
        figures = dict(zip(PROGRAM_HEADINGS, row, strict=True))
        if figures["program"] == "solver":
            solver = figures
            continue
        times = [
            f"{figures[name] / solver[name]:,.1f} ({name})"
            for name in ("mean", "median", "p99")
            if figures[name] is not None
        ]
        where = f"{table.title.partition(':')[0]}, {figures['positions']}"
        yield f"{where}: {figures['program']} takes {', '.join(times)} times as long as the solver."
