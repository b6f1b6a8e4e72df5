"""What the solver knows of a board: lines, threats, replies and pairing strategies, on bitboards.

The cells lie as in the rules: bit `column * (height + 1) + row`, over every column an empty bit.
All helpers take boards of either width.

Pairing strategies rest on parity. Number the rows from the top: a column with an even number of
free cells falls into pairs, each with a lower and an upper cell. Whoever answers every stone in a
lower cell with one in the upper cell gets all upper cells, whatever the other does.
"""

from __future__ import annotations

import time

import numpy as np

from plyground.arithmetic import split
from plyground.bitboard import count, load_board, widen
from plyground.compile import Words, helper
from plyground.control import new_control
from plyground.workspace import Workspace

FLOOR, BOARD, LOWER, UPPER, COLUMN, MULTIPLIER, COLUMNS = range(7)
"""The masks: bottom row, all cells, the lower and the upper ones of each pair, the first column
with its empty bit, an odd number that spreads keys, and each column, those in the middle first."""

WIDEST = 16
PHI = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""The golden ratio in 128 bits."""


class SolverWorkspace(Workspace):
    """The memory of a solver for boards of one shape."""

    control: Words
    masks: Words
    table: Words
    order: Words
    """The order in which the moves of every ply are tried."""
    children: Words
    """Of every move of every ply: the stone, the threats it makes, the other's safe replies."""
    width: int
    height: int
    n: int
    cells: int
    slot_bits: int
    tag_shift: int
    """What is left of a key's bits beside those that number its slot in the table."""
    second: int
    third: int
    """How far runs of stones are shifted to make longer ones: 2 in a row, then 3 or 4, then n."""
    cpu_clock: int
    quick: int = 0
    """Whether a quick win is asked for."""
    pause: int = 0
    """The number of nodes at which the search looks whether it must halt."""
    slice_end: int = 0
    """The number of nodes at which the search goes back to Python, to be resumed."""
    halted: int = 0
    line_length: int = 0


def bits_of(width: int, height: int, n: int) -> int:
    """Return how wide boards must be, 64 or 128 bits; 0 where these are not enough."""
    cells, farthest = width * (height + 1), (n - 1) * (height + 2)
    return next((bits for bits in (64, 128) if cells <= bits and farthest < bits), 0)


def workspace(width: int, height: int, n: int, slot_bits: int) -> SolverWorkspace:
    """Make the memory of a solver whose table has 2**slot_bits slots of two entries."""
    bits, stride = bits_of(width, height, n), height + 1
    size, cells = bits // 64, width * height
    floor = sum(1 << column * stride for column in range(width))
    board = floor * ((1 << height) - 1)
    lower = sum(floor << row for row in range(height) if (height - row) % 2 == 0)
    columns = sorted(range(width), key=lambda column: (abs(2 * column - width + 1), column))
    masks = [floor, board, lower, board ^ lower, (1 << stride) - 1, PHI >> (128 - bits) | 1]
    masks += [((1 << height) - 1) << column * stride for column in columns]
    return SolverWorkspace(
        control=new_control(),
        masks=np.array([word for mask in masks for word in split(mask, size)], np.int64),
        table=np.zeros(2 * size << slot_bits, np.int64),
        order=np.empty(WIDEST * cells, np.int64),
        children=np.empty(4 * size * width * cells, np.int64),
        width=width,
        height=height,
        n=n,
        cells=cells,
        slot_bits=slot_bits,
        tag_shift=bits - slot_bits,
        second=min(n - 2, 2),
        third=max(n - 4, 0),
        cpu_clock=getattr(time, "CLOCK_THREAD_CPUTIME_ID", 0),
    )


@helper
def mask(work, which, like):
    """Return one of the masks."""
    return load_board(work.masks, which, like)


@helper
def has_several(board):
    """Return whether more than one bit is set, on a board that is not empty."""
    return bool(board & (board - widen(np.int64(1), board)))


@helper
def has_line(stones, work):
    """Return whether there are n stones in a row."""
    stride = work.height + 1
    second, third = work.second, work.third
    found = stones ^ stones
    for step in (1, stride - 1, stride, stride + 1):
        run = stones & (stones >> step)
        run &= run >> (step * second)
        if third:
            run &= run >> (step * third)
        found |= run
    return bool(found)


