"""The learned heuristic: a small network over stacks and over what each component holds.

Every stack is an input by its owner, height and square. The other inputs describe the whole
position as one of several cases each: both sides' tokens, components and largest components, the
most that each side gains by a boom, and the distance between the sides. The player to move comes
first, so that the network sees no colours.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest
from plyground.compile import Planes, Reals, Words, helper, kernel, offset, pointer
from plyground.game.neural import ROWS, UNITS, NeuralEvaluator, network_value
from plyground.games.expendibots.endings import UNKNOWN, ending, packed_table
from plyground.games.expendibots.evaluate import tokens_within
from plyground.games.expendibots.rules import (
    HEIGHTS,
    MOVER,
    SIZE,
    SQUARES,
    STACKS,
    TOKENS,
    component,
    grown,
)
from plyground.options import option

CLASSES = 5
"""Heights that are distinguished: 1, 2, 3, 4, and more."""

COUNTS = TOKENS + 1
STACK_INPUTS = 2 * CLASSES * SQUARES
MATERIAL = STACK_INPUTS
"""Cases by the tokens of both sides."""
CASES = MATERIAL + COUNTS * COUNTS
"""Then the numbers of `survey`, with as many cases each as there are numbers of tokens."""
NUMBERS = 7
INPUTS = CASES + NUMBERS * COUNTS
MOST = 2 * TOKENS + 1 + NUMBERS
"""The most inputs that a position has."""

SURE = ROWS + UNITS * INPUTS
"""Index in `params`, after the network: the least value of an ending that is won, by which the
network's values are scaled; 0 if the table of endings, which follows, is not used."""
LEAST_SURE, FARTHEST = 0.99, 32.0
"""The number there if the table is used, and more plies than any ending takes."""


@helper
def stack_inputs(state, squares, first, numbers, count):
    """Write the inputs of a side's stacks; return the new count."""
    while squares != 0:
        square = lowest(squares)
        squares &= squares - 1
        tall = ((state[HEIGHTS + 2] | state[HEIGHTS + 3]) >> square) & 1
        low = (state[HEIGHTS] >> square) & 1 | ((state[HEIGHTS + 1] >> square) & 1) << 1
        high = CLASSES - 1 if low | (state[HEIGHTS + 3] >> square) & 1 else CLASSES - 2
        numbers[count] = first + SQUARES * (high if tall else low - 1) + square
        count += 1
    return count


@helper
def gap(own, enemy):
    """Return the distance between the nearest stacks of both sides, in king's steps."""
    steps = 0
    while own & enemy == 0 and steps < SIZE:
        own = grown(own)
        steps += 1
    return steps


@helper
def list_inputs(state, numbers):
    """Write the numbers of a position's inputs, and return how many there are."""
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    count = stack_inputs(state, own, 0, numbers, 0)
    count = stack_inputs(state, enemy, CLASSES * SQUARES, numbers, count)
    tokens = own_components = enemy_components = own_largest = enemy_largest = 0
    gain = loss = enemies = 0
    left = own | enemy
    while left != 0:
        exploding = component(left & -left, own | enemy)
        left &= ~exploding
        mine, theirs = (
            tokens_within(state, exploding & own),
            tokens_within(state, exploding & enemy),
        )
        tokens += mine
        enemies += theirs
        own_largest, enemy_largest = max(own_largest, mine), max(enemy_largest, theirs)
        own_components += mine > 0
        enemy_components += theirs > 0
        if mine > 0 and theirs > 0:
            gain, loss = max(gain, theirs - mine), max(loss, mine - theirs)
    numbers[count] = MATERIAL + COUNTS * tokens + enemies
    case = CASES
    for number in (own_components, enemy_components, own_largest, enemy_largest, gain, loss,
                   gap(own, enemy)):  # fmt: skip
        count += 1
        numbers[count] = case + number
        case += COUNTS
    return count + 1


@kernel("encode")
def inputs(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Write the inputs, by which the network is trained, as numbers 0 and 1."""
    memory = np.empty(MOST, np.int64)
    numbers = pointer(memory)
    for index in range(list_inputs(state, numbers)):
        out[numbers[index]] = 1.0


@kernel("evaluate")
def neural(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """`params`: the network, and the table of endings."""
    sure = params[SURE]
    if sure > 0.0:
        distance = ending(state, offset(params, SURE + 1))
        if distance != UNKNOWN:
            value = 0.0
            if distance != 0:
                value = sure + (1.0 - sure) * (1.0 - abs(distance) / FARTHEST)
            if distance < 0:
                value = 0.0 - value
            out[state[MOVER]] = value
            out[1 - state[MOVER]] = 0.0 - value  # never -0.0
            return
    numbers_memory, amounts_memory = np.empty(MOST, np.int64), np.empty(MOST)
    numbers, amounts = pointer(numbers_memory), pointer(amounts_memory)
    count = list_inputs(state, numbers)
    for index in range(count):
        amounts[index] = 1.0
    value = network_value(params, numbers, amounts, count)
    if sure > 0.0:
        value *= sure
    out[state[MOVER]] = value
    out[1 - state[MOVER]] = 0.0 - value  # never -0.0


class Neural(NeuralEvaluator):
    """A small neural network, trained on games of shallow searches."""

    name = "neural"
    kernel = neural
    inputs = inputs
    input_count = INPUTS
    teacher = "alphabeta(depth=2, quiet=4, unwise=suicides)"
    variants = ("expendibots",)
    longest = 120  # one token against one goes on for ever

    endings: bool = option(True, help="exact values of endings of up to four tokens, by a table")

    def more_params(self) -> Reals:
        return np.append(LEAST_SURE, packed_table()) if self.endings else np.zeros(1)
