"""Heuristics on bitboards: shifting and joining the words of a set makes it grow by one step.

Values are shares of the board, so that they lie strictly within -1..1. A pending action of the
first player counts as played; if it crashes, that player's head is NOWHERE and owns no cells.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.arithmetic import popcount
from plyground.compile import Reals, Words, helper, kernel, pointer
from plyground.game import Evaluator, Game
from plyground.games.tron.layout import (
    BOARD,
    HEADS,
    HEIGHT,
    PENDING,
    SECOND_HEAD,
    STEPS,
    UNKNOWN,
    WIDTH,
    WORDS,
    has,
)

NOWHERE = -1
ZERO, ONE, S63, S64 = np.uint64(0), np.uint64(1), np.uint64(63), np.uint64(64)
EMPTY = (ZERO, ZERO, ZERO)
UNROLLED = 25
"""Boards of at most so many words (40 x 40) are kept in registers; larger ones in an array."""


@helper
def first_head(setup, state):
    """Return the first player's head, moved by its pending action if there is one."""
    pending = state[PENDING]
    if pending == 0 or pending == UNKNOWN:
        return state[HEADS]
    cell = state[HEADS] + setup[STEPS + pending - 1]
    return NOWHERE if has(state, BOARD, cell) else cell


# Territories ------------------------------------------------------------------------------------
#
# A lane is one word of each of three boards: the first player's cells, the second's, and the free
# cells that nobody has reached yet. A cell that both reach at the same step belongs to both, and
# both grow on from it: cells behind it at equal distances belong to both too.


@helper
def grown(before, word, after, width):
    """Return one word of a set grown by one step; `before` and `after` are its other words."""
    beside = word << ONE | word >> ONE | before >> S63 | after << S63
    above = word >> width | after << (S64 - width)
    return beside | above | word << width | before >> (S64 - width)


@helper
def lane_at(state, words, word, first, second):
    """Return a lane in which each player has only its head."""
    if word >= words:
        return EMPTY
    own = ONE << np.uint64(first & 63) if first >> 6 == word else ZERO
    other = ONE << np.uint64(second & 63) if second >> 6 == word else ZERO
    return own, other, ~(np.uint64(state[BOARD + word]) | own | other)


@helper
def step(before, lane, after, width):
    """Return a lane after both players took the free cells next to theirs."""
    own = grown(before[0], lane[0], after[0], width) & lane[2]
    other = grown(before[1], lane[1], after[1], width) & lane[2]
    return lane[0] | own, lane[1] | other, lane[2] & ~(own | other)


@helper
def count(lane):
    """Return the number of cells of the first player alone << 16 | those of the second alone."""
    own, other = np.int64(lane[0] & ~lane[1]), np.int64(lane[1] & ~lane[0])
    return popcount(own) << 16 | popcount(other)


@helper
def small_lanes(setup, state, first, second):
    """Return the lanes of both territories, fully grown, on a board of three words."""
    width = np.uint64(setup[WIDTH])
    low = lane_at(state, 3, 0, first, second)
    middle = lane_at(state, 3, 1, first, second)
    high = lane_at(state, 3, 2, first, second)
    while True:
        new_low = step(EMPTY, low, middle, width)
        new_middle = step(low, middle, high, width)
        new_high = step(middle, high, EMPTY, width)
        taken = (new_low[2] ^ low[2]) | (new_middle[2] ^ middle[2]) | (new_high[2] ^ high[2])
        low, middle, high = new_low, new_middle, new_high
        if taken == ZERO:
            return low, middle, high


@helper
def five_lanes(state, words, word, first, second):
    return (
        lane_at(state, words, word, first, second),
        lane_at(state, words, word + 1, first, second),
        lane_at(state, words, word + 2, first, second),
        lane_at(state, words, word + 3, first, second),
        lane_at(state, words, word + 4, first, second),
    )


@helper
def step_five(before, lanes, after, width):
    return (
        step(before, lanes[0], lanes[1], width),
        step(lanes[0], lanes[1], lanes[2], width),
        step(lanes[1], lanes[2], lanes[3], width),
        step(lanes[2], lanes[3], lanes[4], width),
        step(lanes[3], lanes[4], after, width),
    )


@helper
def free_in(lanes):
    """Return the number of free cells of five lanes."""
    free = popcount(np.int64(lanes[0][2])) + popcount(np.int64(lanes[1][2]))
    free += popcount(np.int64(lanes[2][2])) + popcount(np.int64(lanes[3][2]))
    return free + popcount(np.int64(lanes[4][2]))


@helper
def count_five(lanes):
    low = count(lanes[0]) + count(lanes[1]) + count(lanes[2])
    return low + count(lanes[3]) + count(lanes[4])


@helper
def large_lanes(setup, state, first, second):
    """Return the lanes of both territories, fully grown, on a board of up to UNROLLED words."""
    width, words = np.uint64(setup[WIDTH]), setup[WORDS]
    a = five_lanes(state, words, 0, first, second)
    b = five_lanes(state, words, 5, first, second)
    c = five_lanes(state, words, 10, first, second)
    d = five_lanes(state, words, 15, first, second)
    e = five_lanes(state, words, 20, first, second)
    left = np.int64(-1)
    while True:
        new_a = step_five(EMPTY, a, b[0], width)
        new_b = step_five(a[4], b, c[0], width) if words > 5 else b
        new_c = step_five(b[4], c, d[0], width) if words > 10 else c
        new_d = step_five(c[4], d, e[0], width) if words > 15 else d
        new_e = step_five(d[4], e, EMPTY, width) if words > 20 else e
        a, b, c, d, e = new_a, new_b, new_c, new_d, new_e
        free = free_in(a) + free_in(b) + free_in(c) + free_in(d) + free_in(e)
        if free == left:
            return a, b, c, d, e
        left = free


