"""Expendibots' kernels: stacks on 8 x 8 squares that jump, and explode in chains.

Setup: empty.

State: White's and Black's stacks as bitboards (bit `8 * y + x`, from the lower left square), the
heights of all stacks in binary as four more bitboards (1, 2, 4, 8), the player to move, and the
plies played. A set of squares grows by shifts; an explosion grows until it no longer changes.

Actions: 0 to 63 blow up the stack on that square; then come the moves, ordered by square of
departure, target (the 14 other squares of its row and column, ascending) and tokens (1 to 12).
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest, mix, write_bits
from plyground.compile import Planes, Reals, Words, helper, kernel

STACKS, HEIGHTS, MOVER, PLIES, WORDS = 0, 2, 6, 7, 8
SIZE, TOKENS, TARGETS = 8, 12, 14
SQUARES = SIZE * SIZE
ACTIONS = SQUARES + SQUARES * TARGETS * TOKENS
LONGEST = 500
"""The most plies of a game: 250 turns for each side."""

BRANCHING = 171
"""The largest number of legal actions; there is a position that has as many.

A stack of n tokens has one boom, and n moves to each square it reaches: on a line of 8 squares at
most 2, 4, 6 of them for n = 1, 2, 3, and all 7 from n = 4 on; twice that on two lines. So it has at
most f(n) = 5, 17, 37 actions for n = 1, 2, 3 and 14 n + 1 for more. Of all ways to split up to 12
tokens into stacks, 4 + 4 + 4 has the largest sum, 3 x 57 = 171, which three stacks of 4 in the
centre have if the enemy is off their lines. (The tests try every split.)
"""

PLANES = 6
DIRECTIONS, FARTHEST = 4, 7
POLICY = 1 + DIRECTIONS * FARTHEST + 1 + TOKENS
"""The planes of `policy`: a boom, a move by direction and distance, 0 to 12 tokens that arrive."""
RIGHT_OF_FIRST_FILE = ~0x0101010101010101
LEFT_OF_LAST_FILE = 0x7F7F7F7F7F7F7F7F
BELOW_TOP_RANK = 0x00FFFFFFFFFFFFFF
"""Clears the copies of the sign bit after a right shift by one rank."""


@helper
def grown(squares):
    """Return a set of squares with all eight neighbours of each."""
    squares |= ((squares << 1) & RIGHT_OF_FIRST_FILE) | ((squares >> 1) & LEFT_OF_LAST_FILE)
    return squares | (squares << 8) | ((squares >> 8) & BELOW_TOP_RANK)


@helper
def component(squares, occupied):
    """Return all stacks, of both colours, that explode in a chain with those on `squares`."""
    reached = grown(squares) & occupied
    while reached != squares:
        squares = reached
        reached = grown(squares) & occupied
    return squares


@helper
def height(state, square):
    """Return the number of tokens on a square."""
    tokens = np.int64(0)
    for plane in range(4):
        tokens |= ((state[HEIGHTS + plane] >> square) & 1) << plane
    return tokens


@helper
def stack(state, square, tokens):
    """Set the number of tokens on a square."""
    changed = height(state, square) ^ tokens
    for plane in range(4):
        state[HEIGHTS + plane] ^= ((changed >> plane) & 1) << square


@helper
def target(square, number):
    """Return the square of a target's number: first those below in the file, then those in the
    rank, then those above in the file."""
    x, y = square & 7, square >> 3
    if number < y:
        return 8 * number + x
    if number < y + 7:
        across = number - y
        return 8 * y + across + (1 if across >= x else 0)
    return 8 * (number - 6) + x


@helper
def target_number(square, to):
    """Return the number, 0 to 13, of the target `to` as seen from a square of its rank or file."""
    x, y = square & 7, square >> 3
    to_x, to_y = to & 7, to >> 3
    if to_y < y:
        return to_y
    if to_y > y:
        return to_y + 6
    return y + to_x - (1 if to_x > x else 0)


@helper
def move_number(square, number, tokens):
    """Return the action that moves so many tokens from a square to its target of that number."""
    return SQUARES + (square * TARGETS + number) * TOKENS + tokens - 1


@kernel("player")
def player(setup: Words, state: Words) -> int:
    return state[MOVER]


@helper
def list_moves(out, count, free, square, to, number, tokens):
    """Write the moves of 1 to `tokens` tokens to a target, if it is free; return the new count."""
    if (free >> to) & 1:
        first = move_number(square, number, 1)
        for less in range(tokens):
            out[count] = first + less
            count += 1
    return count


@kernel("legal")
def legal(setup: Words, state: Words, out: Words) -> int:
    own, free = state[STACKS + state[MOVER]], ~state[STACKS + 1 - state[MOVER]]
    tall = state[HEIGHTS + 1] | state[HEIGHTS + 2] | state[HEIGHTS + 3]
    count = write_bits(own, out)
    rest = own
    while rest != 0:
        square = lowest(rest)
        rest &= rest - 1
        x, y = square & 7, square >> 3
        if (tall >> square) & 1 == 0:
            # Every action is written, but counted only if the square is free: that needs no branch.
            # A position with a stack of one has at most 161 actions, so `out` is large enough.
            if y > 0:
                out[count] = move_number(square, y - 1, 1)
                count += (free >> (square - 8)) & 1
            if x > 0:
                out[count] = move_number(square, y + x - 1, 1)
                count += (free >> (square - 1)) & 1
            if x < 7:
                out[count] = move_number(square, y + x, 1)
                count += (free >> (square + 1)) & 1
            if y < 7:
                out[count] = move_number(square, y + 7, 1)
                count += (free >> (square + 8)) & 1
        else:
            tokens = height(state, square)
            for to_y in range(max(0, y - tokens), y):
                count = list_moves(out, count, free, square, 8 * to_y + x, to_y, tokens)
            for to_x in range(max(0, x - tokens), x):
                count = list_moves(out, count, free, square, 8 * y + to_x, y + to_x, tokens)
            for to_x in range(x + 1, min(7, x + tokens) + 1):
                count = list_moves(out, count, free, square, 8 * y + to_x, y + to_x - 1, tokens)
            for to_y in range(y + 1, min(7, y + tokens) + 1):
                count = list_moves(out, count, free, square, 8 * to_y + x, to_y + 6, tokens)
    return count


@kernel("play")
def play(setup: Words, state: Words, action: int) -> None:
    one = np.int64(1)
    if action < SQUARES:
        kept = ~component(one << action, state[STACKS] | state[STACKS + 1])
        for word in range(STACKS, HEIGHTS + 4):
            state[word] &= kept
    else:
        pair, tokens = (action - SQUARES) // TOKENS, (action - SQUARES) % TOKENS + 1
        square = pair // TARGETS
        to = target(square, pair % TARGETS)
        left = height(state, square) - tokens
        stack(state, square, left)
        stack(state, to, height(state, to) + tokens)
        own = STACKS + state[MOVER]
        state[own] |= one << to
        if left == 0:
            state[own] &= ~(one << square)
    state[MOVER] = 1 - state[MOVER]
    state[PLIES] += 1


@kernel("over")
def over(setup: Words, state: Words) -> bool:
    return state[STACKS] == 0 or state[STACKS + 1] == 0 or state[PLIES] >= LONGEST


@kernel("returns")
def returns(setup: Words, state: Words, out: Reals) -> None:
    """The tokens decide, even after the last ply of the longest game."""
    white, black = state[STACKS] != 0, state[STACKS + 1] != 0
    out[0] = out[1] = 0.0
    if white and not black:
        out[0], out[1] = 1.0, -1.0
    elif black and not white:
        out[0], out[1] = -1.0, 1.0


@kernel("key")
def key(setup: Words, state: Words) -> np.uint64:
    """Hash the tokens and the player to move, not the plies."""
    hashed = np.uint64(state[MOVER])
    for word in range(STACKS, HEIGHTS + 4):
        hashed = mix(hashed, state[word])
    return hashed


# Symmetry: bit 0 mirrors left-right, bit 1 up-down, then bit 2 swaps x and y ---------------------


@helper
def turned(squares, symmetry):
    """Return the image of a set of squares."""
    if symmetry & 1:
        for shift, mask in (
            (1, 0x5555555555555555),
            (2, 0x3333333333333333),
            (4, 0x0F0F0F0F0F0F0F0F),
        ):
            squares = ((squares >> shift) & mask) | ((squares & mask) << shift)
    if symmetry & 2:
        for shift, mask in (
            (8, 0x00FF00FF00FF00FF),
            (16, 0x0000FFFF0000FFFF),
            (32, 0x00000000FFFFFFFF),
        ):
            squares = ((squares >> shift) & mask) | ((squares & mask) << shift)
    if symmetry & 4:
        for shift, mask in (
            (7, 0x00AA00AA00AA00AA),
            (14, 0x0000CCCC0000CCCC),
            (28, 0x00000000F0F0F0F0),
        ):
            swapped = (squares ^ (squares >> shift)) & mask
            squares ^= swapped ^ (swapped << shift)
    return squares


@helper
def turned_square(square, symmetry):
    """Return the image of one square."""
    x, y = square & 7, square >> 3
    if symmetry & 1:
        x = 7 - x
    if symmetry & 2:
        y = 7 - y
    return 8 * x + y if symmetry & 4 else 8 * y + x


@kernel("image")
def image(setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words) -> None:
    """All eight symmetries of the board: moves and booms are the same in every direction."""
    for word in range(WORDS):
        state_out[word] = turned(state[word], symmetry) if word < HEIGHTS + 4 else state[word]


@kernel("image_action")
def image_action(setup: Words, action: int, symmetry: int) -> int:
    if action < SQUARES:
        return turned_square(action, symmetry)
    pair, less = (action - SQUARES) // TOKENS, (action - SQUARES) % TOKENS
    square = pair // TARGETS
    to = turned_square(target(square, pair % TARGETS), symmetry)
    square = turned_square(square, symmetry)
    return move_number(square, target_number(square, to), less + 1)


@kernel("encode")
def encode(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Planes, rows from the top: own stacks, the enemy's, own tokens / 12, the enemy's tokens / 12,
    all 1 if the player is to move, plies / 500."""
    to_move = 1.0 if state[MOVER] == player else 0.0
    for square in range(SQUARES):
        cell = 8 * (7 - (square >> 3)) + (square & 7)
        tokens = height(state, square)
        for side in range(2):
            if (state[STACKS + (player ^ side)] >> square) & 1:
                out[SQUARES * side + cell] = 1.0
                out[SQUARES * (2 + side) + cell] = tokens / TOKENS
        out[SQUARES * 4 + cell] = to_move
        out[SQUARES * 5 + cell] = state[PLIES] / LONGEST


@kernel("policy")
def policy(setup: Words, state: Words, action: int, out: Words) -> None:
    """Two entries: the kind of action, on the stack's square, and the tokens, where they arrive.

    Rows from the top, as in `encode`. Directions: left, right, down, up. A boom moves 0 tokens.
    """
    square = to = action
    kind = tokens = 0
    if action >= SQUARES:
        pair, tokens = (action - SQUARES) // TOKENS, (action - SQUARES) % TOKENS + 1
        square = pair // TARGETS
        to = target(square, pair % TARGETS)
        if square >> 3 == to >> 3:
            direction, distance = int(to > square), abs(to - square)
        else:
            direction, distance = 2 + int(to > square), abs((to >> 3) - (square >> 3))
        kind = direction * FARTHEST + distance
    out[0] = kind * SQUARES + (square ^ 56)  # 56 reverses the order of the ranks
    out[1] = (1 + DIRECTIONS * FARTHEST + tokens) * SQUARES + (to ^ 56)
