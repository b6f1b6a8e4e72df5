"""The threat heuristic: who can carry out which threats, and how many stones open windows miss.

A threat is a free cell that completes a line of a player. Most games without a quick win are
decided by zugzwang: nobody plays beneath the other's threat until no other cell is left. Who has to
do so then depends on how many cells are left, so that a threat in every second row favours either
player. All is computed on bitboards of 64 bits, 128 bits, or 320 where the board is larger.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.bitboard import count, empty_64, empty_128, empty_320, widen
from plyground.compile import Reals, Words, helper, kernel, offset
from plyground.game import Evaluator, Game
from plyground.games.connect_n.boards import has_several, winning_cells
from plyground.games.connect_n.rules import HEIGHT, MASKS, PLIES, STONES, WIDTH, WORDS, N
from plyground.options import option

WON = 0.995
"""The value of a position in which a line cannot be parried."""

FAVOURABLE, UNFAVOURABLE, STACKED, ZUGZWANG, HALF_PLIES, WINDOWS = range(6)
"""Indices of the parameters; from WINDOWS on, the weights of windows that miss 2, 3, ... stones."""


@helper
def load_words(words, start, size, like):
    """Return the board that is stored as `size` words from `start` on, as wide as `like`."""
    board = like
    for word in range(size):
        board |= widen(words[start + word], like) << (64 * word)
    return board


@helper
def from_lowest(cells, tops):
    """Mark in every column the lowest of the cells and all above it; `tops` are the bits on top."""
    return (cells | (tops - cells)) & ~tops


@helper
def lowest_cells(cells, tops):
    """Mark in every column the lowest of the cells."""
    return cells & (tops - cells)


@helper
def zugzwang(own, other, free, tops):
    """Return the result for the player to move if no new threat arises, and the plies until then.

    `own` and `other` are the threats. All cells are filled that are not beneath a threat; who is to
    move then plays beneath a threat of its own, which the other parries, or loses.
    """
    while True:
        both = own | other
        plies = count(free & ~from_lowest((both >> 1) & free, tops))
        if plies == count(free):
            return np.int64(0), plies
        turn = np.int64(1)  # 1 if the player to move in the position is to move then
        given_up, lost_to = own, other
        if plies & 1:
            turn, given_up, lost_to = np.int64(-1), other, own
        given = lowest_cells(both, tops) & given_up & ~lost_to
        if not given:
            return -turn, plies
        if given & (given_up >> 1):  # two threats, one above the other: only one is parried
            return turn, plies
        given &= -given
        own, other = own & ~given, other & ~given


@helper
def open_windows(own, free, stride, n, weights):
    """Return the weights of all windows without the other's stones, other than upright ones."""
    reached, total = own | free, 0.0
    for step in (stride - 1, stride, stride + 1):
        windows, ones = reached, own
        twos = fours = own ^ own  # with `ones` the binary digits of how many stones a window has
        for distance in range(1, n):
            windows &= reached >> (distance * step)
            stones = own >> (distance * step)
            carry = ones & stones
            ones = ones ^ stones
            fours |= twos & carry
            twos = twos ^ carry
        for missing in range(2, n):
            number = n - missing
            found = windows & (ones if number & 1 else ~ones) & (twos if number & 2 else ~twos)
            total += weights[missing - 2] * count(found & (fours if number & 4 else ~fours))
    return total


@helper
def player_value(stones, own, other, favourable, free, tops, stride, n, params):
    """Return what a player's threats and windows are worth.

    A threat above one of the other's does not count: the game ends before it can be carried out.
    """
    useful = own & ~(from_lowest(other, tops) & ~lowest_cells(other, tops))
    lowest = lowest_cells(useful, tops)
    value = params[FAVOURABLE] * count(lowest & favourable)
    value += params[UNFAVOURABLE] * count(lowest & ~favourable)
    if useful & (useful >> 1):
        value += params[STACKED]
    return value + open_windows(stones, free, stride, n, offset(params, WINDOWS))


@helper
def position_value(setup, state, params, words, like):
    """Return the value of a position for the player to move, on boards as wide as `like`."""
    height, n, player = setup[HEIGHT], setup[N], state[PLIES] & 1
    stride = height + 1
    floor = load_words(setup, MASKS, words, like)
    second_rows = load_words(setup, MASKS + words, words, like)
    stones = load_words(state, STONES + player * words, words, like)
    others = load_words(state, STONES + (1 - player) * words, words, like)
    tops = floor << height
    board = tops - floor
    free = board & ~(stones | others)
    own = winning_cells(stones, stride, n)
    sign = 1.0
    while True:  # replies that are forced are played
        own &= free
        other = winning_cells(others, stride, n) & free
        following = (board & ~free) + floor
        if own & following:
            return sign * WON
        forced = other & following
        if not forced:
            break
        if has_several(forced) or (forced << 1) & other:
            return -sign * WON
        free = free & ~forced
        stones, others, own = others, stones | forced, other
        sign, player = -sign, 1 - player
    result, plies = zugzwang(own, other, free, tops)
    near = params[HALF_PLIES] / (params[HALF_PLIES] + plies)
    score = params[ZUGZWANG] * result * near
    # If all other columns are full, the first player gets every second row, and if their cells are
    # even in number, the bottom row is one of them.
    is_second = ((setup[WIDTH] - 1) * height + player) & 1 == 0
    rows = second_rows if is_second else board & ~second_rows
    score += player_value(stones, own, other, rows, free, tops, stride, n, params)
    score -= player_value(others, other, own, board & ~rows, free, tops, stride, n, params)
    return sign * score / (1.0 + abs(score))


@kernel("evaluate")
def threats(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """`params`: see FAVOURABLE and those that follow it."""
    words, player = setup[WORDS], state[PLIES] & 1
    if words == 1 and (setup[N] - 1) * (setup[HEIGHT] + 2) < 64:  # no shift is that far
        value = position_value(setup, state, params, 1, empty_64())
    elif words <= 2:
        value = position_value(setup, state, params, words, empty_128())
    else:
        value = position_value(setup, state, params, words, empty_320())
    out[player] = value
    out[1 - player] = -value


class Threats(Evaluator):
    """Score threats by whether they can be carried out, and windows by the stones they miss."""

    name = "threats"
    kernel = threats

    favourable: float = option(
        0.3, low=0, high=10, help="weight of a threat in a row that favours its player"
    )
    unfavourable: float = option(0.15, low=0, high=10, help="weight of a threat in another row")
    stacked: float = option(
        1.0, low=0, high=10, help="weight of two threats of a player, one above the other"
    )
    zugzwang: float = option(
        2.4, low=0, high=10, help="weight of a win by zugzwang with the present threats"
    )
    half_plies: float = option(
        6.0, low=0.1, high=1000, help="plies before the zugzwang at which it counts half"
    )
    windows: tuple[float, ...] = option(
        (0.096, 0.03, 0.012),
        low=0,
        high=10,
        help="weights for n = 4 of windows that miss 2, 3, ... stones, 0 for those that miss more; "
        "for another n they are multiplied by n / 4",
    )

    def params(self, game: Game) -> Sequence[float]:
        n = game.n  # type: ignore[attr-defined]
        windows = (*(weight * n / 4 for weight in self.windows), *[0.0] * n)[: n - 2]
        weights = self.favourable, self.unfavourable, self.stacked, self.zugzwang, self.half_plies
        return [*weights, *windows]