@helper
def read_lane(lanes, word):
    return lanes[3 * word], lanes[3 * word + 1], lanes[3 * word + 2]


@helper
def count_many(setup, state, first, second):
    """Return the size of both territories, as `count`, on a board of any number of words."""
    width, words = np.uint64(setup[WIDTH]), setup[WORDS]
    memory = np.empty(3 * words + 3, np.uint64)  # with an empty lane after the last
    lanes = pointer(memory)
    for word in range(words + 1):
        own, other, free = lane_at(state, words, word, first, second)
        lanes[3 * word], lanes[3 * word + 1], lanes[3 * word + 2] = own, other, free
    growing = True
    while growing:
        growing = False
        before = EMPTY
        for word in range(words):
            lane = read_lane(lanes, word)
            own, other, free = step(before, lane, read_lane(lanes, word + 1), width)
            lanes[3 * word], lanes[3 * word + 1], lanes[3 * word + 2] = own, other, free
            growing |= free != lane[2]
            before = lane  # the lane before this step, not after it
    both = 0
    for word in range(words):
        both += count(read_lane(lanes, word))
    return both


@helper
def territory(setup, state, first, second):
    """Return the number of cells that the first head reaches first << 16 | those of the second."""
    if setup[WORDS] == 3:
        low, middle, high = small_lanes(setup, state, first, second)
        return count(low) + count(middle) + count(high)
    if setup[WORDS] > UNROLLED:
        return count_many(setup, state, first, second)
    a, b, c, d, e = large_lanes(setup, state, first, second)
    return count_five(a) + count_five(b) + count_five(c) + count_five(d) + count_five(e)


@kernel("evaluate")
def voronoi(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    both = territory(setup, state, first_head(setup, state), state[SECOND_HEAD])
    first, second = both >> 16, both & 0xFFFF
    out[0] = (first - second) / (setup[WIDTH] * setup[HEIGHT])
    out[1] = (second - first) / (setup[WIDTH] * setup[HEIGHT])


@kernel("evaluate")
def free_cells(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    heads = first_head(setup, state), state[SECOND_HEAD]
    for player in range(2):  # a loop, so that `territory` is inlined once
        first, second = (heads[0], NOWHERE) if player == 0 else (NOWHERE, heads[1])
        both = territory(setup, state, first, second)
        out[player] = (both >> 16 | both & 0xFFFF) / (setup[WIDTH] * setup[HEIGHT])


# Manhattan distances ----------------------------------------------------------------------------


@helper
def free_row(state, start, width):
    """Return a row's free cells as the low bits of a word."""
    word, shift = BOARD + (start >> 6), np.uint64(start & 63)
    bits = np.uint64(state[word]) >> shift
    if shift + np.uint64(width) > S64:
        bits |= np.uint64(state[word + 1]) << (S64 - shift)
    return ~bits & ((ONE << np.uint64(width)) - ONE)


@helper
def bits_below(bound, width):
    """Return a row's first `bound` cells as bits; bounds outside the row are clipped."""
    return (ONE << np.uint64(min(max(bound, 0), width))) - ONE


@helper
def nearer(state, width, height, left, right):
    """Return the number of free cells nearer to the head `left` << 16 | those nearer to `right`.

    `right` must not be left of `left`. Along a row the difference of the two distances never falls:
    first come cells nearer to `left`, then those at equal distance, then those nearer to `right`.
    """
    first = second = 0
    from_column, to_column = left % width, right % width
    apart, middle = to_column - from_column, from_column + to_column
    for row in range(1, height - 1):
        lead = abs(row - right // width) - abs(row - left // width)
        free = free_row(state, row * width, width)
        if lead > apart:
            first_end = second_begin = width
        elif lead < -apart:
            first_end = second_begin = 0
        else:
            first_end = (middle + lead + 1) >> 1 if lead > -apart else 0
            second_begin = ((middle + lead) >> 1) + 1 if lead < apart else width
        first += popcount(np.int64(free & bits_below(first_end, width)))
        second += popcount(np.int64(free & ~bits_below(second_begin, width)))
    return first << 16 | second


@kernel("evaluate")
def manhattan_voronoi(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    width, height = setup[WIDTH], setup[HEIGHT]
    first, second = first_head(setup, state), state[SECOND_HEAD]
    if first == NOWHERE:  # every cell is nearer to the second head than to a cell far away
        both = nearer(state, width, height, second, second + 3 * width * height) >> 16
    elif first % width <= second % width:
        both = nearer(state, width, height, first, second)
    else:
        both = nearer(state, width, height, second, first)
        both = both >> 16 | (both & 0xFFFF) << 16
    both += 1  # the cell of the second head
    if first == state[HEADS]:  # a head with a pending action is on a free cell, counted already
        both += 1 << 16
    own, other = both >> 16, both & 0xFFFF
    out[0] = (own - other) / (width * height)
    out[1] = (other - own) / (width * height)


class Voronoi(Evaluator):
    """Cells that the player reaches first, round walls and barriers, less those of the other."""

    name = "voronoi"
    kernel = voronoi

    def params(self, game: Game) -> Sequence[float]:
        return []


class ManhattanVoronoi(Evaluator):
    """Free cells nearer to the player by Manhattan distance, through walls, less the other's."""

    name = "manhattan_voronoi"
    kernel = manhattan_voronoi

    def params(self, game: Game) -> Sequence[float]:
        return []


class FreeCells(Evaluator):
    """Cells that the player can still reach, with its own, if the other stood still."""

    name = "free_cells"
    kernel = free_cells

    def params(self, game: Game) -> Sequence[float]:
        return []