@helper
def gaps(stones, step, n):
    """Mark the cells that would complete n in a row in one direction."""
    below, above = stones << step, stones >> step
    two_below, two_above = below & (below << step), above & (above >> step)
    if n == 4:
        return (two_below & ((stones << (3 * step)) | above)) | (
            two_above & ((stones >> (3 * step)) | below)
        )
    if n == 5:
        return (
            (two_below & two_above)
            | (two_below & (stones << (3 * step)) & ((stones << (4 * step)) | above))
            | (two_above & (stones >> (3 * step)) & ((stones >> (4 * step)) | below))
        )
    found = stones ^ stones
    behind = ~found  # so many stones lie behind the gap, and the others before it
    for number in range(n):
        ahead = behind
        for distance in range(1, n - number):
            ahead &= stones >> (distance * step)
        found |= ahead
        behind &= stones << ((number + 1) * step)
    return found


@helper
def winning_cells(stones, stride, n):
    """Mark the cells that would complete n in a row, also taken ones and those off the board."""
    upright = stones << 1
    for distance in range(2, n):
        upright &= stones << distance
    found = upright | gaps(stones, stride - 1, n)
    return found | gaps(stones, stride, n) | gaps(stones, stride + 1, n)


@helper
def threats(stones, taken, work):
    """Mark the free cells that would complete a line."""
    return winning_cells(stones, work.height + 1, work.n) & mask(work, BOARD, stones) & ~taken


@helper
def playable(taken, work):
    """Mark the cells to which the next stone can fall."""
    return (taken + mask(work, FLOOR, taken)) & mask(work, BOARD, taken)


@helper
def safe_replies(taken, danger, work):
    """Mark the moves after which the other, whose winning cells are given, cannot win at once."""
    moves = playable(taken, work)
    forced = moves & danger
    if forced:
        if has_several(forced):
            return forced ^ forced
        moves = forced
    return moves & ~(danger >> 1)


@helper
def mirrored(key, work):
    """Swap left and right."""
    column, stride = mask(work, COLUMN, key), work.height + 1
    image = key ^ key
    for _ in range(work.width):
        image = (image << stride) | (key & column)
        key = key >> stride
    return image


@helper
def highest(own, taken, danger, moves, work):
    """Return an upper bound of the score of the player to move, by pairing; 64 where none is known.

    With an even number of cells left the other answers in the same column, and where a column has
    an odd number of free cells, in another such column. With an odd number one column is left over:
    there a threat of its own, to which answering leads, is enough.
    """
    lower, upper = mask(work, LOWER, own), mask(work, UPPER, own)
    free = mask(work, BOARD, own) & ~taken
    following = playable(taken, work)
    odd = following & upper
    bound = np.int64(64)
    if (work.cells - moves) & 1 == 0:
        if not has_line(own | (free & lower) | odd, work):
            wins = has_line((own ^ taken) | (free & upper & ~following), work)
            bound = np.int64(-1) if wins else np.int64(0)
    elif danger & lower and odd:
        for index in range(work.width):
            column = mask(work, COLUMNS + index, own)
            threat = danger & lower & column
            if threat and odd & column:
                threat &= -threat
                beneath = threat - widen(np.int64(1), own)
                reached = (((free & lower) | odd) & ~column) | (free & upper & column & beneath)
                if not has_line(own | reached, work):
                    over = count(column & ~(threat | beneath))
                    bound = min(bound, -((over + 2) >> 1))
    return bound


@helper
def lowest_claim(own, taken, work):
    """Return a lower bound of the score of the player to move, who has the last move; -64: none.

    It takes a single cell of a column with an odd number of free cells, and answers from then on.
    """
    lower, upper = mask(work, LOWER, own), mask(work, UPPER, own)
    free = mask(work, BOARD, own) & ~taken
    following = playable(taken, work)
    if has_line((own ^ taken) | (free & lower) | (following & upper), work):
        return np.int64(-64)
    return np.int64(1) if has_line(own | (free & upper & ~following), work) else np.int64(0)
