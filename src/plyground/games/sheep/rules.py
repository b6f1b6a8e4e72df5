"""Battle Sheep's kernels, for 2 to 4 players on up to 256 cells of a grid of at most 16 by 16.

Playable cells are numbered in reading order; a set of cells is a bitboard of 64 cells per word.

Setup: sizes and flags (see `layout`); the cell at each place of the grid, -1 for a wall (RANKS);
the score of a region by its size, in fixed point (POWERS); the border cells (BORDER); then for each
cell its place y * 16 + x, its neighbours in the 8 directions, one byte each (itself if there is
none), the set of its neighbours and the set of those that share a side (TABLE).

State: the player to move (the number of players once the game is over), the free cells, each
player's cells, then the sheep on each cell, one byte each; 0 on an owned cell means unknown to the
observer.

Actions: y * size + x for placing; then all (place, direction, sheep - 1) for moves.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest, mix, popcount
from plyground.compile import Planes, Reals, Words, helper, kernel
from plyground.games.sheep.layout import (
    BORDER,
    CELLS,
    COUNTS,
    HERD,
    HIDDEN,
    PLAYERS,
    POWERS,
    RANKS,
    SHEEP,
    SIZE,
    STRIDE,
    TABLE,
    TEAMS,
    WORDS,
)
from plyground.games.sheep.sets import both, either, first_cell, load, only, without

TURN, FREE = range(2)
PLACE, NEAR, AROUND = range(3)
"""The words of a cell in TABLE; the set AROUND is followed by that of cells that share a side."""

POINTS = (5, 3, 2, 1)
"""Points of the first to fourth place in the course."""
ALL_POINTS = (0, 5, 8, 10, 11)
"""Sum of the points by the number of players."""


@helper
def owned(setup, player):
    """Return the index in the state at which the set of a player's cells begins."""
    return FREE + (1 + player) * setup[WORDS]


@helper
def count_at(setup, state, cell):
    """Return the number of sheep on a cell."""
    return (state[setup[COUNTS] + (cell >> 3)] >> ((cell & 7) << 3)) & 255


@helper
def add_sheep(setup, state, cell, sheep):
    """Add sheep to a cell, or remove them; the result must be within 0..255."""
    state[setup[COUNTS] + (cell >> 3)] += np.int64(sheep) << ((cell & 7) << 3)


@helper
def is_free(state, cell):
    return (state[FREE + (cell >> 6)] >> (cell & 63)) & 1


@helper
def is_open(setup, state, cell):
    """Return whether a cell has a free neighbour, so that sheep can leave it."""
    around = setup[TABLE] + cell * setup[STRIDE] + AROUND
    free = np.int64(0)
    for word in range(setup[WORDS]):
        free |= setup[around + word] & state[FREE + word]
    return free != 0


@helper
def ways_out(setup, state, cell):
    """Return the number of free neighbours of a cell: the directions in which sheep can leave."""
    around = setup[TABLE] + cell * setup[STRIDE] + AROUND
    ways = 0
    for word in range(setup[WORDS]):
        ways += popcount(setup[around + word] & state[FREE + word])
    return ways


@helper
def last_free(setup, state, cell, direction):
    """Return the cell on which sheep stop in a direction, 0 to 7; their own if it is blocked."""
    while True:
        near = (setup[setup[TABLE] + cell * setup[STRIDE] + NEAR] >> (direction << 3)) & 255
        if near == cell or is_free(state, near) == 0:
            return cell
        cell = near


