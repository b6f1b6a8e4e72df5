"""Tron's kernels: in turns or at once, with or without power-ups, on maps up to 50 by 50."""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import mix, random_below
from plyground.compile import Planes, Random, Reals, Words, helper, kernel
from plyground.games.tron.layout import (
    ARMOR,
    BOARD,
    CRASHED,
    FRAME,
    HASTE,
    HEADS,
    HEIGHT,
    LEFT,
    NONE,
    PENDING,
    POWERS,
    RANDOM,
    SECOND_HASTE,
    SECOND_HEAD,
    SIMULTANEOUS,
    STEPS,
    TURN,
    UNKNOWN,
    WALLS,
    WIDTH,
    WORDS,
    has,
    kind_of,
    put,
)
from plyground.games.tron.powers import MOVES_OF_SPEED, breaks_through, collect


@helper
def move_by_turns(setup: Words, state: Words, action: int) -> None:
    turn = state[TURN]
    cell = state[HEADS + turn] + setup[STEPS + action]
    state[TURN] = 1 - turn
    if has(state, BOARD, cell):
        if not breaks_through(setup, state, turn, cell):
            state[CRASHED] = 1 << turn
            return
        state[ARMOR] &= ~(1 << turn)
    put(state, BOARD, cell)
    state[HEADS + turn] = cell
    if setup[POWERS]:
        if state[HASTE + turn] > 0:  # before `collect`: new speed counts from the next move on
            state[HASTE + turn] -= 1
            state[TURN] = turn
        collect(setup, state, turn)


@helper
def move_at_once(setup: Words, state: Words, action: int) -> None:
    """Keep one player's action pending; with the other's, play both.

    The first player chooses first, except where a search lets the second one choose first.
    """
    turn, pending = state[TURN], state[PENDING]
    state[TURN] = 1 - turn
    if pending == 0:
        state[PENDING] = action + 1
        return
    actions = (action, pending - 1) if turn == 0 else (pending - 1, action)
    first = state[HEADS] + setup[STEPS + actions[0]]
    second = state[SECOND_HEAD] + setup[STEPS + actions[1]]
    crashed = has(state, BOARD, first) | has(state, BOARD, second) << 1
    if first == second:
        crashed = np.int64(3)
    if crashed & 1 == 0:
        put(state, BOARD, first)
        state[HEADS] = first
    if crashed & 2 == 0:
        put(state, BOARD, second)
        state[SECOND_HEAD] = second
    state[CRASHED] = crashed
    state[PENDING] = 0


@kernel("player")
def player(setup: Words, state: Words) -> int:
    return state[TURN]


@kernel("legal")
def legal(setup: Words, state: Words, out: Words) -> int:
    for action in range(4):
        out[action] = action
    return 4


@kernel("play")
def play(setup: Words, state: Words, action: int) -> None:
    if setup[SIMULTANEOUS]:
        move_at_once(setup, state, action)
    else:
        move_by_turns(setup, state, action)


@kernel("over")
def over(setup: Words, state: Words) -> bool:
    return state[CRASHED] != 0


@kernel("returns")
def returns(setup: Words, state: Words, out: Reals) -> None:
    first, second = state[CRASHED] & 1, state[CRASHED] >> 1
    out[0] = second - first
    out[1] = first - second


@kernel("key")
def key(setup: Words, state: Words) -> np.uint64:
    heads = state[HEADS] | state[SECOND_HEAD] << 11
    rest = state[TURN] | state[PENDING] << 1 | state[CRASHED] << 4 | state[HASTE] << 6
    hashed = mix(0, heads | rest << 22 | state[ARMOR] << 31 | state[SECOND_HASTE] << 33)
    if setup[WORDS] > 32:  # 11 bits do not hold every cell
        hashed = mix(hashed, state[HEADS])
    words = setup[WORDS]
    if setup[POWERS]:
        hashed = mix(hashed, state[RANDOM])
        words *= 4
    for word in range(words):
        hashed = mix(hashed, state[BOARD + word])
    return hashed


# Hidden information -----------------------------------------------------------------------------


@kernel("observe")
def observe(setup: Words, state: Words, player: int) -> None:
    """Hide the first player's pending action from the second, and the random stream of traps."""
    if player == 1 and state[PENDING] != 0:
        state[PENDING] = UNKNOWN
    if setup[POWERS]:
        state[RANDOM] = 0


