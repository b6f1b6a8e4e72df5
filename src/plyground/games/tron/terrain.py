"""Checked maps, and rooms generated from their size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from plyground.errors import TextError, warn_once
from plyground.games.tron.board import BARRIER, PLAYERS, POWERS, SPACE, WALL
from plyground.maps import check_rows

LARGEST = 50
ROOM = "room"
RANDOM_POWER = "?"
PLAIN_SYMBOLS = WALL + BARRIER + SPACE + PLAYERS
SYMBOLS = PLAIN_SYMBOLS + POWERS + RANDOM_POWER


@dataclass(frozen=True)
class Terrain:
    """A map that has been checked: its border is walls, with at most one `1` and one `2`."""

    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    @cached_property
    def symbols(self) -> str:
        """All cells as one text, row by row from the top left, with heads as blanks."""
        return "".join(self.rows).replace("1", SPACE).replace("2", SPACE)

    @cached_property
    def has_powers(self) -> bool:
        return any(symbol in POWERS + RANDOM_POWER for symbol in self.symbols)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The cells on which player 1 may start: open, as is the opposite cell, for player 2."""
        last = len(self.symbols) - 1
        return tuple(
            cell
            for cell, symbol in enumerate(self.symbols)
            if symbol == SPACE and self.symbols[last - cell] == SPACE and cell != last - cell
        )

    @cached_property
    def marked(self) -> tuple[int, int] | None:
        """The cells marked 1 and 2 on the map, if it has both."""
        cells = "".join(self.rows)
        first, second = (cells.find(player) for player in PLAYERS)
        return (first, second) if first >= 0 and second >= 0 else None

    def place(self, first: int, second: int, random: Random) -> list[str]:
        """Return the rows with both heads placed and every `?` replaced by a random power-up."""
        cells = [
            random.choice(POWERS) if symbol == RANDOM_POWER else symbol for symbol in self.symbols
        ]
        cells[first], cells[second] = tuple(PLAYERS)
        return [
            "".join(cells[begin : begin + self.width]) for begin in range(0, len(cells), self.width)
        ]


def read_terrain(rows: Sequence[str], name: str) -> Terrain:
    """Return the map of some rows, or raise TextError.

    A first row of two numbers, as in files of the contest, is the map's size. Trailing blanks are
    ignored, and gaps in the border are closed, with a warning.
    """
    rows = list(rows)
    size = rows[0].split()
    if len(size) == 2 and all(number.isdecimal() and len(number) < 6 for number in size):
        declared = f"{int(size[0])} x {int(size[1])}"
        rows = _trimmed(rows[1:])
        actual = f"{len(rows[0]) if rows else 0} x {len(rows)}"
        if declared != actual:
            raise TextError(f"tron: the map's first line says {declared}, its rows are {actual}")
    rows = _trimmed(rows)
    check_rows("tron", rows, SYMBOLS, LARGEST)
    rows = _closed(rows, name)
    check_walled_in(rows, "of the map")
    for player in PLAYERS:
        find_one(rows, player, "of the map")
    return Terrain(tuple(rows))


def _trimmed(rows: Sequence[str]) -> list[str]:
    """Return rows without blanks to the right of the widest row and without blank last rows."""
    widths = [len(row.rstrip()) for row in rows]
    widest = max(widths, default=0)
    last = max((number for number, width in enumerate(widths, start=1) if width), default=0)
    return [row[:widest].rstrip("\r") for row in rows[:last]]


def _closed(rows: Sequence[str], name: str) -> list[str]:
    """Return the rows with walls in the gaps of the border; warn if there were any."""
    closed = [list(row) for row in rows]
    last_row, last_column = len(rows) - 1, len(rows[0]) - 1
    for y, row in enumerate(closed):
        for x, symbol in enumerate(row):
            if symbol == SPACE and (y in (0, last_row) or x in (0, last_column)):
                row[x] = WALL
    walled = ["".join(row) for row in closed]
    gaps = sum(row.count(SPACE) for row in rows) - sum(row.count(SPACE) for row in walled)
    if gaps:
        cells = "1 gap" if gaps == 1 else f"{gaps} gaps"
        warn_once(f"tron: map {name!r}: {cells} in its border closed by walls")
    return walled


def check_walled_in(rows: Sequence[str], where: str) -> None:
    """Raise TextError unless all cells of the border are walls."""
    last_row, last_column = len(rows) - 1, len(rows[0]) - 1
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            if (y in (0, last_row) or x in (0, last_column)) and symbol != WALL:
                place = f"row {y + 1}, column {x + 1} {where}"
                raise TextError(f"tron: {symbol!r} at {place}; the border must be all {WALL!r}")


def find_one(rows: Sequence[str], symbol: str, where: str) -> int | None:
    """Return the cell of a symbol, or None; raise TextError if it occurs more than once."""
    cell = None
    for y, row in enumerate(rows):
        for x, here in enumerate(row):
            if here == symbol:
                if cell is not None:
                    place = f"row {y + 1}, column {x + 1} {where}"
                    raise TextError(f"tron: a second {symbol!r} at {place}")
                cell = y * len(row) + x
    return cell


def room(width: int, height: int, obstacles: int, random: Random) -> Terrain:
    """Return a room with walls on `obstacles` percent of its inside, or fewer if they do not fit.

    The walls are point-symmetric, cut no cell off, and leave both corners to start from free.
    """
    last = width * height - 1
    inside = [cell for cell in range(last) if _is_inside(cell, width, height)]
    corners = inside[0], last - inside[0]
    free = set(inside)
    pairs = [cell for cell in inside if cell < last - cell and cell != corners[0]]
    wanted = len(inside) * obstacles // 200
    for cell in random.sample(pairs, len(pairs)):
        if wanted > 0 and _can_fill(free, cell, width):
            free.remove(cell)
            if _can_fill(free, last - cell, width):
                free.remove(last - cell)
                wanted -= 1
            else:
                free.add(cell)
    symbols = [SPACE if cell in free else WALL for cell in range(last + 1)]
    if corners[0] != corners[1]:
        symbols[corners[0]], symbols[corners[1]] = tuple(PLAYERS)
    rows = ("".join(symbols[begin : begin + width]) for begin in range(0, last, width))
    return Terrain(tuple(rows))


def _is_inside(cell: int, width: int, height: int) -> bool:
    return 0 < cell // width < height - 1 and 0 < cell % width < width - 1


def _can_fill(free: set[int], cell: int, width: int) -> bool:
    """Return whether a cell's free neighbours stay connected if it becomes a wall.

    That is so if the ring of eight cells round it has at most one stretch of free cells that a
    rider can enter from it; the sum counts these stretches.
    """
    above, below = cell - width, cell + width
    ring = [above, above + 1, cell + 1, below + 1, below, below - 1, cell - 1, above - 1]
    is_free = [near in free for near in (*ring, above)]
    stretches = (is_free[k] and not (is_free[k + 1] and is_free[k + 2]) for k in (0, 2, 4, 6))
    return sum(stretches) <= 1
