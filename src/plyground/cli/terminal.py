"""Boards, tables and progress bars in the terminal, drawn by rich."""

from __future__ import annotations

import os
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
from plyground.errors import DEBUG, PlygroundError
from plyground.game import Position
from plyground.text import counted

UNCUT = 100_000
"""Columns of output that is no terminal, such as a file: nothing is cut there."""


def _columns() -> int | None:
    """Return the columns of standard output; None: those of the terminal, or of COLUMNS."""
    return None if sys.stdout.isatty() or os.environ.get("COLUMNS") else UNCUT


console = Console(highlight=False, width=_columns())
errors = Console(stderr=True, highlight=False)

BORDER = 3
"""Columns of the terminal between the cells of a table; one more at the end."""


def board(position: Position, height: int | None = None) -> Text:
    """Return the board in colour; in its compact form if it has more than `height` rows."""
    rows = position.game.rows(position)
    if height is not None and len(rows) > height:
        rows = position.game.compact_rows(position)
    text = Text()
    for row in rows:
        for words, style in row:
            text.append(words, style)
        text.append("\n")
    return text


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str = "",
    optional: Sequence[str] = (),
) -> Table:
    """Return a table that fits the terminal; columns of numbers are aligned to the right.

    Cells wrap between words. If a word would have to be broken, columns with `optional` headings
    are left out, in this order.
    """
    written = [[str(cell) for cell in row] for row in rows]
    columns = {
        index: _Column(heading, [row[index] for row in written])
        for index, heading in enumerate(headings)
    }
    available = console.width - 1
    dropped = []
    for heading in optional:
        if sum(column.narrowest + BORDER for column in columns.values()) <= available:
            break
        dropped.append(heading)
        del columns[next(index for index in columns if columns[index].heading == heading)]
    fitted = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        caption=f"not shown in {console.width} columns: {', '.join(dropped)}" if dropped else None,
        caption_justify="left",
    )
    for column, width in zip(columns.values(), _widths(columns.values(), available), strict=True):
        justify = "right" if column.numeric else "left"
        fitted.add_column(column.heading, justify=justify, overflow="fold", width=width)  # type: ignore[arg-type]
    for row in written:
        fitted.add_row(*(Text(row[index]) for index in columns))
    return fitted


class _Column:
    """A table's column: its heading, its full width, and the least width without broken words."""

    def __init__(self, heading: str, cells: Sequence[str]) -> None:
        self.heading = heading
        self.numeric = bool(cells) and all(map(_is_number, cells))
        texts = [line for text in (heading, *cells) for line in text.split("\n")]
        words = [word for text in texts for word in text.split()]
        self.widest = max(Text(text).cell_len for text in texts)
        self.narrowest = max((Text(word).cell_len for word in words), default=0)


def _widths(columns: Iterable[_Column], available: int) -> list[int | None]:
    """Return widths at which the columns fit, the widest shrunk first; None if they cannot."""
    columns = list(columns)
    widths = [column.widest for column in columns]
    excess = sum(widths) + BORDER * len(widths) - available
    for _ in range(excess):
        shrinkable = [
            index for index, column in enumerate(columns) if widths[index] > column.narrowest
        ]
        if not shrinkable:
            return [None] * len(columns)
        widths[max(shrinkable, key=widths.__getitem__)] -= 1
    return list(widths)


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "").replace("%", "").strip("-+± ").isdigit()


