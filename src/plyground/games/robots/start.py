"""Random first positions: a board, a target robot with its house, and places for all robots."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np

from plyground.arithmetic import derive_seed, random_bit, random_stream
from plyground.compile import Words, loop
from plyground.errors import OptionError
from plyground.games.robots import boards
from plyground.games.robots.boards import (
    ANY,
    LETTERS,
    Board,
    House,
    cell_of,
    goes_on,
    place_of,
)
from plyground.games.robots.layout import setup_of, setup_of_rounds, slides
from plyground.games.robots.sliding import FIRST, HOUSE, STRIDE, TARGET, movable, slide
from plyground.games.robots.solve import can_be_solved

BOARDS, STARTS = 20, 200
"""How many boards are tried, and how many starts on each, before the options are refused."""
NEAR = 5
"""The most random moves by which a near start leads the target robot away from its house."""


@loop("none(setup, words, random, i8, i8)")
def walk(setup, state, random, actions, moves):  # type: ignore[no-untyped-def]
    """Play so many random moves of the bit set `actions` in place, without counting them."""
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


class StartOptions(NamedTuple):
    """The options of the game that decide its first position."""

    board: str
    width: int
    height: int
    robots: int
    starts: str
    cap: int
    solvable: bool
    rounds: int = 1


@lru_cache(maxsize=64)  # the same start is often needed again, and may be costly
def random_start(options: StartOptions, seed: int) -> tuple[Words, Words]:
    """Return a random setup and first state: not solved, with a legal move, and solvable if the
    options say so."""
    random = Random(derive_seed(seed))
    for _ in range(BOARDS):
        if options.board == "maze":
            board = boards.maze(options.width, options.height, random)
        else:
            board = boards.drawn(options.board, random)
        words = slides(board)
        columns, rows = np.nonzero(board.region(board.houses[0][0]).T)
        outside = (columns + STRIDE * rows).tolist()  # not in the closed centre
        if options.rounds > 1 and not goes_on(_own(board, options.robots), options.robots):
            continue
        for _ in range(STARTS):
            setup, state = _placed(options, board, words, outside, random)
            if _is_fit(setup, state, options.solvable, random):
                return _in_rounds(options, board, words, setup, state, seed)
    raise OptionError(f"robots: no start found that can be solved within cap={options.cap}")


def _placed(
    options: StartOptions, board: Board, words: Words, outside: list[int], random: Random
) -> tuple[Words, Words]:
    """Return a setup with a random house, and a state with the robots at random places."""
    place, owner = random.choice(_own(board, options.robots))
    house = cell_of(place)
    target = random.randrange(options.robots) if owner == ANY else LETTERS.index(owner)
    setup = setup_of(board, words, options.robots, target, house, options.cap)
    free = [cell for cell in outside if cell != house]
    state = np.array([0, *random.sample(free, options.robots)], np.int64)
    if options.starts == "near":
        state[FIRST + target] = house
        stream, own = random_stream(random.getrandbits(64)), 15 << 4 * target
        walk(setup, state, stream, own, random.randint(1, NEAR))
        if _is_home(setup, state):  # the robot came back: one more move leads it away again
            walk(setup, state, stream, own, 1)
    return setup, state


def _in_rounds(
    options: StartOptions, board: Board, words: Words, setup: Words, state: Words, seed: int
) -> tuple[Words, Words]:
    """Return a start of one round as the first round of a game of as many as the options say."""
    if options.rounds == 1:
        return setup, state
    houses = _own(board, options.robots)
    target, house = int(setup[TARGET]), place_of(int(setup[HOUSE]))
    number = [place for place, _ in houses].index(house)
    stream = derive_seed(seed, options.rounds) >> 1
    return (
        setup_of_rounds(
            Board(board.width, board.height, board.walls, houses), words, options.robots,
            options.cap, options.rounds,
        ),
        np.array([*state, target, number, 0, 0, stream], np.int64),
    )  # fmt: skip


def _own(board: Board, robots: int) -> list[House]:
    """Return the houses of the robots that are in the game."""
    return [house for house in board.houses if house[1] in LETTERS[:robots] + ANY]


def _is_home(setup: Words, state: Words) -> bool:
    return bool(state[FIRST + setup[TARGET]] == setup[HOUSE])


def _is_fit(setup: Words, state: Words, solvable: bool, random: Random) -> bool:
    if _is_home(setup, state):
        return False
    if solvable:
        random.getrandbits(64)  # unused; without it the same seeds would give other starts
        return can_be_solved(setup, state)
    return can_move(setup, state)
