"""Rounds: the target robot and its house (the target cell), and the draw of the next ones.

A game of one round has its target robot, its house and the bounds in the setup. In a game of more
rounds five words follow the robots in the state: the target robot, the number of its house, the
round (from 0), the moves spent in earlier rounds, and the random stream of later draws, which is
hidden. In the setup, ROOM is the largest number of houses and HOUSES the actual one; after the
cells follow the cell and the robot (-1: any) of each house, then for each house the bounds of all
cells.

The next house is drawn at random, and for a house of any robot also the robot, but never a robot
that stands there already or whose bound is above the cap.
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
"""The words after the robots; WORDS is how many they are."""
ANY_ROBOT = -1
DRAWS = 64
"""How many draws are tried for a house within the cap, before any other house is accepted."""


@helper
def extra(setup: Words) -> int:
    """Return the index in the state at which the words of the round begin."""
    return FIRST + setup[ROBOTS]


@helper
def house_at(setup: Words, number: int) -> int:
    """Return the index in the setup of a house's cell; its robot is the next word."""
    return CELLS + STRIDE * setup[HEIGHT] + 2 * number


@helper
def bounds_at(setup: Words, number: int) -> int:
    """Return the index in the setup at which the bounds of a house begin."""
    return house_at(setup, setup[ROOM]) + number * STRIDE * setup[HEIGHT]


@helper
def target_of(setup: Words, state: Words) -> int:
    """Return the target robot."""
    return setup[TARGET] if setup[ROUNDS] == 1 else state[extra(setup) + GOAL]


@helper
def house_of(setup: Words, state: Words) -> Any:
    """Return the cell of the target robot's house."""
    if setup[ROUNDS] == 1:
        return setup[HOUSE]
    return setup[house_at(setup, state[extra(setup) + GOAL_HOUSE])]


@helper
def bound_at(setup: Words, state: Words, cell: int) -> int:
    """Return the bound of a cell; UNREACHABLE if walls cut it off from the house."""
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
    """Return the number of rounds after this one."""
    return 0 if setup[ROUNDS] == 1 else setup[ROUNDS] - 1 - state[extra(setup) + ROUND]


@helper
def spent(setup: Words, state: Words) -> int:
    """Return the number of moves in the rounds before this one."""
    return 0 if setup[ROUNDS] == 1 else state[extra(setup) + SPENT]


@helper
def outcome(setup: Words, state: Words, moves: int, solved: bool) -> float:
    """Return what a game is worth whose present round takes so many moves; later rounds are lost.

    A solution with the very last move counts half a move less than a loss.
    """
    cap = setup[CAP]
    counted = min(float(moves), cap - 0.5) if solved else float(cap)
    counted += spent(setup, state) + cap * rounds_left(setup, state)
    return 1.0 - 2.0 * counted / (cap * setup[ROUNDS])


# The next round ---------------------------------------------------------------------------------


@helper
def is_away(setup: Words, state: Words, number: int, robot: int) -> bool:
    """Return whether a house is a robot's, and the robot does not stand in it."""
    house = house_at(setup, number)
    owner = setup[house + 1]
    return (owner in (robot, ANY_ROBOT)) and state[FIRST + robot] != setup[house]


@helper
def set_goal(setup: Words, state: Words, number: int, robot: int) -> None:
    state[extra(setup) + GOAL] = robot
    state[extra(setup) + GOAL_HOUSE] = number


@helper
def draw_goal(setup: Words, state: Words) -> None:
    """Draw the next target robot and its house."""
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
    for number in range(setup[HOUSES]):  # some robot has two houses, so one of them is possible
        for robot in range(setup[ROBOTS]):
            if is_away(setup, state, number, robot):
                set_goal(setup, state, number, robot)
                return


@helper
def go_on(setup: Words, state: Words) -> None:
    """Begin the next round, if there is one and this one is solved or lost."""
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
    """Hide the random stream of later draws."""
    if setup[ROUNDS] > 1:
        state[extra(setup) + RANDOM] = 0


@kernel("determinize")
def determinize(setup: Words, state: Words, player: int, random: Random) -> None:
    """Guess the later draws: any random stream is possible."""
    if setup[ROUNDS] > 1:
        high = np.int64(random_below(random, 1 << 31))
        state[extra(setup) + RANDOM] = high << 31 | np.int64(random_below(random, 1 << 31))
