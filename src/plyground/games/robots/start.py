"""First positions: a board, a house and robots, drawn from a seed."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np

from plyground.arithmetic import derive_seed, random_bit, random_stream
from plyground.compile import Words, loop
from plyground.errors import BadOption
from plyground.games.robots import boards
from plyground.games.robots.boards import ANY, LETTERS, Board, House, Place, goes_on
from plyground.games.robots.layout import (
    cell_of,
    place_of,
    setup_of,
    setup_of_rounds,
    slides,
)
from plyground.games.robots.sliding import FIRST, HOUSE, TARGET, movable, slide
from plyground.games.robots.solve import can_be_solved

BOARDS, STARTS = 20, 200
"""How many boards are tried, and how many starts on each, before an option is refused."""
NEAR = 5
"""The most moves that lead a robot away from its house in a near start."""


@loop("none(setup, words, random, i8, i8)")
def walk(setup, state, random, actions, moves):  # type: ignore[no-untyped-def]
    """Play so many random moves in place, of the `actions` given as bits; they are not counted."""
    for _ in range(moves):
        free = movable(setup, state) & actions
        if free == 0:
            break
        action = random_bit(random, free)
        state[FIRST + (action >> 2)] = slide(setup, state, action >> 2, action & 3)


def can_move(setup: Words, state: Words) -> bool:
    """Return whether any robot can move."""
    moved = state.copy()
    walk(setup, moved, random_stream(0), -1, 1)
    return not np.array_equal(moved, state)


class Wanted(NamedTuple):
    """What a start must be like; the fields are the game's options."""

    board: str
    width: int
    height: int
    robots: int
    starts: str
    cap: int
    solvable: bool
    rounds: int = 1


@lru_cache(maxsize=64)  # the same start is often asked for again, and may be costly
def dealt(wanted: Wanted, seed: int) -> tuple[Words, Words]:
    """Return a setup and a state: nothing solved yet, nothing stuck, and solvable where wanted."""
    random = Random(derive_seed(seed))
    for _ in range(BOARDS):
        if wanted.board == "maze":
            board = boards.maze(wanted.width, wanted.height, random)
        else:
            board = boards.drawn(wanted.board, random)
        words = slides(board)
        outside = sorted(board.region(board.houses[0][0]))  # not in the closed centre
        if wanted.rounds > 1 and not goes_on(_own(board, wanted.robots), wanted.robots):
            continue
        for _ in range(STARTS):
            setup, state = _placed(wanted, board, words, outside, random)
            if _is_fit(setup, state, wanted.solvable, random):
                return _in_rounds(wanted, board, words, setup, state, seed)
    raise BadOption(f"robots: no start found that can be solved within cap={wanted.cap}")


def _placed(
    wanted: Wanted, board: Board, words: list[int], outside: list[Place], random: Random
) -> tuple[Words, Words]:
    """Draw a house, and places for the robots."""
    present = LETTERS[: wanted.robots] + ANY
    house, owner = random.choice([each for each in board.houses if each[1] in present])
    target = random.randrange(wanted.robots) if owner == ANY else LETTERS.index(owner)
    setup = setup_of(board, words, wanted.robots, target, cell_of(house), wanted.cap)
    free = [place for place in outside if place != house]
    state = np.array([0, *map(cell_of, random.sample(free, wanted.robots))], np.int64)
    if wanted.starts == "near":
        state[FIRST + target] = cell_of(house)
        stream, own = random_stream(random.getrandbits(64)), 15 << 4 * target
        walk(setup, state, stream, own, random.randint(1, NEAR))
        if _is_home(setup, state):  # it came back: one more move leads it out again
            walk(setup, state, stream, own, 1)
    return setup, state


def _in_rounds(
    wanted: Wanted, board: Board, words: list[int], setup: Words, state: Words, seed: int
) -> tuple[Words, Words]:
    """Make a start the first of several rounds, where they are wanted."""
    if wanted.rounds == 1:
        return setup, state
    houses = _own(board, wanted.robots)
    target, house = int(setup[TARGET]), place_of(int(setup[HOUSE]))
    number = [place for place, _ in houses].index(house)
    stream = derive_seed(seed, wanted.rounds) >> 1
    return (
        setup_of_rounds(
            Board(board.width, board.height, board.walls, houses), words, wanted.robots,
            wanted.cap, wanted.rounds,
        ),
        np.array([*state, target, number, 0, 0, stream], np.int64),
    )  # fmt: skip


def _own(board: Board, robots: int) -> list[House]:
    """Return the houses of the robots that play."""
    return [house for house in board.houses if house[1] in LETTERS[:robots] + ANY]


def _is_home(setup: Words, state: Words) -> bool:
    return bool(state[FIRST + setup[TARGET]] == setup[HOUSE])


def _is_fit(setup: Words, state: Words, solvable: bool, random: Random) -> bool:
    if _is_home(setup, state):
        return False
    if solvable:
        random.getrandbits(64)  # no longer needed; without it seeds would deal other starts
        return can_be_solved(setup, state)
    return can_move(setup, state)
