"""The four power-ups: trap, speed, bomb and armor."""

from __future__ import annotations

from typing import Any

from plyground.arithmetic import draw_below
from plyground.compile import helper
from plyground.games.tron.layout import (
    ARMOR,
    BOARD,
    BOMB,
    FRAME,
    HASTE,
    HEADS,
    HEIGHT,
    NONE,
    RANDOM,
    SECOND_HEAD,
    SPEED,
    TRAP,
    WALLS,
    WIDTH,
    WORDS,
    has,
    kind_of,
    put,
    take,
)

TRAPS, TRAP_REACH = 3, 2
BOMB_REACH = 4
MOVES_OF_SPEED = 4
"""For so many moves the owner moves again at once, so that it makes five moves in a row."""


@helper
def trap_cell(setup: Any, state: Any, around: Any, place: Any) -> Any:
    """Return the cell at place 0..24 of the 5x5 square round a cell; -1 if no trap can be there.

    Traps go to free cells on the border of that square.
    """
    down, across = place // 5 - TRAP_REACH, place % 5 - TRAP_REACH
    if max(abs(down), abs(across)) < TRAP_REACH:
        return -1
    frame = setup[FRAME]  # places are numbered on the map before it was turned
    if frame & 1:
        across = -across
    if frame & 2:
        down = -down
    if frame & 4:
        down, across = across, down
    width = setup[WIDTH]
    row, column = around // width + down, around % width + across
    if row < 0 or column < 0 or row >= setup[HEIGHT] or column >= width:
        return -1
    cell = row * width + column
    is_space = has(state, BOARD, cell) == 0 and kind_of(setup, state, cell) == NONE
    return cell if is_space else -1


@helper
def lay_traps(setup: Any, state: Any, around: Any) -> None:
    """Put up to three barriers on random free cells of the border of the 5x5 round a cell."""
    spaces = 0
    for place in range(25):
        spaces += trap_cell(setup, state, around, place) >= 0
    for _ in range(min(spaces, TRAPS)):
        chosen = draw_below(state, RANDOM, spaces)
        for place in range(25):
            cell = trap_cell(setup, state, around, place)
            if cell >= 0:
                if chosen == 0:
                    put(state, BOARD, cell)
                chosen -= 1
        spaces -= 1


@helper
def explode(setup: Any, state: Any, around: Any) -> None:
    """Clear every barrier in the 9x9 square round a cell."""
    width, height = setup[WIDTH], setup[HEIGHT]
    row, column = around // width, around % width
    for down in range(max(row - BOMB_REACH, 1), min(row + BOMB_REACH + 1, height - 1)):
        for across in range(max(column - BOMB_REACH, 1), min(column + BOMB_REACH + 1, width - 1)):
            cell = down * width + across
            if has(setup, WALLS, cell) == 0:
                take(state, BOARD, cell)
    put(state, BOARD, state[HEADS])
    put(state, BOARD, state[SECOND_HEAD])


@helper
def collect(setup: Any, state: Any, turn: Any) -> None:
    """Apply the power-up on the cell that a player's head has entered."""
    cell = state[HEADS + turn]
    kind = kind_of(setup, state, cell)
    if kind == NONE:
        return
    for plane in range(1, 4):
        take(state, BOARD + plane * setup[WORDS], cell)
    if kind == TRAP:
        lay_traps(setup, state, state[HEADS + 1 - turn])
    elif kind == SPEED:
        state[HASTE + turn] = MOVES_OF_SPEED
    elif kind == BOMB:
        explode(setup, state, cell)
    else:
        state[ARMOR] |= 1 << turn


@helper
def breaks_through(setup: Any, state: Any, turn: Any, cell: Any) -> Any:
    """Return whether armor lets a player enter a taken cell: a barrier, but no wall and no head."""
    armored = (state[ARMOR] >> turn) & 1 == 1
    return armored and has(setup, WALLS, cell) == 0 and cell != state[HEADS + 1 - turn]
