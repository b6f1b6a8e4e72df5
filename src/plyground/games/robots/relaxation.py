"""Lower bounds from a puzzle of two robots: the target robot and the one that last stops it.

After the last time that a robot stops the target robot, it goes home by walls alone. Until then
both it and the robot that is to stop it are let stop wherever they like, and the other robots are
forgotten. What is left can be solved for all places of the two at once, by sets of cells as bits:

    alone[t]        the fewest moves from t to the house with stops at walls only
    pairs[k][t]     the helpers' cells from which a helper may stop the target robot, which is on t,
                    so that the house is reached in at most k moves of both

A position with the target robot on t needs more than k moves if alone[t] > k and no helper is in
pairs[k][t].

Here a cell is `row << fold | column`, with a fold of 4 or 5: sets of 16 x 16 cells have 4 words.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest
from plyground.compile import helper
from plyground.games.robots.sliding import CELL_BITS, CELL_MASK, NORTH, STRIDE, WALL_SHIFT, WEST

NEVER = 1 << 20
BIT = np.int64(1)
STEPS = np.array([-STRIDE, 1, STRIDE, -1])


@helper
def folded(cell, fold):
    """Return a cell's place in the sets."""
    return cell >> 5 << fold | cell & 31


@helper
def unfolded(place, fold):
    """Return the cell of a place in the sets."""
    return place >> fold << 5 | place & ((1 << fold) - 1)


@helper
def is_place(work, place, width):
    """Return whether a place is on the board, not beside it."""
    return place & ((1 << work.fold) - 1) < width


@helper
def measure_alone(work, cells, house, width):
    """Write each place's distance from home by walls alone; return the largest."""
    for place in range(work.places):
        work.alone[place] = NEVER
    work.alone[folded(house, work.fold)] = 0
    moves = 0
    grows = True
    while grows:
        grows = False
        for place in range(work.places):
            if work.alone[place] == NEVER and is_place(work, place, width):
                word = cells[unfolded(place, work.fold)]
                for direction in range(4):
                    stop = word >> (CELL_BITS * direction) & CELL_MASK
                    if work.alone[folded(stop, work.fold)] == moves:
                        work.alone[place] = moves + 1
                        grows = True
        moves += 1
    return moves - 1


@helper
def find_segments(work, cells, width, words):
    """Number the stretches of cells without a wall between them, first in rows, then in columns.

    `segments` gets each place's two numbers, `sets` each segment's places.
    """
    count = 0
    height = work.places >> work.fold
    for vertical in range(2):
        side = NORTH if vertical else WEST
        for outer in range(width if vertical else height):
            for inner in range(height if vertical else width):
                place = inner << work.fold | outer if vertical else outer << work.fold | inner
                if cells[unfolded(place, work.fold)] >> (WALL_SHIFT + side) & 1:
                    for word in range(words):
                        work.sets[count * words + word] = 0
                    count += 1
                work.segments[vertical * work.places + place] = count - 1
                work.sets[(count - 1) * words + (place >> 6)] |= BIT << (place & 63)
    return count


@helper
def add_last_stops(work, cells, width, words, level):
    """Add the helpers that stop the target robot where it has level - 1 moves to go by walls."""
    for place in range(work.places):
        if work.alone[place] == level - 1 and is_place(work, place, width):
            stop = unfolded(place, work.fold)
            for direction in range(4):
                if cells[stop] >> (WALL_SHIFT + direction) & 1:
                    continue
                blocker = folded(stop + STEPS[direction], work.fold)
                back = direction ^ 2
                first = cells[stop] >> (CELL_BITS * back) & CELL_MASK
                cell = stop
                while cell != first:
                    cell += STEPS[back]
                    at = (level * work.places + folded(cell, work.fold)) * words
                    work.pairs[at + (blocker >> 6)] |= BIT << (blocker & 63)


@helper
def add_target_moves(work, width, words, count, level):
    """Begin a level's sets with those of the places to which the target robot can move."""
    before = (level - 1) * work.places * words
    for at in range(count * words):
        work.unions[at] = 0
    for place in range(work.places):  # the places of a segment have the same moves in it
        if is_place(work, place, width):
            for vertical in range(2):
                union = work.segments[vertical * work.places + place] * words
                for word in range(words):
                    work.unions[union + word] |= work.pairs[before + place * words + word]
    for place in range(work.places):
        at = (level * work.places + place) * words
        row = work.segments[place] * words
        column = work.segments[work.places + place] * words
        for word in range(words):
            both = work.unions[row + word] | work.unions[column + word]
            work.pairs[at + word] = both if is_place(work, place, width) else 0


@helper
def add_helper_moves(work, words, level, place):
    """Add the places from which a helper can move to one that is new in the set before."""
    size = work.places * words
    now = level * size + place * words
    for word in range(words):
        new = work.pairs[now - size + word]
        if level > 1:
            new &= ~work.pairs[now - 2 * size + word]
        for vertical in range(2):
            left = new
            while left != 0:
                segment = work.segments[vertical * work.places + 64 * word + lowest(left)] * words
                left &= ~work.sets[segment + word]
                for other in range(words):
                    work.pairs[now + other] |= work.sets[segment + other]


@helper
def begin_bounds(work, cells, house, width):
    """Fill `alone` and `segments`, and the sets of level 0: no helper stops it in no moves."""
    words = (work.places + 63) >> 6
    work.farthest = measure_alone(work, cells, house, width)
    work.stretches = find_segments(work, cells, width, words)
    for at in range(work.places * words):
        work.pairs[at] = 0
    work.level, work.settled = 0, 0


@helper
def add_level(work, cells, width):
    """Add the sets of one more move; they are settled when more moves add nothing to them."""
    words = (work.places + 63) >> 6
    work.level += 1
    level, grows = work.level, False
    add_target_moves(work, width, words, work.stretches, level)
    for place in range(work.places):
        if is_place(work, place, width):
            add_helper_moves(work, words, level, place)
            now = (level * work.places + place) * words
            before = now - work.places * words
            for word in range(words):
                grows |= work.pairs[now + word] != work.pairs[before + word]
    add_last_stops(work, cells, width, words, level)
    work.settled = 0 if grows or level <= work.farthest + 1 else 1
