"""Connect-N as text, on the terminal and as a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from plyground.errors import TextError
from plyground.games.connect_n import rules
from plyground.picture import FAINT, INK, STRIP, Picture, Rows, ink_on
from plyground.text import counted, shortened

SYMBOLS = ".xo"
STYLES = ("blue", "bold red", "bold yellow")
FRAME, HOLE, EDGE = "#8fa3bf", "#ffffff", "#2e3440"

Cells = list[list[int]]
"""Rows from the top down: 0 empty, 1 or 2 the player who has a stone there."""


def cells(setup: list[int], state: list[int]) -> Cells:
    """Return the board of a setup and a state."""
    width, height, words = setup[rules.WIDTH], setup[rules.HEIGHT], setup[rules.WORDS]
    boards = [
        sum(
            (state[rules.STONES + side * words + word] & 0xFFFFFFFFFFFFFFFF) << 64 * word
            for word in range(words)
        )
        for side in range(2)
    ]
    return [
        [
            next((side + 1 for side in range(2) if boards[side] >> bit & 1), 0)
            for bit in range(row, width * (height + 1), height + 1)
        ]
        for row in reversed(range(height))
    ]


def write(board: Cells) -> str:
    """Return rows from the top, joined by `/`, with runs of empty cells as numbers: `7/7/3x3`."""
    lines = ("".join(SYMBOLS[cell] for cell in row) for row in board)
    return "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), line) for line in lines)


def read(text: str, width: int, height: int) -> Cells:
    """Return the board of a text that `write` wrote, or raise TextError with the row and column.

    Empty cells may also be dots.
    """
    lines = text.strip().lower().split("/")
    if len(lines) != height:
        rows = counted(len(lines), "row")
        raise TextError(f"connect_n: {rows} in {shortened(text)!r}; the board has {height}")
    board: Cells = []
    for number, line in enumerate(lines, start=1):
        row: list[int] = []
        for piece in re.findall(r"[0-9]{1,3}|.", line):
            if piece.isdecimal() and int(piece) <= width:
                row += [0] * int(piece)
            elif piece in SYMBOLS:
                row.append(SYMBOLS.index(piece))
            else:
                place = f"row {number}, column {len(row) + 1}"
                raise TextError(f"connect_n: {piece!r} at {place}; allowed: x, o, . and numbers")
        if len(row) != width:
            raise TextError(
                f"connect_n: row {number} has {counted(len(row), 'cell')}; the board has {width}"
            )
        board.append(row)
    for number, (upper, lower) in enumerate(pairwise(board), start=1):
        for column in range(width):
            if upper[column] and not lower[column]:
                place = f"row {number}, column {column + 1}"
                raise TextError(f"connect_n: there is no stone below the one at {place}")
    return board


def rows(board: Cells, last: int | None) -> Rows:
    """Return the board with its column numbers; the last stone's column is marked."""
    wide = 2 if len(board[0]) < 10 else 3
    lines: Rows = [[(f"{SYMBOLS[cell]:>{wide}}", STYLES[cell]) for cell in row] for row in board]
    numbers = [
        (f"{column + 1:>{wide}}", "bold" if column == last else "dim")
        for column in range(len(board[0]))
    ]
    return [*lines, numbers]


def draw(
    board: Cells,
    last: int | None,
    line: list[tuple[int, int]],
    returns: Sequence[float] | None,
    title: str,
) -> Picture:
    """Return a picture of discs with letters, a ring round the last one and a bar on a line of n.

    A column is one area. Stones are pieces, named by their column and row from the bottom.
    `returns` is None until the game is over.
    """
    width, height = len(board[0]), len(board)
    picture = Picture(width + 0.4, height + 0.9 + STRIP, title, turnable=False)
    picture.panel()
    picture.rectangle(0, 0, width + 0.4, height + 0.4, FRAME, corner=0.3)
    top = next((y for y in range(height) if last is not None and board[y][last]), None)
    for y, row in enumerate(board):
        for x, cell in enumerate(row):
            at = x + 0.7, y + 0.7
            picture.circle(*at, 0.44, HOLE)
            if cell:
                with picture.piece(f"stone-{x}-{height - 1 - y}", *at):
                    colour = picture.colours[cell - 1]
                    picture.circle(0, 0, 0.38, colour, edge=EDGE, line=0.05)
                    picture.text(0, -0.03, SYMBOLS[cell], ink_on(colour), 0.5)
                if x == last and y == top:
                    picture.circle(*at, 0.44, "none", edge=INK, line=0.08)
    if line:
        (x, y), (to_x, to_y) = line[0], line[-1]
        picture.line(x + 0.7, y + 0.7, to_x + 0.7, to_y + 0.7, INK, 0.14)
    for x in range(width):
        picture.text(x + 0.7, height + 0.65, str(x + 1), FAINT, 0.36)
        picture.area(x, x + 0.2, 0, 1, height + 0.9)
    stones = sum(cell > 0 for row in board for cell in row)
    picture.turn(SYMBOLS[1:], stones % 2, returns)
    return picture


def last_stones(board: Cells, side: int, n: int) -> bool:
    """Return whether some stone of `side` on top of a column can have been the last of the game:
    without it the board has no line."""
    for column in range(len(board[0])):
        row = next((y for y in range(len(board)) if board[y][column]), None)
        if row is not None and board[row][column] == side:
            board[row][column] = 0
            before = winning_line(board, n)
            board[row][column] = side
            if not before:
                return True
    return False


def winning_line(board: Cells, n: int) -> list[tuple[int, int]]:
    """Return n cells in a row of one player, as (x, y) from the top left; [] if there are none."""
    height, width = len(board), len(board[0])
    for y in range(height):
        for x in range(width):
            for across, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                line = [(x + across * step, y + down * step) for step in range(n)]
                last_x, last_y = line[-1]
                inside = 0 <= last_x < width and last_y < height
                if board[y][x] and inside and len({board[b][a] for a, b in line}) == 1:
                    return line
    return []
