"""Maps drawn as text, chosen by name or read from a file; errors name the row and the column."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plyground.errors import TextError, UnknownNameError
from plyground.text import counted, shortened

LARGEST_FILE = 65536


def find_map(game: str, source: str, named: Mapping[str, str]) -> list[str]:
    """Return the rows of a map: one of the game's own by name, or a text file by its path."""
    if source in named:
        return named[source].strip("\n").split("\n")
    path = Path(source)
    try:
        if not path.is_file():
            raise UnknownNameError(f"map of {game}", source, named)
        if path.stat().st_size > LARGEST_FILE:
            raise TextError(f"{game}: map file {source!r} is larger than {LARGEST_FILE} bytes")
        return path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    except UnicodeDecodeError:
        raise TextError(f"{game}: map file {source!r} is not text") from None
    except OSError as error:
        raise TextError(
            f"{game}: cannot read map {shortened(source)!r}: {error.strerror}"
        ) from None


def check_rows(game: str, rows: list[str], symbols: str, largest: int) -> None:
    """Check that a map is a rectangle of known symbols, at most `largest` cells wide and high."""
    if not rows or not rows[0]:
        raise TextError(f"{game}: the map is empty")
    if len(rows) > largest or len(rows[0]) > largest:
        size = f"{len(rows[0])} x {len(rows)}"
        raise TextError(f"{game}: the map is {size}; at most {largest} x {largest} are allowed")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            first = f"row 1 has {len(rows[0])}"
            raise TextError(
                f"{game}: row {number} of the map has {counted(len(row), 'cell')}, {first}"
            )
        for column, symbol in enumerate(row, start=1):
            if symbol not in symbols:
                place = f"row {number}, column {column}"
                known = ", ".join(map(repr, symbols))
                raise TextError(f"{game}: {symbol!r} at {place} of the map; allowed: {known}")
