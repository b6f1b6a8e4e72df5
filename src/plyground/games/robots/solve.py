"""Can a position of one round be solved in time? Iterative deepening to the first solution."""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import mix, random_bit, random_stream
from plyground.compile import Words, helper, loop
from plyground.games.robots.rounds import bound_of
from plyground.games.robots.sliding import CAP, FIRST, HOUSE, ROBOTS, TARGET, movable, slide

UNSOLVABLE, OUT_OF_NODES = -1, -2
BUDGETS, WALKS = tuple(500 << doubled for doubled in range(9)), 8
"""How many nodes a search may cost, try after try, and the searches from elsewhere in each try."""

_KEY = np.uint64(0xFFFFFFFFFFFF0000)
_TARGET = np.uint64(1 << 32)


@helper
def _is_new(setup, state, table, depth, left):  # type: ignore[no-untyped-def]
    """Return whether no line of this depth has been here with as many moves left; remember it."""
    target = setup[TARGET]
    key = mix(_TARGET, state[FIRST + target])
    for robot in range(setup[ROBOTS]):
        if robot != target:  # the others are alike to us, so that their order must not matter
            key += mix(np.uint64(0), state[FIRST + robot])
    entry = np.int64(key & _KEY) | depth << 8 | left
    slot = np.int64(key & np.uint64(len(table) - 1))
    if table[slot] >> 8 == entry >> 8 and table[slot] & 255 >= left:
        return False
    table[slot] = entry
    return True


@loop("i8(setup, state, words2, words, words, i8, i8)")
def _search(setup, start, states, tried, table, limit, nodes):  # type: ignore[no-untyped-def]
    """Return the fewest moves to a solution, or UNSOLVABLE (within `limit`), or OUT_OF_NODES."""
    target, house, robots = setup[TARGET], setup[HOUSE], setup[ROBOTS]
    states[0, :] = start
    for depth in range(1, limit + 1):
        cut = False
        ply = 0
        tried[0] = 0
        while ply >= 0:
            action = tried[ply]
            if action == 4 * robots:
                ply -= 1
                continue
            tried[ply] += 1
            robot = action >> 2
            left = depth - ply - 1
            if ply > 0 and (tried[ply - 1] - 1 ^ action) & ~2 == 0:
                continue  # the same robot to and fro: the second slide alone does as much
            if robot != target and bound_of(setup, states[ply]) > left:
                cut = True
                continue
            stop = slide(setup, states[ply], robot, action & 3)
            if stop == states[ply, FIRST + robot]:
                continue
            if robot == target and stop == house:
                return ply + 1
            nodes -= 1
            if nodes < 0:
                return OUT_OF_NODES
            states[ply + 1, :] = states[ply]
            states[ply + 1, FIRST + robot] = stop
            if bound_of(setup, states[ply + 1]) > left:
                cut = True
            elif _is_new(setup, states[ply + 1], table, depth, left):
                ply += 1
                tried[ply] = 0
        if not cut:
            break
    return UNSOLVABLE


@loop("none(setup, words, random, i8, i8)")
def walk(setup, state, random, actions, moves):  # type: ignore[no-untyped-def]
    """Play so many random moves in place, of the `actions` given as bits; they are not counted."""
    for _ in range(moves):
        free = movable(setup, state) & actions
        if free == 0:
            break
        action = random_bit(random, free)
        state[FIRST + (action >> 2)] = slide(setup, state, action >> 2, action & 3)


def fewest_moves(setup: Words, state: Words, limit: int, nodes: int) -> int:
    """Return the length of a shortest solution, or UNSOLVABLE within `limit`, or OUT_OF_NODES."""
    states = np.empty((limit + 1, len(state)), np.int64)
    table = np.zeros(1 << nodes.bit_length(), np.int64)
    tried = np.empty(limit + 1, np.int64)
    return int(_search(setup, state, states, tried, table, limit, nodes))


def can_be_solved(setup: Words, state: Words, seed: int) -> bool:
    """Look for any solution within the cap, at growing expense; unsure is taken for no.

    From a hard position, one a few random moves away is often easy: it may have a solution where
    the shortest one would take too long to find.
    """
    cap = int(setup[CAP])
    random = random_stream(seed)
    for nodes in BUDGETS:
        found = fewest_moves(setup, state, cap, nodes)
        if found != OUT_OF_NODES:
            return found > 0
        for _ in range(WALKS):
            moved = state.copy()
            walk(setup, moved, random, -1, cap // 2)
            if fewest_moves(setup, moved, cap - cap // 2, nodes) > 0:
                return True
    return False


def can_move(setup: Words, state: Words) -> bool:
    """Return whether any robot can move."""
    moved = state.copy()
    walk(setup, moved, random_stream(0), -1, 1)
    return not np.array_equal(moved, state)
