"""Hidden counts: a player's view, and guesses that agree with it.

All players see who owns which cell. An unknown count is 0 on an owned cell.
"""

from __future__ import annotations

from typing import Any

from plyground.arithmetic import lowest, popcount, random_below
from plyground.compile import Random, Words, helper, kernel
from plyground.games.sheep.layout import HIDDEN, PLAYERS, SHEEP, WORDS
from plyground.games.sheep.rules import (
    TURN,
    add_sheep,
    count_at,
    is_open,
    owned,
)


@helper
def cells_of(setup: Words, state: Words, player: int) -> Any:
    """Return the number of a player's cells."""
    count = 0
    for word in range(setup[WORDS]):
        count += popcount(state[owned(setup, player) + word])
    return count


@helper
def has_passed(setup: Words, state: Words, player: int) -> Any:
    """Return whether it is public that a player has no move left, for the rest of the game.

    Every turn takes one cell, so a player with fewer cells than turns has passed.
    """
    turn = state[TURN]
    if turn == setup[PLAYERS]:
        return True
    return cells_of(setup, state, player) < cells_of(setup, state, turn) + (player < turn)


@kernel("observe")
def observe(setup: Words, state: Words, player: int) -> None:
    if setup[HIDDEN] == 0:
        return
    for other in range(setup[PLAYERS]):
        if other == player:
            continue
        for word in range(setup[WORDS]):
            left = state[owned(setup, other) + word]
            while left != 0:
                cell = (word << 6) + lowest(left)
                left &= left - 1
                add_sheep(setup, state, cell, -count_at(setup, state, cell))


@helper
def guess(setup: Words, state: Words, player: int, random: Random) -> None:
    """Spread a player's sheep over its cells at random, all distributions equally likely.

    For a player who has passed, cells with free neighbours get one sheep only. The player to move
    has at least one such cell with two or more, which is drawn first.
    """
    stuck, moving = has_passed(setup, state, player), state[TURN] == player
    cells = opened = 0
    for word in range(setup[WORDS]):
        left = state[owned(setup, player) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            add_sheep(setup, state, cell, 1 - count_at(setup, state, cell))
            cells += 1
            opened += is_open(setup, state, cell)
    spare = setup[SHEEP] - cells
    stuck = stuck and opened < cells
    stacks = cells - opened if stuck else cells
    movable = random_below(random, opened) if moving and opened > 0 and spare > 0 else -1
    spare -= movable >= 0
    slots, bars = spare + stacks - 1, stacks - 1  # stars and bars: sheep, with bars between cells
    for word in range(setup[WORDS]):
        left = state[owned(setup, player) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            if is_open(setup, state, cell):
                if movable == 0:
                    add_sheep(setup, state, cell, 1)
                movable -= 1
                if stuck:
                    continue
            while slots > 0:
                slots -= 1
                if random_below(random, slots + 1) < bars:
                    bars -= 1
                    break
                add_sheep(setup, state, cell, 1)


@kernel("determinize")
def determinize(setup: Words, state: Words, player: int, random: Random) -> None:
    if setup[HIDDEN] == 0:
        return
    for other in range(setup[PLAYERS]):
        if other != player and cells_of(setup, state, other) > 0:
            guess(setup, state, other, random)
