"""Conversion between a board as rows of symbols and the words of setup and state.

`#` wall, `x` barrier, blank: free, `1` and `2` heads, `*` trap, `^` speed, `!` bomb, `@` armor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plyground.arithmetic import split
from plyground.games.tron import layout

WALL, BARRIER, SPACE, PLAYERS, POWERS = "#", "x", " ", "12", "*^!@"
KINDS = {symbol: kind for kind, symbol in enumerate(POWERS, start=layout.TRAP)}
ACTIONS = "UDLR"

Board = list[str]
"""Rows from the top, one symbol per cell."""


def words_for(width: int, height: int) -> int:
    """Return the words of a board: 3 up to 192 cells, else a multiple of 5 (see `evaluate`)."""
    cells = width * height
    return 3 if cells <= 192 else -(-cells // 320) * 5


def _board(cells: Iterable[int], words: int) -> list[int]:
    """Return a set of cells as words."""
    return split(sum(1 << cell for cell in set(cells)), words)


def pack(board: Sequence[str], *, simultaneous: bool, powers: bool) -> tuple[list[int], list[int]]:
    """Return the setup and first state of a board that has both heads on it."""
    width, height = len(board[0]), len(board)
    words = words_for(width, height)
    symbols = "".join(board)
    walls = [cell for cell, symbol in enumerate(symbols) if symbol == WALL]
    taken = [cell for cell, symbol in enumerate(symbols) if symbol in WALL + BARRIER + PLAYERS]
    steps = (-width, width, -1, 1, 0)  # the last is for an action hidden from the observer
    variant = (int(simultaneous), int(powers))
    setup = [width, height, words, *variant, 0, *steps, *_board(walls, words)]
    state = [0] * layout.BOARD + _board(taken, words)
    state[layout.HEADS] = symbols.index(PLAYERS[0])
    state[layout.SECOND_HEAD] = symbols.index(PLAYERS[1])
    if powers:
        for bit in range(3):
            plane = [cell for cell, symbol in enumerate(symbols) if KINDS.get(symbol, 0) >> bit & 1]
            state += _board(plane, words)
    return setup, state


def unpack(setup: Sequence[int], state: Sequence[int]) -> Board:
    """Return the board of a setup and a state."""
    width, height, words = setup[layout.WIDTH], setup[layout.HEIGHT], setup[layout.WORDS]

    def has(source: Sequence[int], first: int, cell: int) -> int:
        return source[first + (cell >> 6)] >> (cell & 63) & 1

    def symbol(cell: int) -> str:
        if cell in heads:
            return PLAYERS[heads.index(cell)]
        if has(state, layout.BOARD, cell):
            return WALL if has(setup, layout.WALLS, cell) else BARRIER
        if setup[layout.POWERS]:
            bits = (has(state, layout.BOARD + plane * words, cell) for plane in (1, 2, 3))
            kind = sum(value << bit for bit, value in enumerate(bits))
            return POWERS[kind - layout.TRAP] if kind else SPACE
        return SPACE

    heads = [state[layout.HEADS], state[layout.SECOND_HEAD]]
    return [
        "".join(symbol(row * width + column) for column in range(width)) for row in range(height)
    ]
