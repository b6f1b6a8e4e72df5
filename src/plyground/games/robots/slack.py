"""Positions with few moves to spare: what the target robot can do, and which helpers can matter.

The bound of a cell is the fewest moves home of a robot that could stop at will. A position's slack
is what it has of moves left beyond the bound of the target robot's cell:

    0   only moves of the target robot that lower its bound can help: `follow` tries them
    1   the helpers have one move among them, and it must change a slide that `follow` has met:
        `matters`
    2   the target robot may need two moves of helpers; where it cannot lower its bound without,
        the first of them must change one of its slides or prepare the second: `is_idle`

`seen` is the set of cells in which a robot changes one of the slides of the target robot that were
marked: those that it passes, and the ones behind its stops. It has a word for each row, then one
for each column, in which bit `n + 1` is cell `n`.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import helper
from plyground.games.robots.sliding import BOUND_SHIFT, CELL_MASK, STRIDE
from plyground.games.robots.workspace import (
    MOST_REACHED,
    PLIES,
    action_of,
    lift,
    put,
    stop_in,
    stops,
)

STEPS = np.array([-STRIDE, 1, STRIDE, -1])
"""What one step to the north, east, south and west adds to a cell."""
ALL = np.int64(-1)
"""All helpers, as bits."""


# No slack ----------------------------------------------------------------------------------------


@helper
def finish(work, ply):
    """Keep the line, whose last move is made at this ply; return whether no more are wanted."""
    at = work.found * PLIES
    for move in range(ply + 1):
        work.lines[at + move] = action_of(work, work.line[move])
    work.found += 1
    return work.found == work.wanted


@helper
def follow(work, cells, own, bound, ply, reached, count):
    """Try the moves of the target robot that lower its bound; return -1 once enough is found.

    `own` are the stops from where it begins; it must have been lifted off the board. Otherwise
    return how many cells it came to, after `count` others; the stops from the first of them are
    kept at `reached`.
    """
    deep = ply
    direction = 0
    while True:
        if direction < 4:
            stop = stop_in(own, direction)
            if cells[stop] >> BOUND_SHIFT == bound - 1:
                work.line[deep] = direction
                if bound > 1:
                    work.way[deep] = own
                    deep, bound, direction = deep + 1, bound - 1, 0
                    own = stops(work, cells, stop)
                    continue
                if finish(work, deep):
                    count = -1
                    break
            direction += 1
            continue
        if count < MOST_REACHED:
            work.reached[reached + count] = own
        count += 1
        if deep == ply:
            break
        deep, bound = deep - 1, bound + 1
        own, direction = work.way[deep], work.line[deep] + 1
    return count


# What the target robot's slides depend on --------------------------------------------------------


@helper
def mark(work, met):
    """Add to `seen` what changes the slides from a cell, given with its stops."""
    cell = met & CELL_MASK
    north, south = stop_in(met, 0) >> 5, stop_in(met, 2) >> 5
    east, west = stop_in(met, 1) & 31, stop_in(met, 3) & 31
    work.seen[cell >> 5] |= ((1 << (east - west + 3)) - 1) << west
    work.seen[STRIDE + (cell & 31)] |= ((1 << (south - north + 3)) - 1) << north


@helper
def watch(work, own, reached, count):
    """Make `seen` that of the slides from a cell, and of those that `follow` has met."""
    for line in range(2 * STRIDE):
        work.seen[line] = 0
    mark(work, own)
    for index in range(reached, reached + count):
        mark(work, work.reached[index])


@helper
def is_seen(work, cell):
    """Return 1 if a robot that comes to a cell or leaves it changes a slide, else 0."""
    row, column = cell >> 5, cell & 31
    return (work.seen[row] >> (column + 1) | work.seen[STRIDE + column] >> (row + 1)) & 1


@helper
def any_seen(work, ends):
    """Return 1 if a helper changes a slide with a move, given its cell and its stops, else 0."""
    return (
        is_seen(work, ends & CELL_MASK)
        | is_seen(work, stop_in(ends, 0))
        | is_seen(work, stop_in(ends, 1))
        | is_seen(work, stop_in(ends, 2))
        | is_seen(work, stop_in(ends, 3))
    )


# One move to spare -------------------------------------------------------------------------------


@helper
def lines_of(cell):
    """Return a cell's row and column as two bits."""
    return 1 << (cell >> 5) | 1 << (STRIDE + (cell & 31))


@helper
def lines_met(work, reached, count):
    """Return the rows and columns, as bits, of the cells that `follow` has met; all if too many."""
    if count > MOST_REACHED:
        return -1
    lines = 0
    for index in range(reached, reached + count):
        lines |= lines_of(work.reached[index] & CELL_MASK)
    return lines


@helper
def lines_moved(ends):
    """Return the rows and columns, as bits, of a helper's cell and its stops."""
    north, south = stop_in(ends, 0) >> 5, stop_in(ends, 2) >> 5
    east, west = stop_in(ends, 1) & 31, stop_in(ends, 3) & 31
    lines = 1 << north | 1 << south | 1 << (STRIDE + east) | 1 << (STRIDE + west)
    return lines | lines_of(ends & CELL_MASK)


