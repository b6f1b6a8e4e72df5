"""Rounds: what to bring home, and the draw of what comes next.

A game of one round has its target robot, its house and the bounds in the setup. In a game of more
rounds the state goes on after the robots with five words: the target robot, the number of its
house, the round (from 0), the moves spent in earlier rounds, and the random stream of draws to
come, which is hidden. The setup says how many houses there is ROOM for and how many HOUSES there
are; after the cells it goes on with the cell and the robot (-1: any) of each house, then for each
house with the bounds of all cells.

A draw takes any house, and for a house of any robot any robot, but none that stands there already
and none whose bound is above the cap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.arithmetic import draw_below, random_below
from plyground.compile import Random, Words, helper, kernel
from plyground.games.robots.sliding import (
    BOUND_SHIFT,
    CAP,
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
    TARGET,
)

GOAL, GOAL_HOUSE, ROUND, SPENT, RANDOM, WORDS = range(6)
"""The words after the robots, and how many they are."""
ANY_ROBOT = -1
DRAWS = 64
"""How often one draws for a house within the cap, before any other stands."""


@helper
def extra(setup: Words) -> int:
    """Return where the words of the round begin in the state."""
    return FIRST + setup[ROBOTS]


@helper
def house_at(setup: Words, number: int) -> int:
    """Return where a numbered house lies in the setup: its cell, then its robot."""
    return CELLS + STRIDE * setup[HEIGHT] + 2 * number


@helper
def bounds_at(setup: Words, number: int) -> int:
    """Return where the bounds of a numbered house begin in the setup."""
    return house_at(setup, setup[ROOM]) + number * STRIDE * setup[HEIGHT]


@helper
def target_of(setup: Words, state: Words) -> int:
    """Return the robot that is to be brought home."""
    return setup[TARGET] if setup[ROUNDS] == 1 else state[extra(setup) + GOAL]


@helper
def house_of(setup: Words, state: Words) -> Any:
    """Return the cell of its house."""
    if setup[ROUNDS] == 1:
        return setup[HOUSE]
    return setup[house_at(setup, state[extra(setup) + GOAL_HOUSE])]


@helper
def bound_at(setup: Words, state: Words, cell: int) -> int:
    """Return the bound of a cell; UNREACHABLE where the walls keep a robot from the house."""
    if setup[ROUNDS] == 1:
        return setup[CELLS + cell] >> BOUND_SHIFT
    number = state[extra(setup) + GOAL_HOUSE]
    return setup[bounds_at(setup, number) + cell]


@helper
def bound_of(setup: Words, state: Words) -> int:
    """Return the target robot's bound."""
    return bound_at(setup, state, state[FIRST + target_of(setup, state)])


@helper
def is_solved(setup: Words, state: Words) -> bool:
    """Return whether the target robot is in its house."""
    return state[FIRST + target_of(setup, state)] == house_of(setup, state)


@helper
def rounds_left(setup: Words, state: Words) -> int:
    """Count the rounds after this one."""
    return 0 if setup[ROUNDS] == 1 else setup[ROUNDS] - 1 - state[extra(setup) + ROUND]


@helper
def spent(setup: Words, state: Words) -> int:
    """Return the moves of the rounds before this one."""
    return 0 if setup[ROUNDS] == 1 else state[extra(setup) + SPENT]


# What comes next --------------------------------------------------------------------------------


@helper
def is_away(setup: Words, state: Words, number: int, robot: int) -> bool:
    """Return whether a house is for a robot that does not stand in it."""
    house = house_at(setup, number)
    owner = setup[house + 1]
    return (owner in (robot, ANY_ROBOT)) and state[FIRST + robot] != setup[house]


@helper
def set_goal(setup: Words, state: Words, number: int, robot: int) -> None:
    state[extra(setup) + GOAL] = robot
    state[extra(setup) + GOAL_HOUSE] = number


@helper
def draw_goal(setup: Words, state: Words) -> None:
    """Draw the next robot and its house."""
    stream = extra(setup) + RANDOM
    for _ in range(DRAWS):
        number = draw_below(state, stream, setup[HOUSES])
        robot = setup[house_at(setup, number) + 1]
        if robot == ANY_ROBOT:
            robot = draw_below(state, stream, setup[ROBOTS])
        near = setup[bounds_at(setup, number) + state[FIRST + robot]] <= setup[CAP]
        if near and is_away(setup, state, number, robot):
            set_goal(setup, state, number, robot)
            return
    for number in range(setup[HOUSES]):  # some robot has two houses, and is not in both of them
        for robot in range(setup[ROBOTS]):
            if is_away(setup, state, number, robot):
                set_goal(setup, state, number, robot)
                return


@helper
def go_on(setup: Words, state: Words) -> None:
    """Begin the next round, if there is one, once this one is solved or lost."""
    at = extra(setup)
    if state[at + ROUND] + 1 == setup[ROUNDS]:
        return
    if is_solved(setup, state) or state[MOVES] >= setup[CAP]:
        state[at + SPENT] += state[MOVES]
        state[at + ROUND] += 1
        state[MOVES] = 0
        draw_goal(setup, state)


@kernel("observe")
def observe(setup: Words, state: Words, player: int) -> None:
    """Hide the draws to come."""
    if setup[ROUNDS] > 1:
        state[extra(setup) + RANDOM] = 0


@kernel("determinize")
def determinize(setup: Words, state: Words, player: int, random: Random) -> None:
    """Guess the draws to come: any stream will do."""
    if setup[ROUNDS] > 1:
        high = np.int64(random_below(random, 1 << 31))
        state[extra(setup) + RANDOM] = high << 31 | np.int64(random_below(random, 1 << 31))
