"""The symmetries of a map, with the images of cells and directions: 8 on squares, 4 on hexagons.

A symmetry is three bits: 1 mirrors left-right, 2 top-bottom, then 4 swaps x and y. On hexagons only
0, 3, 4 and 7 map neighbours to neighbours; they are numbered 0 to 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import Words, helper, kernel
from plyground.games.sheep.layout import (
    BORDER,
    CELLS,
    COUNTS,
    HEX,
    RANKS,
    SHEEP,
    SIZE,
    STRIDE,
    TABLE,
    WORDS,
)
from plyground.games.sheep.rules import AROUND, FREE, NEAR, PLACE, TURN


@helper
def bits_of(setup: Words, symmetry: int) -> Any:
    """Return the three bits of a numbered symmetry."""
    return symmetry if setup[HEX] == 0 else (symmetry & 1) * 3 + (symmetry >> 1) * 4


@helper
def turned(x: int, y: int, last: int, bits: int) -> Any:
    """Return the image of a place on a grid whose last row and column are `last`."""
    if bits & 1:
        x = last - x
    if bits & 2:
        y = last - y
    return (y, x) if bits & 4 else (x, y)


@helper
def turned_direction(direction: int, bits: int) -> Any:
    """Return the image of a direction from 0 to 7: a place on a 3 x 3 grid without its middle."""
    key = direction + (direction > 3)
    x, y = turned(key % 3, key // 3, 2, bits)
    key = 3 * y + x
    return key - (key > 4)


@helper
def turned_cell(setup: Words, setup_out: Words, cell: int, bits: int) -> Any:
    """Return a cell's number in the image, whose RANKS must be filled already."""
    place = setup[setup[TABLE] + cell * setup[STRIDE] + PLACE]
    x, y = turned(place & 15, place >> 4, setup[SIZE] - 1, bits)
    return setup_out[RANKS + y * setup[SIZE] + x]


@helper
def turn_set(
    setup: Words, setup_out: Words, cells: Words, at: int, out: Words, out_at: int, bits: int
) -> None:
    """Write the image of the set of cells that begins at `cells[at]`."""
    for word in range(setup[WORDS]):
        out[out_at + word] = 0
    for cell in range(setup[CELLS]):
        if (cells[at + (cell >> 6)] >> (cell & 63)) & 1:
            to = turned_cell(setup, setup_out, cell, bits)
            out[out_at + (to >> 6)] |= np.int64(1) << (to & 63)


@kernel("image")
def image(setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words) -> None:
    bits, size, words = bits_of(setup, symmetry), setup[SIZE], setup[WORDS]
    for word in range(setup[TABLE]):
        setup_out[word] = setup[word]
    for place in range(size * size):
        x, y = turned(place % size, place // size, size - 1, bits)
        setup_out[RANKS + y * size + x] = setup[RANKS + place]
    cells = 0
    for place in range(size * size):  # cells are renumbered in the image's reading order
        if setup_out[RANKS + place] >= 0:
            setup_out[RANKS + place] = cells
            cells += 1
    turn_set(setup, setup_out, setup, setup[BORDER], setup_out, setup[BORDER], bits)
    for cell in range(cells):
        to = turned_cell(setup, setup_out, cell, bits)
        table, table_out = setup[TABLE] + cell * setup[STRIDE], setup[TABLE] + to * setup[STRIDE]
        x, y = turned(setup[table + PLACE] & 15, setup[table + PLACE] >> 4, size - 1, bits)
        setup_out[table_out + PLACE] = y * 16 + x
        for word in range(NEAR, setup[STRIDE]):
            setup_out[table_out + word] = 0
        for direction in range(8):
            near = (setup[table + NEAR] >> (direction << 3)) & 255
            near_out = turned_cell(setup, setup_out, near, bits)
            setup_out[table_out + NEAR] |= near_out << (turned_direction(direction, bits) << 3)
            for at in range(AROUND, AROUND + 2 * words, words):
                beside = (setup[table + at + (near >> 6)] >> (near & 63)) & 1
                setup_out[table_out + at + (near_out >> 6)] |= beside << (near_out & 63)
    state_out[TURN] = state[TURN]
    for board in range(FREE, setup[COUNTS], words):
        turn_set(setup, setup_out, state, board, state_out, board, bits)
    for word in range(setup[COUNTS], setup[COUNTS] + ((cells + 7) >> 3)):
        state_out[word] = 0
    for cell in range(cells):
        to = turned_cell(setup, setup_out, cell, bits)
        sheep = (state[setup[COUNTS] + (cell >> 3)] >> ((cell & 7) << 3)) & 255
        state_out[setup[COUNTS] + (to >> 3)] |= sheep << ((to & 7) << 3)


@kernel("image_action")
def image_action(setup: Words, action: int, symmetry: int) -> int:
    bits, size, numbers = bits_of(setup, symmetry), setup[SIZE], setup[SHEEP] - 1
    places = size * size
    if action < places:
        x, y = turned(action % size, action // size, size - 1, bits)
        return int(y * size + x)
    ray = (action - places) // numbers
    sheep = action - places - ray * numbers
    x, y = turned((ray >> 3) % size, (ray >> 3) // size, size - 1, bits)
    ray = (y * size + x) * 8 + turned_direction(ray & 7, bits)
    return int(places + ray * numbers + sheep)