@helper
def can_move(setup, state, player):
    """Return whether a player has a move; a stack of hidden size counts as large enough."""
    for word in range(setup[WORDS]):
        left = state[owned(setup, player) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            if count_at(setup, state, cell) != 1 and is_open(setup, state, cell):
                return True
    return False


@helper
def is_placing(setup, state):
    """Return whether the player to move has not placed its sheep yet."""
    board = owned(setup, state[TURN])
    cells = np.int64(0)
    for word in range(setup[WORDS]):
        cells |= state[board + word]
    return cells == 0


@helper
def direction_to(setup, cell, near):
    """Return the direction, 0 to 7, of a neighbour of a cell."""
    table, stride = setup[TABLE], setup[STRIDE]
    step = setup[table + near * stride + PLACE] - setup[table + cell * stride + PLACE] + 17
    digit = 3 * (step >> 4) + (step & 15)
    return digit - (digit > 4)


@helper
def occupy(setup, state, player, cell):
    """Make a free cell a player's."""
    bit = np.int64(1) << (cell & 63)
    state[FREE + (cell >> 6)] &= ~bit
    state[owned(setup, player) + (cell >> 6)] |= bit


@helper
def ray_and_sheep(setup, action):
    """Return a move's place * 8 + direction, and its number of sheep."""
    move = action - setup[SIZE] * setup[SIZE]
    ray = move // (setup[SHEEP] - 1)
    return ray, move - ray * (setup[SHEEP] - 1) + 1


@kernel("player")
def player(setup: Words, state: Words) -> int:
    return state[TURN] if state[TURN] < setup[PLAYERS] else 0


@kernel("legal")
def legal(setup: Words, state: Words, out: Words) -> int:
    words, size, numbers = setup[WORDS], setup[SIZE], setup[SHEEP] - 1
    count = 0
    if is_placing(setup, state):
        for word in range(words):
            left = setup[setup[BORDER] + word] & state[FREE + word]
            while left != 0:
                place = setup[setup[TABLE] + ((word << 6) + lowest(left)) * setup[STRIDE] + PLACE]
                left &= left - 1
                out[count] = (place >> 4) * size + (place & 15)
                count += 1
        return count
    board = owned(setup, state[TURN])
    for word in range(words):
        left = state[board + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            most = count_at(setup, state, cell) - 1
            if most < 1:
                continue
            table = setup[TABLE] + cell * setup[STRIDE]
            place = setup[table + PLACE]
            base = size * size + ((place >> 4) * size + (place & 15)) * 8 * numbers
            for other in range(words):
                near = setup[table + AROUND + other] & state[FREE + other]
                while near != 0:  # reading order of neighbours is the order of directions
                    to = (other << 6) + lowest(near)
                    near &= near - 1
                    first = base + direction_to(setup, cell, to) * numbers
                    for sheep in range(most):
                        out[count + sheep] = first + sheep
                    count += most
    return count


@kernel("play")
def play(setup: Words, state: Words, action: int) -> None:
    turn = state[TURN]
    places = setup[SIZE] * setup[SIZE]
    if action < places:
        to = setup[RANKS + action]
        add_sheep(setup, state, to, setup[SHEEP])
    else:
        ray, sheep = ray_and_sheep(setup, action)
        cell = setup[RANKS + (ray >> 3)]
        to = last_free(setup, state, cell, ray & 7)
        add_sheep(setup, state, cell, -sheep)
        add_sheep(setup, state, to, sheep)
    occupy(setup, state, turn, to)
    if action < places and turn + 1 < setup[PLAYERS]:
        state[TURN] = turn + 1
        return
    for _ in range(setup[PLAYERS]):
        turn = turn + 1 if turn + 1 < setup[PLAYERS] else 0
        if can_move(setup, state, turn):
            state[TURN] = turn
            return
    state[TURN] = setup[PLAYERS]


@kernel("over")
def over(setup: Words, state: Words) -> bool:
    return state[TURN] == setup[PLAYERS]


# Scores -----------------------------------------------------------------------------------------


@helper
def score(setup, state, player):
    """Return a player's score in fixed point: its regions, plus HERD x its largest region."""
    words = setup[WORDS]
    left = load(state, owned(setup, player), words)
    total = largest = np.int64(0)
    seed = first_cell(left)
    while seed >= 0:
        edge = only(seed)
        left = without(left, edge)
        size = 0
        cell = seed
        while cell >= 0:
            beside = setup[TABLE] + cell * setup[STRIDE] + AROUND + words
            joined = both(load(setup, beside, words), left)
            left = without(left, joined)
            edge = either(without(edge, only(cell)), joined)
            size += 1
            cell = first_cell(edge)
        total += setup[setup[POWERS] + size]
        largest = max(largest, size)
        seed = first_cell(left)
    return total + largest * setup[HERD]


@helper
def scores(setup, state):
    """Return the scores of four seats; partners' are added up, seats without a player have 0."""
    none = np.int64(0)
    first, second = score(setup, state, 0), score(setup, state, 1)
    third = score(setup, state, 2) if setup[PLAYERS] > 2 else none
    fourth = score(setup, state, 3) if setup[PLAYERS] > 3 else none
    if setup[TEAMS] != 0:
        return (first + third, second + fourth, first + third, second + fourth)
    return (first, second, third, fourth)


@kernel("returns")
def returns(setup: Words, state: Words, out: Reals) -> None:
    """The course's points by rank, ties shared, scaled to a sum of 0 and 1 for the first.

    Two sides get 1 and -1, three players 1, -1/5, -4/5, four players 1, 1/9, -1/3, -7/9.
    """
    players = setup[PLAYERS]
    reached = scores(setup, state)
    for player in range(players):
        better = equal = points = 0
        for other in range(players):
            better += reached[other] > reached[player]
            equal += reached[other] == reached[player]
        if setup[TEAMS] != 0:
            out[player] = 0.0 if equal == players else (-1.0 if better else 1.0)
            continue
        for rank in range(better, better + equal):
            points += POINTS[rank]
        above = players * points - equal * ALL_POINTS[players]
        out[player] = np.float64(above) / np.float64(
            equal * (players * POINTS[0] - ALL_POINTS[players])
        )


# For searches and networks ----------------------------------------------------------------------


@kernel("key")
def key(setup: Words, state: Words) -> np.uint64:
    hashed = mix(1, state[TURN])
    for word in range(owned(setup, 0), setup[COUNTS] + ((setup[CELLS] + 7) >> 3)):
        hashed = mix(hashed, state[word])
    return hashed


@kernel("policy")
def policy(setup: Words, state: Words, action: int, out: Words) -> None:
    """Two entries: the direction, on the cell that sheep leave, and their number, where they stop.

    Planes: placing, the 8 directions, then the numbers of sheep from 1 on; placing takes all.
    """
    places = setup[SIZE] * setup[SIZE]
    if action < places:
        out[0] = action
        out[1] = (8 + setup[SHEEP]) * places + action
        return
    ray, sheep = ray_and_sheep(setup, action)
    to = last_free(setup, state, setup[RANKS + (ray >> 3)], ray & 7)
    place = setup[setup[TABLE] + to * setup[STRIDE] + PLACE]
    out[0] = (1 + (ray & 7)) * places + (ray >> 3)
    out[1] = (8 + sheep) * places + (place >> 4) * setup[SIZE] + (place & 15)


@kernel("encode")
def encode(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Planes: for each seat, beginning with the player's own, its cells and its sheep as a share of
    the sheep at the start (0 if hidden); the free cells; all 1 if the player is to move.
    """
    size, players = setup[SIZE], setup[PLAYERS]
    for place in range(size * size):
        out[(2 * players + 1) * size * size + place] = state[TURN] == player
        cell = setup[RANKS + place]
        if cell < 0:
            continue
        out[2 * players * size * size + place] = is_free(state, cell)
        for seat in range(players):
            board = owned(setup, (player + seat) % players)
            if (state[board + (cell >> 6)] >> (cell & 63)) & 1:
                out[2 * seat * size * size + place] = 1.0
                if seat == 0 or setup[HIDDEN] == 0:
                    share = np.float32(count_at(setup, state, cell)) / np.float32(setup[SHEEP])
                    out[(2 * seat + 1) * size * size + place] = share
