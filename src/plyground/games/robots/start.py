"""First positions: a board, a house and robots, drawn from a seed."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np

from plyground.arithmetic import derive_seed, random_stream
from plyground.compile import Words
from plyground.errors import BadOption
from plyground.games.robots import boards, sliding, solve
from plyground.games.robots.boards import ANY, LETTERS, Board, House, Place, goes_on
from plyground.games.robots.layout import (
    cell_of,
    place_of,
    setup_of,
    setup_of_rounds,
    slides,
)

BOARDS, STARTS = 20, 200
"""How many boards are tried, and how many starts on each, before an option is refused."""
NEAR = 5
"""The most moves that lead a robot away from its house in a near start."""


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
        state[sliding.FIRST + target] = cell_of(house)
        stream, own = random_stream(random.getrandbits(64)), 15 << 4 * target
        solve.walk(setup, state, stream, own, random.randint(1, NEAR))
        if _is_home(setup, state):  # it came back: one more move leads it out again
            solve.walk(setup, state, stream, own, 1)
    return setup, state


def _in_rounds(
    wanted: Wanted, board: Board, words: list[int], setup: Words, state: Words, seed: int
) -> tuple[Words, Words]:
    """Make a start the first of several rounds, where they are wanted."""
    if wanted.rounds == 1:
        return setup, state
    houses = _own(board, wanted.robots)
    target, house = int(setup[sliding.TARGET]), place_of(int(setup[sliding.HOUSE]))
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
    return bool(state[sliding.FIRST + setup[sliding.TARGET]] == setup[sliding.HOUSE])


def _is_fit(setup: Words, state: Words, solvable: bool, random: Random) -> bool:
    if _is_home(setup, state):
        return False
    if solvable:
        return solve.can_be_solved(setup, state, random.getrandbits(64))
    return solve.can_move(setup, state)
