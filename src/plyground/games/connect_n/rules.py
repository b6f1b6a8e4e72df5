"""Connect-N's kernels, for any board up to 16 by 16.

Setup: width, height, n, words per board, number of windows, then masks (see `layout`): the bottom
row, every second row from the bottom one on, and every window.

State: plies played, result (0 going on, 1 a line was made, 2 board full), then each player's
stones as a bitboard: bit `column * (height + 1) + row`, row 0 at the bottom. Above every column is
a bit that stays empty, so that no line runs from one column's top into the next column. Boards of
one word, such as Connect Four's, are handled by bit operations; larger ones cell by cell.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from plyground.arithmetic import has_run, lowest, mix, random_below, split
from plyground.compile import Planes, Random, Reals, Words, helper, kernel

WIDTH, HEIGHT, N, WORDS, WINDOWS, MASKS = range(6)
PLIES, RESULT, STONES = range(3)
GOING_ON, LINE, FULL = range(3)
ROWS = 2
"""Masks of rows, which precede those of the windows."""


@cache
def layout(width: int, height: int, n: int) -> tuple[int, ...]:
    """Return the setup: sizes, and as bitboards some rows and every window (n cells in a row)."""
    words = -(-width * (height + 1) // 64)
    if (height + 2) * max(2, n - 4) > 63:  # `has_run` would shift a one-word board too far
        words = max(words, 2)
    floor = sum(1 << column * (height + 1) for column in range(width))
    masks = split(floor, words) + split(sum(floor << row for row in range(0, height, 2)), words)
    for column, row in product(range(width), range(height)):
        for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            last_column, last_row = column + across * (n - 1), row + up * (n - 1)
            if last_column < width and 0 <= last_row < height:
                bits = sum(
                    1 << ((column + across * step) * (height + 1) + row + up * step)
                    for step in range(n)
                )
                masks += split(bits, words)
    return (width, height, n, words, len(masks) // words - ROWS, *masks)


@helper
def has_stone(state: Words, board: int, bit: int) -> int:
    """Return whether a bit is set in the board that begins at word `board`."""
    return (state[board + (bit >> 6)] >> (bit & 63)) & 1


@helper
def is_taken(setup: Words, state: Words, bit: int) -> int:
    """Return whether either player has a stone there."""
    return has_stone(state, STONES, bit) | has_stone(state, STONES + setup[WORDS], bit)


@helper
def run_length(
    setup: Words, state: Words, board: int, column: int, row: int, across: int, up: int
) -> int:
    """Return how many stones follow (column, row) in one direction without a gap."""
    length = 0
    column += across
    row += up
    while 0 <= column < setup[WIDTH] and 0 <= row < setup[HEIGHT]:
        if has_stone(state, board, column * (setup[HEIGHT] + 1) + row) == 0:
            break
        length += 1
        column += across
        row += up
    return length


@helper
def has_line(setup: Words, stones: int) -> bool:
    """Return whether a one-word board has n stones in a row."""
    return has_run(stones, setup[HEIGHT] + 1, min(setup[N] - 2, 2), max(setup[N] - 4, 0))


@helper
def makes_line(setup: Words, state: Words, board: int, column: int, row: int) -> bool:
    """Return whether a stone at (column, row) makes n in a row."""
    for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        ahead = run_length(setup, state, board, column, row, across, up)
        behind = run_length(setup, state, board, column, row, -across, -up)
        if ahead + behind + 1 >= setup[N]:
            return True
    return False


@kernel("player")
def player(setup: Words, state: Words) -> int:
    return state[PLIES] & 1


@kernel("legal")
def legal(setup: Words, state: Words, out: Words) -> int:
    width, height, words = setup[WIDTH], setup[HEIGHT], setup[WORDS]
    taken = state[STONES] | state[STONES + 1]
    top = height - 1
    count = 0
    for column in range(width):
        full = (taken >> top) & 1 if words == 1 else is_taken(setup, state, top)
        out[count] = column  # always written, but counted only if legal: that needs no branch
        count += 1 - full
        top += height + 1
    return count


@kernel("play")
def play(setup: Words, state: Words, action: int) -> None:
    bottom = action * (setup[HEIGHT] + 1)
    board = STONES + (state[PLIES] & 1) * setup[WORDS]
    if setup[WORDS] == 1:
        taken = state[STONES] | state[STONES + 1]
        state[board] |= (taken + (np.int64(1) << bottom)) & ~taken  # the carry finds the free cell
        line = state[PLIES] >= 2 * setup[N] - 2 and has_line(setup, state[board])
    else:
        row = 0
        while is_taken(setup, state, bottom + row):
            row += 1
        state[board + ((bottom + row) >> 6)] |= np.int64(1) << ((bottom + row) & 63)
        line = makes_line(setup, state, board, action, row)
    state[PLIES] += 1
    if line:
        state[RESULT] = LINE
    elif state[PLIES] == setup[WIDTH] * setup[HEIGHT]:
        state[RESULT] = FULL


@kernel("over")
def over(setup: Words, state: Words) -> bool:
    return state[RESULT] != GOING_ON


@kernel("returns")
def returns(setup: Words, state: Words, out: Reals) -> None:
    out[0] = out[1] = 0.0
    if state[RESULT] == LINE:
        winner = (state[PLIES] - 1) & 1
        out[winner] = 1.0
        out[1 - winner] = -1.0


@kernel("finish")
def finish(setup: Words, state: Words, actions: Words, random: Random) -> None:
    if setup[WORDS] == 1 and setup[N] == 4:
        finish_word(setup, state, actions, random, 4)  # a constant, which saves shifts
    elif setup[WORDS] == 1:
        finish_word(setup, state, actions, random, setup[N])
    while state[RESULT] == GOING_ON:
        play(setup, state, actions[random_below(random, legal(setup, state, actions))])


@helper
def finish_word(setup: Words, state: Words, actions: Words, random: Random, n: int) -> None:
    """Finish a game on a one-word board, with the same actions as ply by ply.

    The boards are local variables and `actions` holds the lowest cell of each column that is not
    full, so that nothing is listed or read from the state at each ply.
    """
    height, plies = setup[HEIGHT], state[PLIES]
    stride, cells = height + 1, setup[WIDTH] * height
    own, other = state[STONES + (plies & 1)], state[STONES + 1 - (plies & 1)]
    last, first_line = height - 1, 2 * n - 1
    count, lowest_cell = 0, np.int64(1)
    for _ in range(setup[WIDTH]):
        actions[count] = lowest_cell
        count += (own | other) & (lowest_cell << last) == 0
        lowest_cell <<= stride
    second, third = min(n - 2, 2), max(n - 4, 0)
    line = state[RESULT] == LINE
    while plies < cells and not line:
        chosen = random_below(random, count)
        bottom = actions[chosen]
        taken = own | other
        stone = (taken + bottom) & ~taken
        if stone == bottom << last:  # the column is full now
            count -= 1
            for index in range(chosen, count):
                actions[index] = actions[index + 1]
        plies += 1
        line = plies >= first_line and has_run(own | stone, stride, second, third)
        own, other = other, own | stone
    state[PLIES] = plies
    state[STONES + (plies & 1)], state[STONES + 1 - (plies & 1)] = own, other
    state[RESULT] = LINE if line else FULL


@kernel("key")
def key(setup: Words, state: Words) -> np.uint64:
    hashed = np.uint64(0)
    for word in range(2 * setup[WORDS]):
        hashed = mix(hashed, state[STONES + word])
    return hashed


@kernel("image")
def image(setup: Words, state: Words, symmetry: int, setup_out: Words, state_out: Words) -> None:
    """The only symmetry is the left-right mirror."""
    words, height, width = setup[WORDS], setup[HEIGHT], setup[WIDTH]
    for word in range(MASKS + (ROWS + setup[WINDOWS]) * words):
        setup_out[word] = setup[word]
    for word in range(STONES + 2 * words):
        state_out[word] = state[word] if word < STONES else 0
    for column in range(width):
        for row in range(height):
            bit = column * (height + 1) + row
            to = (width - 1 - column) * (height + 1) + row
            for board in range(STONES, STONES + 2 * words, words):
                state_out[board + (to >> 6)] |= has_stone(state, board, bit) << (to & 63)


@helper
def cells_of_word(setup: Words, own: int, others: int, out: Planes) -> None:
    """Write all cells of a one-word board; stone by stone, the end would be hard to predict."""
    width, height = setup[WIDTH], setup[HEIGHT]
    cells, top, stride = width * height, height - 1, height + 1
    reciprocal = (1 << 16) // width + 1  # as below, exact and faster than a division
    for cell in range(cells):
        row = (cell * reciprocal) >> 16
        bit = (cell - row * width) * stride + top - row
        out[cell] = (own >> bit) & 1
        out[cells + cell] = (others >> bit) & 1


@kernel("encode")
def encode(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Planes: the player's stones, the other's; rows from the top."""
    if setup[WORDS] == 1:
        cells_of_word(setup, state[STONES + player], state[STONES + 1 - player], out)
        return
    width, height, words = setup[WIDTH], setup[HEIGHT], setup[WORDS]
    reciprocal = (1 << 16) // (height + 1) + 1  # exact for these boards, faster than a division
    for word in range(words):
        others = state[STONES + (1 - player) * words + word]
        taken = others | state[STONES + player * words + word]
        while taken != 0:  # stone by stone: most cells are empty
            place = lowest(taken)
            taken &= taken - 1
            side = (others >> place) & 1
            column = ((64 * word + place) * reciprocal) >> 16
            row = 64 * word + place - column * (height + 1)
            out[(side * height + height - 1 - row) * width + column] = 1.0


@kernel("policy")
def policy(setup: Words, state: Words, action: int, out: Words) -> None:
    """One entry: of one plane, the cell in which the stone comes to lie."""
    width, height = setup[WIDTH], setup[HEIGHT]
    row = 0
    while is_taken(setup, state, action * (height + 1) + row):
        row += 1
    out[0] = (height - 1 - row) * width + action


@kernel("image_action")
def image_action(setup: Words, action: int, symmetry: int) -> int:
    return setup[WIDTH] - 1 - action
