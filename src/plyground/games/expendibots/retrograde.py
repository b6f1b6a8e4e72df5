"""How the table of endings is made: `python -m plyground.games.expendibots.retrograde FILE`.

Sweep n finds the positions that are decided in n plies: won if an action leads to a loss in n - 1,
lost if all actions lead to wins, the latest in n - 1. What no sweep decides is a draw. Moves keep
the number of tokens and booms lower it, so that endings of three tokens come first.
"""

from __future__ import annotations

import sys
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from plyground.compile import Bytes, Words, helper, loop, pointer
from plyground.games.expendibots.endings import (
    DRAWN,
    ENTRIES,
    ONE_THREE,
    ONE_TWO,
    PAIRS,
    THREE_ONE,
    TRIPLES,
    TWO_TWO,
    entry_number,
)
from plyground.games.expendibots.rules import (
    BRANCHING,
    HEIGHTS,
    SQUARES,
    STACKS,
    WORDS,
    legal,
    play,
)

PARTS = (0, THREE_ONE), (THREE_ONE, TWO_TWO), (TWO_TWO, ENTRIES)
"""Entries between which moves lead: three tokens, three against one, two against two."""


@helper
def put(state, side, square):
    """Add a token of a side; return whether the square has no token of the other's."""
    one = np.int64(1) << square
    state[HEIGHTS + 1] ^= state[HEIGHTS] & one
    state[HEIGHTS] ^= one
    state[STACKS + side] |= one
    return state[STACKS + 1 - side] & one == 0


@helper
def place(number, multisets, state):
    """Set up the position of an entry, player 0 to move; return whether there is one."""
    for word in range(WORDS):
        state[word] = 0
    single, size, first = np.int64(0), np.int64(2), np.int64(0)
    if number >= TWO_TWO:
        first = np.int64(TWO_TWO)
    elif number >= ONE_THREE:
        size, first = np.int64(3), np.int64(ONE_THREE)
    elif number >= THREE_ONE:
        single, size, first = np.int64(1), np.int64(3), np.int64(THREE_ONE)
    elif number >= ONE_TWO:
        first = np.int64(ONE_TWO)
    else:
        single = np.int64(1)
    count = PAIRS if size == 2 else TRIPLES
    others, anchor = (number - first) % count, (number - first) // count
    possible = True
    if number >= TWO_TWO:
        possible = put(state, 0, anchor % SQUARES)
        anchor //= SQUARES
    x = np.int64(0)
    while (x + 1) * (x + 2) // 2 <= anchor:
        x += 1
    possible &= put(state, single, 8 * (anchor - x * (x + 1) // 2) + x)
    row = others if size == 2 else PAIRS + others
    for index in range(size):
        possible &= put(state, 1 - single, multisets[3 * row + index])
    return possible


@helper
def decided(distances, state, following, actions, plies):
    """Return whether a position is won (1) or lost (-1) in so many plies; 0 if neither."""
    lost = True
    for index in range(legal(state, state, actions)):  # the setup is empty
        for word in range(WORDS):
            following[word] = state[word]
        play(state, following, actions[index])
        if following[STACKS] == 0:
            lost &= following[STACKS + 1] != 0  # a suicide, or the last tokens of both
        elif following[STACKS + 1] == 0:
            return 1
        else:
            entry = entry_number(following)
            distance = distances[entry] if entry != DRAWN else 0
            if -plies < distance < 0:
                return 1
            lost &= 0 < distance < plies
    return -1 if lost else 0


@loop("i8(words, words, words, i8, i8, i8)")
def sweep(distances, multisets, memory, first, end, plies):
    """Find what is decided in so many plies among some entries; return how many there are."""
    state, following = pointer(memory[:WORDS]), pointer(memory[WORDS : 2 * WORDS])
    actions = pointer(memory[2 * WORDS :])
    count = 0
    for number in range(first, end):
        if distances[number] == 0 and place(number, multisets, state):
            sign = decided(distances, state, following, actions, plies)
            distances[number] = sign * plies
            count += sign != 0
    return count


def squares_of_multisets() -> Words:
    """Return the squares of all pairs and triples by their numbers, three words each."""
    rows = []
    for size in (2, 3):
        ordered = combinations_with_replacement(range(SQUARES), size)
        rows += [(*each, 0)[:3] for each in sorted(ordered, key=lambda each: each[::-1])]
    return np.array(rows, np.int64).reshape(-1)


def build(parts: int = len(PARTS)) -> Bytes:
    """Return the table, or its first parts with zeros for the rest; all of it takes a minute."""
    distances = np.zeros(ENTRIES, np.int64)
    multisets, memory = squares_of_multisets(), np.empty(2 * WORDS + BRANCHING, np.int64)
    for first, end in PARTS[:parts]:
        plies, latest = 1, int(np.abs(distances[:first]).max(initial=0)) + 1
        while plies <= latest + 1:
            if sweep(distances, multisets, memory, first, end, plies):
                latest = max(latest, plies)
            plies += 1
    return distances.astype(np.int8)


if __name__ == "__main__":
    np.savez_compressed(Path(sys.argv[1]), endings=build())
