"""Robot Reboot as kernels, for any board up to 32 by 32 and 1 to 8 robots.

A cell is `32 * row + column`, row 0 in the north, whatever the board's width. Setup: width, height,
robots, the target robot, its house, cap, then a word for each of the 32 * height cells:

    bits 0-9, 10-19, 20-29, 30-39   where a slide to N, E, S, W ends if no robot is in the way
    bits 40-43                      walls in the N, E, S, W
    bits 44-53                      the bound: fewest moves to the house if one could stop at will

State: moves made, then each robot's cell. A game is solved as soon as the target robot is in its
house: robots are only ever seen where they stopped.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import mix
from plyground.compile import Planes, Reals, Words, helper, kernel

WIDTH, HEIGHT, ROBOTS, TARGET, HOUSE, CAP, CELLS = range(7)
MOVES, FIRST = range(2)
NORTH, EAST, SOUTH, WEST = range(4)

STRIDE = 32
CELL_BITS, CELL_MASK = 10, 1023
WALL_SHIFT, WALL_MASK = 40, 15
BOUND_SHIFT, UNREACHABLE = 44, 1023
USUAL = 4
"""The usual number of robots, told to the compiler: it makes straight code of loops over it."""


@helper
def slide(setup: Words, state: Words, robot: int, direction: int) -> int:
    """Give the cell in which a robot stops; its own where something is right beside it."""
    if setup[ROBOTS] == USUAL:
        return slide_among(setup, state, robot, direction, USUAL)
    return slide_among(setup, state, robot, direction, setup[ROBOTS])


@helper
def slide_among(setup: Words, state: Words, robot: int, direction: int, robots: int) -> int:
    """Slide among so many robots.

    Cells grow to the east and the south; ~cell grows to the west and the north, so that one
    comparison serves all four directions without a branch.
    """
    cell = state[FIRST + robot]
    turn = ((direction + 1) >> 1 & 1) - 1  # 0 for E and S, -1 for N and W
    vertical = 1 - (direction & 1)
    line = 31 << (5 - 5 * vertical)  # the bits of a cell that a slide cannot change
    step = 1 << (5 * vertical)
    stop = (setup[CELLS + cell] >> (CELL_BITS * direction) & CELL_MASK) ^ turn
    start = cell ^ turn
    for index in range(FIRST, FIRST + robots):
        other = state[index]
        ahead = other ^ turn
        before = ahead - step
        if (((other ^ cell) & line) == 0) & (ahead > start) & (before < stop):
            stop = before
    return stop ^ turn


@helper
def movable(setup: Words, state: Words) -> int:
    """Give the legal actions as bits: no wall beside the robot, and no other robot."""
    if setup[ROBOTS] == USUAL:
        return movable_among(setup, state, USUAL)
    return movable_among(setup, state, setup[ROBOTS])


@helper
def movable_among(setup: Words, state: Words, robots: int) -> int:
    """Say which of so many robots can move where.

    Where a row's last cell and the next row's first look like neighbours, both have a wall there.
    """
    blocked = 0
    for robot in range(robots):
        cell = state[FIRST + robot]
        blocked |= (setup[CELLS + cell] >> WALL_SHIFT & WALL_MASK) << (4 * robot)
        for other in range(robot):
            apart = state[FIRST + other] - cell
            if (apart == 1) | (apart == -1) | (apart == STRIDE) | (apart == -STRIDE):
                if apart == 1:
                    side = EAST
                elif apart == -1:
                    side = WEST
                else:
                    side = SOUTH if apart > 0 else NORTH
                blocked |= 1 << (4 * robot + side) | 1 << (4 * other + (side ^ 2))
    return ~blocked & ((1 << (4 * robots)) - 1)


@helper
def is_solved(setup: Words, state: Words) -> bool:
    """Say whether the target robot is in its house."""
    return state[FIRST + setup[TARGET]] == setup[HOUSE]


@helper
def bound_of(setup: Words, state: Words) -> int:
    """Give the target robot's bound; UNREACHABLE where the walls keep it from its house."""
    return setup[CELLS + state[FIRST + setup[TARGET]]] >> BOUND_SHIFT


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
    """List the bits that are set; give their number."""
    count = 0
    for action in range(4 * robots):
        out[count] = action  # counted only where it is legal: no branch to mispredict
        count += free >> action & 1
    return count


@kernel("play")
def play(setup: Words, state: Words, action: int) -> None:
    robot = action >> 2
    state[FIRST + robot] = slide(setup, state, robot, action & 3)
    state[MOVES] += 1


@kernel("over")
def over(setup: Words, state: Words) -> bool:
    """Only a first position can be stuck: a robot that has slid can slide back."""
    if is_solved(setup, state) or state[MOVES] >= setup[CAP]:
        return True
    return state[MOVES] == 0 and movable(setup, state) == 0


@kernel("returns")
def returns(setup: Words, state: Words, out: Reals) -> None:
    moves = state[MOVES] if is_solved(setup, state) else setup[CAP]
    out[0] = 1.0 - 2.0 * moves / setup[CAP]


@kernel("key")
def key(setup: Words, state: Words) -> np.uint64:
    hashed = np.uint64(0)
    for robot in range(setup[ROBOTS]):
        hashed = mix(hashed, state[FIRST + robot])
    return hashed


# Symmetry ---------------------------------------------------------------------------------------


@helper
def image_cell(setup: Words, cell: int, symmetry: int) -> int:
    """Bit 0 of a symmetry swaps east and west, bit 1 north and south, then bit 2 rows and columns.

    The last goes with square boards only.
    """
    row, column = cell >> 5, cell & 31
    if symmetry & 1:
        column = setup[WIDTH] - 1 - column
    if symmetry & 2:
        row = setup[HEIGHT] - 1 - row
    return column << 5 | row if symmetry & 4 else row << 5 | column


@helper
def image_direction(direction: int, symmetry: int) -> int:
    """Follow a direction through the same swaps."""
    swapped = symmetry & 1 if direction & 1 else symmetry >> 1 & 1
    turned = direction ^ swapped << 1
    return 3 - turned if symmetry & 4 else turned


@kernel("image")
def image(setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words) -> None:
    for word in range(CELLS + STRIDE * setup[HEIGHT]):
        setup_out[word] = setup[word] if word < CELLS else 0
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


@kernel("image_action")
def image_action(setup: Words, action: int, symmetry: int) -> int:
    return action >> 2 << 2 | image_direction(action & 3, symmetry)


@kernel("encode")
def encode(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Planes of a (2 height - 1) x (2 width - 1) grid with room for walls between the cells:

    the walls, then each robot's place and its house (empty but for the target robot's).
    """
    rows, columns = 2 * setup[HEIGHT] - 1, 2 * setup[WIDTH] - 1
    for row in range(setup[HEIGHT]):
        for column in range(setup[WIDTH]):
            walls = setup[CELLS + STRIDE * row + column] >> WALL_SHIFT
            at = 2 * row * columns + 2 * column
            if column + 1 < setup[WIDTH]:
                out[at + 1] = walls >> EAST & 1
            if row + 1 < setup[HEIGHT]:
                out[at + columns] = walls >> SOUTH & 1
    for robot in range(setup[ROBOTS]):
        cell = state[FIRST + robot]
        plane = (1 + 2 * robot) * rows * columns
        out[plane + 2 * (cell >> 5) * columns + 2 * (cell & 31)] = 1.0
    house = setup[HOUSE]
    plane = (2 + 2 * setup[TARGET]) * rows * columns
    out[plane + 2 * (house >> 5) * columns + 2 * (house & 31)] = 1.0