@helper
def matters(work, cells, before, after, direction, reached, count):
    """Return whether a helper's move changes a way that `follow` has met to a better one.

    Either it comes to lie behind a cell of lower bound, or it leaves the way to one.
    """
    if count > MOST_REACHED:
        return True
    for index in range(reached, reached + count):
        met = work.reached[index]
        cell = met & CELL_MASK
        wanted = (cells[cell] >> BOUND_SHIFT) - 1
        apart = after ^ cell
        if apart != 0 and (apart & 31 == 0 or apart >> 5 == 0):
            vertical = apart & 31 == 0
            if after > cell:
                step = STRIDE if vertical else 1
                seen = after <= stop_in(met, 2 if vertical else 1)
            else:
                step = -STRIDE if vertical else -1
                seen = after >= stop_in(met, 0 if vertical else 3)
            if seen and cells[after - step] >> BOUND_SHIFT == wanted:
                return True
        apart = before ^ cell
        if apart & 31 == 0:
            side = 2 if before > cell else 0
            step = STRIDE if before > cell else -STRIDE
        elif apart >> 5 == 0:
            side = 1 if before > cell else 3
            step = 1 if before > cell else -1
        else:
            continue
        if stop_in(met, side) + step == before:
            stop = stop_in(stops(work, cells, before), side)
            if direction == side:  # it goes ahead of the target robot
                stop -= step
            if cells[stop] >> BOUND_SHIFT == wanted:
                return True
    return False


# Two moves to spare ------------------------------------------------------------------------------


@helper
def helps(work, cell):
    """Return 1 if a helper on a cell would stop the target robot where its bound is lower."""
    row, column, target = cell >> 5, cell & 31, work.placed[0]
    in_row = (row == target >> 5) & (work.row_blockers >> column)
    return (in_row | (column == target & 31) & (work.column_blockers >> row)) & 1


@helper
def any_helps(work, ends):
    """Return 1 if a helper would do so on one of its stops, else 0."""
    return (
        helps(work, stop_in(ends, 0))
        | helps(work, stop_in(ends, 1))
        | helps(work, stop_in(ends, 2))
        | helps(work, stop_in(ends, 3))
    )


@helper
def find_blockers(work, cells, own, bound):
    """Find the cells on which a helper `helps`, and the lines along which one can come there."""
    in_row, in_column = 0, 0
    target = own & CELL_MASK
    for direction in range(4):
        stop, step = stop_in(own, direction), STEPS[direction]
        cell = target
        while cell != stop:
            cell += step
            if cells[cell] >> BOUND_SHIFT < bound:
                if direction & 1:
                    in_row |= 1 << (cell + step & 31)
                else:
                    in_column |= 1 << (cell + step >> 5)
    work.row_blockers, work.column_blockers = in_row, in_column
    work.rows, work.columns = in_column | 1 << (target >> 5), in_row | 1 << (target & 31)


@helper
def prepare_idle(work, cells, own, bound, ply):
    """Make ready for `is_idle`; return the helpers that may help with their next move, as bits.

    ALL if `is_idle` must not be asked: the target robot, which must have been lifted off the board,
    can lower its bound without them, or there are too many ways to go.
    """
    reached = MOST_REACHED * ply
    count = 0
    target = own & CELL_MASK
    for direction in range(4):
        stop = stop_in(own, direction)
        away = cells[stop] >> BOUND_SHIFT
        if away < bound:
            return ALL
        if away == bound and stop != target:  # after this move it has no slack
            onward = stops(work, cells, stop)
            count = follow(work, cells, onward, bound, ply + 1, reached, count)
    if count > MOST_REACHED:
        return ALL
    find_blockers(work, cells, own, bound)
    watch(work, own, reached, np.int64(0))
    lift(work, target)
    ready = 0
    for robot in range(1, work.robots):
        cell = work.placed[robot]
        soon = is_seen(work, cell)  # it leaves the way
        work.near[robot] = 0
        if (work.columns >> (cell & 31) | work.rows >> (cell >> 5)) & 1:
            work.near[robot] = lines_of(cell)
            soon |= any_helps(work, stops(work, cells, cell))
        ready |= soon << robot
    lift(work, target)
    for index in range(reached, reached + count):
        mark(work, work.reached[index])
    return ready


@helper
def lines_near(work, robot):
    """Return the lines of the other helpers that could come to where they help along them."""
    lines = 0
    for other in range(1, work.robots):
        lines |= 0 if other == robot else work.near[other]
    return lines


@helper
def are_idle(work, ends, near):
    """Return whether all moves of a helper are idle, as far as can be said without trying them."""
    north, south = stop_in(ends, 0) >> 5, stop_in(ends, 2) >> 5
    east, west = stop_in(ends, 1) & 31, stop_in(ends, 3) & 31
    turns = work.columns >> east | work.columns >> west | work.rows >> north | work.rows >> south
    return (turns | any_seen(work, ends)) & 1 == 0 and lines_moved(ends) & near == 0


@helper
def is_idle(work, cells, robot, before, after, direction, near):
    """Return whether after a helper's move no helper's next move can help the target robot.

    The move changes none of its slides, neither those from its cell nor those after one move that
    keeps its bound; and neither does this helper then come to a cell where it helps, nor do others
    whose slides this move has changed.
    """
    if is_seen(work, before) | is_seen(work, after):
        return False
    turn = work.columns >> (after & 31) if direction & 1 else work.rows >> (after >> 5)
    if turn & 1:
        ends = stops(work, cells, after)
        side = direction & 1 ^ 1
        if helps(work, stop_in(ends, side)) | helps(work, stop_in(ends, side + 2)):
            return False
    lines = (lines_of(before) | lines_of(after)) & near
    found = 0
    if lines:
        put(work, robot, before, after)
        for other in range(1, work.robots):
            if other != robot and work.near[other] & lines:
                found |= any_helps(work, stops(work, cells, work.placed[other]))
        put(work, robot, after, before)
    return found == 0