@kernel("determinize")
def determinize(setup: Words, state: Words, player: int, random: Random) -> None:
    """Guess a pending action that does not crash, if there is one, and a random stream."""
    if state[PENDING] == UNKNOWN:
        safe = 0
        for action in range(4):
            safe += 1 - has(state, BOARD, state[HEADS] + setup[STEPS + action])
        chosen = random_below(random, safe if safe > 0 else 4)
        for action in range(4):
            if safe == 0 or has(state, BOARD, state[HEADS] + setup[STEPS + action]) == 0:
                if chosen == 0:
                    state[PENDING] = action + 1
                chosen -= 1
    if setup[POWERS]:
        high = np.int64(random_below(random, 1 << 31))
        state[RANDOM] = high << 31 | np.int64(random_below(random, 1 << 31))


# Symmetry and planes ----------------------------------------------------------------------------


@helper
def image_cell(setup: Words, cell: int, symmetry: int) -> int:
    """Return a cell's image: bit 0 mirrors left-right, bit 1 top-bottom, then bit 2 swaps axes."""
    width = setup[WIDTH]
    row, column = cell // width, cell % width
    if symmetry & 1:
        column = width - 1 - column
    if symmetry & 2:
        row = setup[HEIGHT] - 1 - row
    return column * width + row if symmetry & 4 else row * width + column


@helper
def turned_action(action: int, symmetry: int) -> int:
    """Return an action's image; its high bit is the axis, its low bit the direction along it."""
    flipped = (symmetry >> 1) & 1 if action < LEFT else symmetry & 1
    return action ^ flipped ^ (symmetry & 4) >> 1


@kernel("image")
def image(setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words) -> None:
    words = setup[WORDS]
    boards = 4 if setup[POWERS] else 1
    for word in range(WALLS + words):
        setup_out[word] = setup[word] if word < WALLS else 0
    for word in range(BOARD + boards * words):
        state_out[word] = state[word] if word < BOARD else 0
    if setup[POWERS]:  # the composition of the frame's symmetry and this one
        frame = setup[FRAME]
        flips = symmetry & 3
        if frame & 4:
            flips = flips >> 1 | (flips & 1) << 1
        setup_out[FRAME] = frame ^ flips ^ (symmetry & 4)
    for cell in range(setup[WIDTH] * setup[HEIGHT]):
        to = image_cell(setup, cell, symmetry)
        if has(setup, WALLS, cell):
            put(setup_out, WALLS, to)
        for board in range(BOARD, BOARD + boards * words, words):
            if has(state, board, cell):
                put(state_out, board, to)
    state_out[HEADS] = image_cell(setup, state[HEADS], symmetry)
    state_out[SECOND_HEAD] = image_cell(setup, state[SECOND_HEAD], symmetry)
    if 0 < state[PENDING] < UNKNOWN:
        state_out[PENDING] = turned_action(state[PENDING] - 1, symmetry) + 1


@kernel("image_action")
def image_action(setup: Words, action: int, symmetry: int) -> int:
    return turned_action(action, symmetry)


@kernel("policy")
def policy(setup: Words, state: Words, action: int, out: Words) -> None:
    """One entry: of four planes, one per direction, the cell of the head."""
    out[0] = action * setup[WIDTH] * setup[HEIGHT] + state[HEADS + state[TURN]]


@kernel("encode")
def encode(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Planes: own head, the other's, walls, barriers; with power-ups also their four kinds, then
    constant planes: own armor, the other's, own remaining moves of speed / 4, the other's.
    """
    cells = setup[WIDTH] * setup[HEIGHT]
    own, other = state[HEADS + player], state[HEADS + 1 - player]
    for cell in range(cells):
        if cell in (own, other):
            out[cell if cell == own else cells + cell] = 1.0
        elif has(setup, WALLS, cell):
            out[2 * cells + cell] = 1.0
        elif has(state, BOARD, cell):
            out[3 * cells + cell] = 1.0
        elif setup[POWERS] and kind_of(setup, state, cell) != NONE:
            out[(3 + kind_of(setup, state, cell)) * cells + cell] = 1.0
    if setup[POWERS]:
        for cell in range(cells):
            out[8 * cells + cell] = (state[ARMOR] >> player) & 1
            out[9 * cells + cell] = (state[ARMOR] >> (1 - player)) & 1
            out[10 * cells + cell] = state[HASTE + player] / MOVES_OF_SPEED
            out[11 * cells + cell] = state[HASTE + 1 - player] / MOVES_OF_SPEED
