"""The fewest moves home, level by level: for puzzles that deepening cannot finish.

All positions that can be reached in one move, in two moves and so on are listed, each once. That
takes longer than deepening where solutions are short, but it meets every position only once: it
finds the longest solutions, and proves that there is none when no new position is left. A bit
for every way to place the robots says whether it was met, the helpers in ascending order.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import highest
from plyground.compile import Words, helper, loop, prefetch
from plyground.control import NODE_LIMIT, NODES, STOP, is_late
from plyground.games.robots.deepening import TOO_LONG, UNSOLVABLE
from plyground.games.robots.relaxation import folded, unfolded
from plyground.games.robots.sliding import CELLS, HOUSE, ROBOTS
from plyground.games.robots.workspace import (
    RobotsWorkspace,
    action_of,
    fold_of,
    lift,
    place_robots,
    put,
    stop_in,
    stops,
)

Keys = NDArray[np.uint32]
KEYS = np.dtype(np.uint32)
SPACE_BITS = 32
"""A position's places must fit in so many bits."""
PART, BLOCK = 1 << 14, 16
"""States that are expanded between two looks at the clock, and those that wait for memory."""


@helper
def place_bits(work):
    """Return how many bits a robot's place takes."""
    return highest(work.places - 1) + 1


@helper
def packed(work, moved, cell):
    """Return the key of the position once a robot has moved to a cell."""
    bits = place_bits(work)
    key = folded(cell if moved == 0 else work.placed[0], work.fold)
    below = np.int64(-1)
    for _ in range(1, work.robots):  # the next larger place; no two are the same
        smallest = np.int64(1 << 20)
        for robot in range(1, work.robots):
            place = folded(cell if robot == moved else work.placed[robot], work.fold)
            if below < place < smallest:
                smallest = place
        key = key << bits | smallest
        below = smallest
    return key


@helper
def unpack(work, key):
    """Put the robots where a key has them; there were others before."""
    bits = place_bits(work)
    for robot in range(work.robots):
        lift(work, work.placed[robot])
    for robot in range(work.robots - 1, -1, -1):
        work.placed[robot] = unfolded(key & ((1 << bits) - 1), work.fold)
        lift(work, work.placed[robot])
        key >>= bits


@helper
def list_moves(work, cells, out, count):
    """Write the keys after every move; return how many there are, after `count` others."""
    for robot in range(work.robots):
        ends = stops(work, cells, work.placed[robot])
        for direction in range(4):
            after = stop_in(ends, direction)
            if after != work.placed[robot]:
                out[count] = packed(work, robot, after)
                count += 1
    return count


@loop("i8(workspace, setup, keys, words, keys)", workspace=RobotsWorkspace, keys=KEYS)
def expand(work, setup, level, seen, out):
    """Write the new positions that are one move away from a level's; return their number."""
    cells = setup[CELLS:]
    work.control[NODES] += len(level)
    if work.control[NODES] >= work.control[NODE_LIMIT] or is_late(work.control):
        work.control[STOP] = 1
    count = 0
    for first in range(0, len(level), BLOCK):
        end = count
        for index in range(first, min(first + BLOCK, len(level))):
            unpack(work, np.int64(level[index]))
            end = list_moves(work, cells, out, end)
        for index in range(count, end):
            prefetch(seen, np.int64(out[index]) >> 6)
        for index in range(count, end):
            key = np.int64(out[index])
            if seen[key >> 6] >> (key & 63) & 1 == 0:
                seen[key >> 6] |= 1 << (key & 63)
                out[count] = out[index]
                count += 1
    return count


@loop("i8(workspace, setup, keys, keys, i8)", workspace=RobotsWorkspace, keys=KEYS)
def find_parent(work, setup, level, room, child):
    """Return the index of a position from which one move leads to the child, or -1."""
    cells = setup[CELLS:]
    if is_late(work.control):
        work.control[STOP] = 1
    for index in range(len(level)):
        unpack(work, np.int64(level[index]))
        for at in range(list_moves(work, cells, room, 0)):
            if np.int64(room[at]) == child:
                return index
    return -1


@loop("none(workspace, setup, state, keys, words)", workspace=RobotsWorkspace, keys=KEYS)
def retrace(work, setup, state, way, line):
    """Write the actions that lead from a state along a way of keys."""
    place_robots(work, setup, state)
    cells = setup[CELLS:]
    for ply in range(len(way)):
        wanted = np.int64(way[ply])
        line[ply] = -1
        for robot in range(work.robots):
            before = work.placed[robot]
            ends = stops(work, cells, before)
            for direction in range(4):
                after = stop_in(ends, direction)
                if line[ply] < 0 and packed(work, robot, after) == wanted:
                    put(work, robot, before, after)
                    line[ply] = action_of(work, 4 * robot + direction)


@loop("i8(workspace, setup, state)", workspace=RobotsWorkspace)
def first_key(work, setup, state):
    """Put a state's robots into the workspace; return its key."""
    place_robots(work, setup, state)
    return packed(work, 0, work.placed[0])


LOOPS = (expand, find_parent, retrace, first_key)


def fits(width: int, height: int, robots: int) -> bool:
    """Return whether puzzles of a size are small enough for a bit for every position."""
    return ((height << fold_of(width)) - 1).bit_length() * robots <= SPACE_BITS


def search_levels(
    work: RobotsWorkspace, setup: Words, state: Words, longest: int | None
) -> tuple[int, tuple[int, ...]]:
    """Return the fewest moves and a solution.

    UNSOLVABLE: there is none of at most `longest` moves; TOO_LONG: the search was stopped.
    """
    robots, bits = int(setup[ROBOTS]), (work.places - 1).bit_length()
    seen = np.zeros((1 << bits * robots) + 63 >> 6, np.int64)  # zeros take no time until used
    out = np.empty(4 * robots * PART, KEYS)
    house = folded(int(setup[HOUSE]), work.fold)
    root = int(first_key(work, setup, state))
    seen[root >> 6] |= np.int64(1) << (root & 63)
    levels = [np.array([root], KEYS)]
    while len(levels[-1]) and len(levels) <= (longest or inf):
        level, found = levels[-1], []
        for at in range(0, len(level), PART):
            part = level[at : at + PART]
            found.append(out[: expand(work, setup, part, seen, out)].copy())
            if work.control[STOP]:
                return TOO_LONG, ()
        level = np.concatenate(found)
        home = np.flatnonzero(level >> bits * (robots - 1) == house)
        if len(home):
            line = _line(work, setup, state, levels, int(level[home[0]]))
            return (len(line), line) if line else (TOO_LONG, ())
        levels.append(level)
    return UNSOLVABLE, ()


def _line(
    work: RobotsWorkspace, setup: Words, state: Words, levels: list[Keys], last: int
) -> tuple[int, ...]:
    """Go back from the last position through the levels, and return the actions forward.

    () if the search was stopped on the way.
    """
    way, room = [last], np.empty(4 * int(setup[ROBOTS]), KEYS)
    for level in reversed(levels[1:]):
        for at in range(0, len(level), PART):
            index = find_parent(work, setup, level[at : at + PART], room, way[-1])
            if index >= 0 or work.control[STOP]:
                break
        if work.control[STOP]:
            return ()
        way.append(int(level[at + index]))
    line = np.empty(len(way), np.int64)
    retrace(work, setup, state, np.array(way[::-1], KEYS), line)
    return tuple(line.tolist())
