"""Robot Reboot's kernels, for one round or several; `sliding` describes setup and state.

A round is solved as soon as the target robot stops in its house.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import mix
from plyground.compile import Planes, Reals, Words, helper, kernel
from plyground.games.robots.rounds import (
    GOAL,
    ROUND,
    WORDS,
    bounds_at,
    extra,
    go_on,
    house_at,
    house_of,
    is_solved,
    outcome,
    spent,
    target_of,
)
from plyground.games.robots.sliding import (
    BOUND_SHIFT,
    CAP,
    CELL_BITS,
    CELL_MASK,
    CELLS,
    FIRST,
    HEIGHT,
    HOUSE,
    HOUSES,
    MOVES,
    ROBOTS,
    ROOM,
    ROUNDS,
    STRIDE,
    USUAL,
    WALL_SHIFT,
    WIDTH,
    movable,
    movable_among,
    slide,
)


@kernel("player")
def player(setup: Words, state: Words) -> int:
    return 0


@kernel("legal")
def legal(setup: Words, state: Words, out: Words) -> int:
    if setup[ROBOTS] == USUAL:
        return listed(movable_among(setup, state, USUAL), out, USUAL)
    return listed(movable(setup, state), out, setup[ROBOTS])


@helper
def listed(free: int, out: Words, robots: int) -> int:
    """Write the numbers of the set bits to `out`; return how many they are."""
    count = 0
    for action in range(4 * robots):
        out[count] = action  # always written, but counted only if legal: that needs no branch
        count += free >> action & 1
    return count


@kernel("play")
def play(setup: Words, state: Words, action: int) -> None:
    robot = action >> 2
    state[FIRST + robot] = slide(setup, state, robot, action & 3)
    state[MOVES] += 1
    if setup[ROUNDS] > 1:
        go_on(setup, state)


@kernel("over")
def over(setup: Words, state: Words) -> bool:
    """A solved or lost round is the last one here: otherwise the next has begun already.

    Only a first position can have no move: a robot that has slid can slide back.
    """
    if is_solved(setup, state) or state[MOVES] >= setup[CAP]:
        return True
    return state[MOVES] == 0 and movable(setup, state) == 0


@kernel("returns")
def returns(setup: Words, state: Words, out: Reals) -> None:
    out[0] = outcome(setup, state, state[MOVES], is_solved(setup, state))


@kernel("key")
def key(setup: Words, state: Words) -> np.uint64:
    hashed = np.uint64(0)
    for robot in range(setup[ROBOTS]):
        hashed = mix(hashed, state[FIRST + robot])
    if setup[ROUNDS] > 1:
        for word in range(extra(setup) + GOAL, extra(setup) + WORDS):
            hashed = mix(hashed, state[word])
    return hashed


# Symmetry ---------------------------------------------------------------------------------------


@helper
def image_cell(setup: Words, cell: int, symmetry: int) -> int:
    """Return a cell's image: bit 0 mirrors east-west, bit 1 north-south, then bit 2 swaps rows and
    columns, on square boards only."""
    row, column = cell >> 5, cell & 31
    if symmetry & 1:
        column = setup[WIDTH] - 1 - column
    if symmetry & 2:
        row = setup[HEIGHT] - 1 - row
    return column << 5 | row if symmetry & 4 else row << 5 | column


@helper
def image_direction(direction: int, symmetry: int) -> int:
    """Return a direction's image under a symmetry."""
    swapped = symmetry & 1 if direction & 1 else symmetry >> 1 & 1
    turned = direction ^ swapped << 1
    return 3 - turned if symmetry & 4 else turned


@kernel("image")
def image(setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words) -> None:
    for word in range(CELLS + STRIDE * setup[HEIGHT]):
        setup_out[word] = setup[word] if word < CELLS else 0
    if setup[ROUNDS] == 1:
        setup_out[HOUSE] = image_cell(setup, setup[HOUSE], symmetry)
    for row in range(setup[HEIGHT]):
        for column in range(setup[WIDTH]):
            cell = STRIDE * row + column
            word = setup[CELLS + cell]
            turned = word >> BOUND_SHIFT << BOUND_SHIFT
            for direction in range(4):
                to = image_direction(direction, symmetry)
                stop = image_cell(setup, word >> (CELL_BITS * direction) & CELL_MASK, symmetry)
                turned |= stop << (CELL_BITS * to)
                turned |= (word >> (WALL_SHIFT + direction) & 1) << (WALL_SHIFT + to)
            setup_out[CELLS + image_cell(setup, cell, symmetry)] = turned
    state_out[MOVES] = state[MOVES]
    for robot in range(setup[ROBOTS]):
        state_out[FIRST + robot] = image_cell(setup, state[FIRST + robot], symmetry)
    if setup[ROUNDS] > 1:
        image_rounds(setup, state, symmetry, setup_out, state_out)


@helper
def image_rounds(
    setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words
) -> None:
    """Write the image of what only games of several rounds have: the houses and their bounds."""
    for word in range(extra(setup) + GOAL, extra(setup) + WORDS):
        state_out[word] = state[word]
    for word in range(house_at(setup, 0), bounds_at(setup, setup[ROOM])):
        setup_out[word] = setup[word]
    for number in range(setup[HOUSES]):
        house, bounds = house_at(setup, number), bounds_at(setup, number)
        setup_out[house] = image_cell(setup, setup[house], symmetry)
        for row in range(setup[HEIGHT]):
            for column in range(setup[WIDTH]):
                cell = STRIDE * row + column
                to = image_cell(setup, cell, symmetry)
                setup_out[bounds + to] = setup[bounds + cell]


@kernel("image_action")
def image_action(setup: Words, action: int, symmetry: int) -> int:
    return action >> 2 << 2 | image_direction(action & 3, symmetry)


# Networks ---------------------------------------------------------------------------------------


@helper
def grid_cell(setup: Words, cell: int) -> int:
    """Return a cell's index in a plane, whose rows are as wide as the board."""
    return (cell >> 5) * setup[WIDTH] + (cell & 31)


@kernel("encode")
def encode(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Planes: walls in the north, east, south and west of a cell, the target robot, its house, the
    other robots; then a constant plane, moves / cap. Games of several rounds add two constant
    planes: rounds done / rounds, and moves of earlier rounds / (cap * rounds).
    """
    cells = setup[WIDTH] * setup[HEIGHT]
    several = setup[ROUNDS] > 1
    for row in range(setup[HEIGHT]):
        for column in range(setup[WIDTH]):
            at = row * setup[WIDTH] + column
            walls = setup[CELLS + STRIDE * row + column] >> WALL_SHIFT
            for direction in range(4):
                out[direction * cells + at] = walls >> direction & 1
            out[7 * cells + at] = state[MOVES] / setup[CAP]
            if several:
                out[8 * cells + at] = state[extra(setup) + ROUND] / setup[ROUNDS]
                out[9 * cells + at] = spent(setup, state) / (setup[CAP] * setup[ROUNDS])
    target = target_of(setup, state)
    for robot in range(setup[ROBOTS]):
        plane = 4 if robot == target else 6
        out[plane * cells + grid_cell(setup, state[FIRST + robot])] = 1.0
    out[5 * cells + grid_cell(setup, house_of(setup, state))] = 1.0


@kernel("policy")
def policy(setup: Words, state: Words, action: int, out: Words) -> None:
    """One entry: of four planes, one per direction, the cell of the robot."""
    cells = setup[WIDTH] * setup[HEIGHT]
    out[0] = (action & 3) * cells + grid_cell(setup, state[FIRST + (action >> 2)])
