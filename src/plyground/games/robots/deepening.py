"""The fewest moves that bring the target robot home: iterative deepening with lower bounds.

Moves are tried to a depth that grows by one; the first solutions found are shortest ones. Where few
moves are left beyond the lower bound, `slack` tells which moves can help. Once a search has become
long, the bounds of `relaxation` cut more.

Robot 0 is the target robot here, and the others are alike: their order does not matter to the key.
The table says of positions, by their key, that they have no solution in so many moves. Each search
adds a random number of its own to all keys, so that the table needs no clearing between searches:
what an earlier one left there is not found.

A robot never moves along the same line twice in a row: one slide does as much as two. That holds
with the table too. If a position S was left out one such move, to S', then its parent could move to
S' at once; so what the table says of S is true unless the parent finds a solution.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import helper, loop, pointer, prefetch
from plyground.control import NODES, STOP, UNLIMITED, count_node
from plyground.games.robots.relaxation import NEVER, add_level, begin_bounds, folded
from plyground.games.robots.slack import (
    ALL,
    are_idle,
    finish,
    follow,
    is_idle,
    lines_met,
    lines_moved,
    lines_near,
    lines_of,
    matters,
    prepare_idle,
)
from plyground.games.robots.sliding import BOUND_SHIFT, CELLS, HOUSE, UNREACHABLE, WIDTH
from plyground.games.robots.workspace import (
    HELPER_KEYS,
    LEVELS,
    MOST_CHOICES,
    MOST_REACHED,
    TARGET_KEYS,
    RobotsWorkspace,
    lift,
    place_robots,
    put,
    stop_in,
    stops,
)

UNSOLVABLE, TOO_LONG = -1, -2
"""What `deepen` returns where there is no solution, or none was found."""

LEFT_BITS, SMALLEST_TABLE = 6, 10
"""The bits of an entry that are not its key, and those of the smallest table, which are more."""
SALT = 0x1E3779B97F4A7C15
"""What the salt grows by from one search to the next: any number that is large and odd."""
CROWD = 4
"""Entries of the table for every node of the search so far."""
PATIENCE = 300
"""Nodes after which the bounds of `relaxation` are worth their time."""
LINE = 8
"""Words that come into the cache of the processor together."""


@helper
def set_of(work, cell, left):
    """Return where the set begins of helpers that may still stop the target robot on a cell."""
    place = folded(cell, work.fold)
    return (min(left, work.level) * work.places + place) * ((work.places + 63) >> 6)


@helper
def is_in(work, helpers, cell):
    """Return 1 if a cell is in a set, else 0."""
    place = folded(cell, work.fold)
    return work.pairs[helpers + (place >> 6)] >> (place & 63) & 1


@helper
def helpers_in_time(work, cell, left):
    """Return as bits which helpers may still stop the target robot, on a cell, in time.

    All of them if they need not, because it may go by walls alone, or if no bounds are known.
    """
    known = left <= work.level or work.settled
    if not known or work.alone[folded(cell, work.fold)] <= left:
        return -1
    helpers = set_of(work, cell, left)
    useful = 0
    for robot in range(1, work.robots):
        useful |= is_in(work, helpers, work.placed[robot]) << robot
    return useful


@helper
def choose(work, at, move, after, key):
    """Note a move to be tried, and ask for its entry of the table."""
    choice = work.choices[at]
    choice["move"] = move
    choice["after"] = after
    choice["key"] = key
    prefetch(work.table, key & work.mask)
    return at + 1


@helper
def note(work, key, left):
    """Write down that a position has no solution in so many moves."""
    work.table[key & work.mask]["word"] = key >> LEFT_BITS << LEFT_BITS | left


@helper
def is_new(work, key, left):
    """Return whether a position is not known to have no solution in so many moves; note it."""
    known = work.table[key & work.mask]["word"]
    if (known ^ key) >> LEFT_BITS == 0 and known & ((1 << LEFT_BITS) - 1) >= left:
        return False
    note(work, key, left)
    return True


@helper
def reach(work, cells, key, left, last, ply):
    """Look for solutions of `left` moves, more than the bound; return whether enough were found.

    `last` is twice the robot that moved last, and 1 more if it moved along a row.
    """
    count_node(work.control)
    if work.control[STOP]:
        return True
    target = work.placed[0]
    slack = left - (cells[target] >> BOUND_SHIFT)
    reached = MOST_REACHED * ply
    met, lines, ready = 0, 0, ALL
    lift(work, target)
    ends = stops(work, cells, target)
    if slack == 1:
        met = follow(work, cells, ends, left - 1, ply, reached, 0)
        if met < 0:
            return True
        lines = lines_met(work, reached, met)
    elif slack == 2 and work.level == 0:
        ready = prepare_idle(work, cells, ends, left - 2, ply)
    first = MOST_CHOICES * ply
    end = first
    for direction in range(4):
        after = stop_in(ends, direction)
        bound = cells[after] >> BOUND_SHIFT
        if last == direction & 1 or after == target or bound >= left:
            continue
        work.line[ply] = direction
        if bound == 0:
            if finish(work, ply):
                return True
        elif bound == left - 1:
            onward = stops(work, cells, after)
            if follow(work, cells, onward, bound, ply + 1, 0, MOST_REACHED) < 0:
                return True
        elif helpers_in_time(work, after, left - 1):
            new = key - TARGET_KEYS[target] + TARGET_KEYS[after]
            end = choose(work, end, direction, after, new)
    lift(work, target)
    useful = helpers_in_time(work, target, left - 1)
    helpers = set_of(work, target, left - 1)
    for robot in range(1, work.robots):
        before = work.placed[robot]
        others = useful & ~(1 << robot)
        ends = stops(work, cells, before)
        if slack == 1 and lines_moved(ends) & lines == 0:
            continue
        near = np.int64(0)
        may_idle = ready & ~(1 << robot) == 0
        if may_idle:
            near = lines_near(work, robot)
            if are_idle(work, ends, near):
                for direction in range(4):
                    after = stop_in(ends, direction)
                    new = key - HELPER_KEYS[before] + HELPER_KEYS[after]
                    note(work, new, left - (after != before))  # where it stays: this position
                continue
        for direction in range(4):
            if last == 2 * robot + (direction & 1):
                continue
            after = stop_in(ends, direction)
            if after == before:
                continue
            if slack == 1:
                if lines & (lines_of(before) | lines_of(after)) == 0:
                    continue
                if not matters(work, cells, before, after, direction, reached, met):
                    continue
                work.line[ply] = 4 * robot + direction
                put(work, robot, before, after)
                lift(work, target)
                onward = stops(work, cells, target)
                if follow(work, cells, onward, left - 1, ply + 1, 0, MOST_REACHED) < 0:
                    return True
                lift(work, target)
                put(work, robot, after, before)
            elif others or is_in(work, helpers, after):
                new = key - HELPER_KEYS[before] + HELPER_KEYS[after]
                if may_idle and is_idle(work, cells, robot, before, after, direction, near):
                    note(work, new, left - 1)
                    continue
                end = choose(work, end, 4 * robot + direction, after, new)
    for at in range(first, end):
        choice = work.choices[at]
        move, after, new = choice["move"], choice["after"], choice["key"]
        if is_new(work, new, left - 1):
            robot = move >> 2
            before = work.placed[robot]
            work.line[ply] = move
            put(work, robot, before, after)
            known = work.found
            if reach(work, cells, new, left - 1, 2 * robot + (move & 1), ply + 1):
                return True
            put(work, robot, after, before)
            if work.found > known:  # other ways to here are solutions as well
                work.table[new & work.mask]["word"] = 0
    return False


@loop("i8(workspace, setup, state, i8)", workspace=RobotsWorkspace)
def deepen(work, setup, state, longest):
    """Return the fewest moves home, at most `longest`, or UNSOLVABLE or TOO_LONG.

    The solutions found are in `lines`. TOO_LONG is also what a search returns that was stopped.
    """
    work.found = 0
    work.salt = (work.salt + SALT) & UNLIMITED
    key = place_robots(work, setup, state)
    cells = pointer(setup[CELLS:])
    for at in range(CELLS, len(setup), LINE):
        prefetch(setup, at)
    target = work.placed[0]
    bound = cells[target] >> BOUND_SHIFT
    if bound == 0 or bound == UNREACHABLE:
        return 0 if bound == 0 else UNSOLVABLE
    control = work.control
    bits = SMALLEST_TABLE
    work.level, work.settled = 0, 0
    began = control[NODES]
    for left in range(bound, longest + 1):
        nodes = control[NODES] - began
        if control[STOP] or nodes > work.most_nodes:
            break
        while 1 << bits < CROWD * nodes and 2 << bits <= len(work.table):
            bits += 1
        work.mask = (1 << bits) - 1
        if nodes > PATIENCE:
            if work.level == 0:
                begin_bounds(work, cells, setup[HOUSE], setup[WIDTH])
            while work.level < min(left - 1, LEVELS) and not work.settled:
                add_level(work, cells, setup[WIDTH])
            if work.settled and helpers_in_time(work, target, NEVER - 1) == 0:
                return UNSOLVABLE
        if left == bound:
            count_node(control)
            lift(work, target)
            ends = stops(work, cells, target)
            follow(work, cells, ends, bound, np.int64(0), np.int64(0), np.int64(MOST_REACHED))
            lift(work, target)
        else:
            reach(work, cells, key, np.int64(left), np.int64(-1), np.int64(0))
        if work.found == work.wanted or (work.found and not control[STOP]):
            return left
    return TOO_LONG