def progress() -> Progress:
    """Return a progress bar on standard error that disappears at the end."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        redirect_stdout=False,  # results stay on standard output
        disable=not sys.stderr.isatty(),
    )


def standings_table(rows: Sequence[Standing], title: str, sides: int = 2) -> Table:
    """Return the standings as a table, with the interval of each score.

    Columns of forfeits and of faults that cost no game are shown if there are any.
    """
    failures = [name for name in ("forfeits", "faults") if any(getattr(row, name) for row in rows)]
    shown: list[dict[str, object]] = [
        {
            "": rank,
            "agent": row.agent,
            "games": row.games,
            **row.results(sides),
            **{name: getattr(row, name) for name in failures},
            "score": f"{row.score:.1%}",
            "95% interval": f"{100 * row.interval[0]:.0f}-{row.interval[1]:.0%}",
            "ms/move": f"{1000 * row.seconds / max(1, row.moves):.1f}",
        }
        for rank, row in enumerate(rows, start=1)
    ]
    headings = list(shown[0]) if shown else []
    optional = ("ms/move", "95% interval", "drawn", "lost", "won", "points/game", "first places")
    return table(
        headings,
        [list(cells.values()) for cells in shown],
        title,
        [heading for heading in optional if heading in headings],
    )


@dataclass
class Watched:
    """Counts and records gathered while games are played."""

    count: int = 0
    records: list[Record] = field(default_factory=list)
    """All records, if they are to be kept."""
    forfeits: list[Record] = field(default_factory=list)
    faulty: list[Record] = field(default_factory=list)
    """Games in which the referee replaced moves or skipped turns."""
    stopped: bool = False
    """Whether Ctrl-C ended the games early."""
    failure: PlygroundError | None = None
    """The error that ended the games early."""


def watch_games(
    table: Standings, total: int, games: Iterable[Record], keep_records: bool
) -> Watched:
    """Add up games as they are played, while standings and a progress bar are shown.

    Ctrl-C and errors end this early; the games before them are returned.
    """
    watched = Watched()
    bar = progress()
    task = bar.add_task("playing", total=total)
    shown = 0.0
    with Live(bar, console=errors, transient=True) if errors.is_terminal else nullcontext() as live:
        try:
            for record in games:
                table.add(record)
                watched.count += 1
                if keep_records:
                    watched.records.append(record)
                if record.fault is not None:
                    watched.forfeits.append(record)
                if record.faults:
                    watched.faulty.append(record)
                if live is not None and monotonic() - shown > TICK:
                    shown = monotonic()
                    bar.update(task, completed=watched.count)
                    top = standings_table(table.rows()[:SHOWN], "so far", table.sides)
                    live.update(Group(top, bar))
        except KeyboardInterrupt:
            watched.stopped = True
        except PlygroundError as error:
            watched.failure = error
    watched.records.sort(key=lambda record: record.number)
    return watched


SHOWN = 10
"""Rows of the standings while games are played."""

TICK = 0.1
"""Seconds between two updates of the standings."""


def print_forfeits(watched: Watched, names: Sequence[str]) -> None:
    """Print the first few forfeits with their reasons; names are by entrant."""
    for record in watched.forfeits[:5]:
        players = " - ".join(names[entrant] for entrant in record.entrants)
        line = f"forfeit in game {record.number + 1}: {players}: {record.outcome}"
        console.print(Text(line, "red"), soft_wrap=True)
        if os.environ.get(DEBUG):
            print_logs(record)
    if len(watched.forfeits) > 5:
        console.print(Text(f"... and {counted(len(watched.forfeits) - 5, 'more forfeit')}", "red"))


def print_logs(record: Record) -> None:
    """Print what the programs of a game wrote to standard error."""
    for name, log in zip(record.names, record.logs, strict=False):
        if log:
            console.print(Text(f"{name} wrote to standard error:", "bold"), soft_wrap=True)
            console.print(Text(log), soft_wrap=True)


def print_faults(watched: Watched, names: Sequence[str]) -> None:
    """Print the first few faults after which the referee replaced or skipped a move."""
    faults = [
        fault
        for record in watched.faulty
        for fault in fault_lines(record, [names[entrant] for entrant in record.entrants])
    ]
    for fault in faults[:5]:
        console.print(fault, soft_wrap=True)
    if len(faults) > 5:
        console.print(Text(f"... and {counted(len(faults) - 5, 'more fault')}", "yellow"))


def fault_lines(record: Record, names: Sequence[str]) -> list[Text]:
    """Return a line for each fault of a game that cost only the move; names are by seat."""
    return [
        Text(
            f"fault: {names[seat]}: game {record.number + 1}, ply {ply + 1}, {kind}: {reason}",
            "yellow",
        )
        for ply, seat, kind, reason in record.faults
    ]


def repeats_text(count: int, because: str = "deterministic agents") -> str:
    """Return a sentence about the games that were not counted, and why."""
    games = "1 game repeats another" if count == 1 else f"{count:,} games repeat others"
    verb = "is" if count == 1 else "are"
    return f"{games} (equal starts, {because}) and {verb} not counted"


def more_starts(opening: int) -> str:
    """Return advice on how to get fewer repeats."""
    return f"--opening of more than {counted(opening, 'ply', 'plies')} gives more starts"
