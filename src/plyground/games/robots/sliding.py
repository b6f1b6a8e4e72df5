"""How a game of Robot Reboot lies in words, and how robots slide.

Boards have up to 32 by 32 cells, and 1 to 8 robots. A cell is `32 * row + column`, row 0 in the
north, whatever the board's width. Setup: width, height, robots, the target robot, its house, cap,
rounds, two words for games of several rounds (see `rounds`), then one for each of the 32 * height
cells:

    bits 0-9, 10-19, 20-29, 30-39   where a slide to N, E, S, W ends if no robot is in the way
    bits 40-43                      walls in the N, E, S, W
    bits 44-53                      the bound: fewest moves to the house if one could stop at will

State: moves made in this round, then each robot's cell.
"""

from __future__ import annotations

from plyground.compile import Words, helper

(
    WIDTH, HEIGHT, ROBOTS, TARGET, HOUSE, CAP, ROUNDS, ROOM, HOUSES, CELLS,
) = range(10)  # fmt: skip
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
    """Return the cell in which a robot stops; its own where something is right beside it."""
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
    """Return the legal actions as bits: no wall beside the robot, and no other robot."""
    if setup[ROBOTS] == USUAL:
        return movable_among(setup, state, USUAL)
    return movable_among(setup, state, setup[ROBOTS])


@helper
def movable_among(setup: Words, state: Words, robots: int) -> int:
    """Return which of so many robots can move where.

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
