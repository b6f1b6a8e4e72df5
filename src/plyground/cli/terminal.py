"""Boards, tables and progress bars in the terminal, drawn by rich."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from time import monotonic

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from plyground.arena.record import Record
from plyground.arena.tournament import Standing, Standings
from plyground.game import Position

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def board(position: Position, height: int | None = None) -> Text:
    """Return the board in colour, in its compact form where it has more than `height` rows."""
    rows = position.game.rows(position)
    if height is not None and len(rows) > height:
        rows = position.game.compact_rows(position)
    text = Text()
    for row in rows:
        for words, style in row:
            text.append(words, style)
        text.append("\n")
    return text


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> Table:
    """Make a table; columns of numbers are set right."""
    written = [[str(cell) for cell in row] for row in rows]
    made = Table(title=title or None, title_justify="left", title_style="bold", header_style="bold")
    for index, heading in enumerate(headings):
        numeric = bool(written) and all(_is_number(row[index]) for row in written)
        made.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in written:
        made.add_row(*map(Text, row))
    return made


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "").replace("%", "").strip("-+± ").isdigit()


def progress() -> Progress:
    """Make a progress bar on standard error that leaves nothing behind."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def standings_table(rows: Sequence[Standing], title: str, players: int = 2) -> Table:
    """Show who did best, with the interval in which the score lies."""
    headings = ["", "agent", "games", "won", "drawn", "lost", "score", "95% interval", "ms/move"]
    shown: list[list[object]] = [
        [
            rank,
            row.agent,
            row.games,
            row.wins,
            row.draws,
            row.losses,
            f"{row.score:.1%}",
            f"{row.interval[0]:.0%} - {row.interval[1]:.0%}",
            f"{1000 * row.seconds / max(1, row.moves):.1f}",
        ]
        for rank, row in enumerate(rows, start=1)
    ]
    if players > 2:  # of two, the points are the wins and half the draws
        headings.insert(3, "points")
        for cells, row in zip(shown, rows, strict=True):
            cells.insert(3, f"{row.points:.1f}")
    return table(headings, shown, title)


@dataclass
class Watched:
    """What was seen of games as they were played."""

    count: int = 0
    records: list[Record] = field(default_factory=list)
    """All of them, if they were asked for."""
    forfeits: list[Record] = field(default_factory=list)
    faulty: list[Record] = field(default_factory=list)
    """Those in which a referee replaced moves or took them away."""
    stopped: bool = False
    """Whether Ctrl-C cut them short."""


def watch_games(table: Standings, total: int, games: Iterable[Record], whole: bool) -> Watched:
    """Add games up as they come, under the standings so far and a progress bar."""
    watched = Watched()
    bar = progress()
    task = bar.add_task("playing", total=total)
    shown = 0.0
    with Live(bar, console=errors, transient=True) if errors.is_terminal else nullcontext() as live:
        try:
            for record in games:
                table.add(record)
                watched.count += 1
                if whole:
                    watched.records.append(record)
                if record.fault is not None:
                    watched.forfeits.append(record)
                if record.faults:
                    watched.faulty.append(record)
                if live is not None and monotonic() - shown > TICK:
                    shown = monotonic()
                    bar.update(task, completed=watched.count)
                    first = standings_table(table.rows()[:SHOWN], "so far", len(record.returns))
                    live.update(Group(first, bar))
        except KeyboardInterrupt:
            watched.stopped = True
    watched.records.sort(key=lambda record: record.number)
    return watched


SHOWN = 10
"""Rows of the standings while games are played."""

TICK = 0.1
"""Seconds between two looks at the standings."""


def print_forfeits(watched: Watched, names: Sequence[str]) -> None:
    """Say why games were forfeited, the first few of them; names are by entrant."""
    for record in watched.forfeits[:5]:
        seated = " - ".join(names[entrant] for entrant in record.entrants)
        console.print(Text(f"forfeit: {seated}: {record.outcome}", "red"))
    if len(watched.forfeits) > 5:
        console.print(Text(f"... and {len(watched.forfeits) - 5} forfeits more", "red"))


def print_faults(watched: Watched, names: Sequence[str]) -> None:
    """Print which moves a referee replaced or took away, the first few of them."""
    faults = [
        (names[record.entrants[seat]], f"game {record.number + 1}, ply {ply + 1}, {kind}: {reason}")
        for record in watched.faulty
        for ply, seat, kind, reason in record.faults
    ]
    for name, told in faults[:5]:
        console.print(Text(f"fault: {name}: {told}", "yellow"))
    if len(faults) > 5:
        console.print(Text(f"... and {len(faults) - 5} faults more", "yellow"))


def told_repeats(count: int, because: str = "deterministic agents") -> str:
    """Return how many games were not counted, and why."""
    which = "1 game repeats another" if count == 1 else f"{count:,} games repeat others"
    verb = "is" if count == 1 else "are"
    return f"{which} (equal starts, {because}) and {verb} not counted"


def more_starts(opening: int) -> str:
    """Return how to get fewer repeats."""
    return f"--opening of more than {opening} plies makes more starts"
