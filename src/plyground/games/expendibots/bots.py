"""The original study's ideas: ordering by boom maps, its quiescence, its greedy player."""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest, random_below
from plyground.compile import Random, Words, helper, kernel, pointer
from plyground.games.expendibots.evaluate import count_components, mean_distance, tokens_within
from plyground.games.expendibots.rules import (
    BRANCHING,
    MOVER,
    SQUARES,
    STACKS,
    TARGETS,
    TOKENS,
    WORDS,
    component,
    grown,
    height,
    legal,
    play,
    target,
)

BOOM = 8192.0
"""How far booms come before moves."""
TALL = 4
"""Stacks of so many tokens are what the rejected quiescence watched."""

SPREAD = np.array(
    [
        [np.exp(-(steps**2) / (2 * max(tokens, 1) ** 2)) for steps in range(8)]
        for tokens in range(TOKENS + 1)
    ]
)
"""A Gaussian as wide as a stack is high, by tokens and by steps along one axis; not normed."""
NORM = SPREAD.sum(1) * 2 - 1

BOOMS, ESCAPES, SLINGSHOTS, SPREADS, STACKINGS, APPROACHES, WASTES, CLASSES = range(8)
"""The greedy player's classes of actions: any of an earlier one comes before all of a later.

The last, booms that cost more than they gain, is for when there is nothing else.
"""


@helper
def boom_map_value(state, to, tokens):
    """Add up over the enemy's stacks: tokens of its cluster, times how near the mover comes."""
    left = state[STACKS + 1 - state[MOVER]]
    enemy = left
    value = 0.0
    while left != 0:
        cluster = component(left & -left, enemy)
        size = tokens_within(state, cluster)
        left &= ~cluster
        while cluster != 0:
            square = lowest(cluster)
            cluster &= cluster - 1
            across, up = abs((square & 7) - (to & 7)), abs((square >> 3) - (to >> 3))
            value += size * SPREAD[tokens, across] * SPREAD[tokens, up]
    return value * tokens / (NORM[tokens] * NORM[tokens])


@kernel("order")
def boom_map(setup: Words, state: Words, action: int) -> float:
    """Booms first, then moves by the movement map times the boom map: towards large clusters."""
    if action < SQUARES:
        return BOOM
    pair, tokens = (action - SQUARES) // TOKENS, (action - SQUARES) % TOKENS + 1
    to = target(pair // TARGETS, pair % TARGETS)
    return 64.0 * boom_map_value(state, to, min(TOKENS, height(state, to) + tokens))


@kernel("loud")
def towers(setup: Words, state: Words, out: Words) -> int:
    """Booms that hit an enemy, and the moves of tall stacks that end beside one."""
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    one = np.int64(1)
    listed = legal(setup, state, out)
    count = 0
    for index in range(listed):
        action = out[index]
        if action < SQUARES:
            kept = component(one << action, own | enemy) & enemy != 0
        else:
            pair = (action - SQUARES) // TOKENS
            square = pair // TARGETS
            to = target(square, pair % TARGETS)
            kept = height(state, square) >= TALL and grown(one << to) & enemy != 0
        out[count] = action
        count += 1 if kept else 0
    return count


@helper
def is_sensible(state, side, exploding):
    """Return whether an explosion costs the enemy at least as many tokens as the side."""
    lost = tokens_within(state, exploding & state[STACKS + side])
    return tokens_within(state, exploding & state[STACKS + 1 - side]) >= max(1, lost)


@helper
def class_of(state, after, action, alone):
    """Return the greedy player's class of an action; `alone`: its components without an enemy."""
    side, one = state[MOVER], np.int64(1)
    occupied, enemy = state[STACKS] | state[STACKS + 1], state[STACKS + 1 - state[MOVER]]
    if action < SQUARES:
        sensible = is_sensible(state, side, component(one << action, occupied))
        return BOOMS if sensible else WASTES
    pair = (action - SQUARES) // TOKENS
    square = pair // TARGETS
    to = target(square, pair % TARGETS)
    there = component(one << to, after[STACKS] | after[STACKS + 1])
    if there & enemy == 0 and component(one << square, occupied) & enemy != 0:
        return ESCAPES
    if is_sensible(after, side, there):
        return SLINGSHOTS
    if count_components(after, side, True) > alone:
        return SPREADS
    if (state[STACKS + side] >> to) & 1:
        return STACKINGS
    return APPROACHES


@kernel("rollout")
def greedy(setup: Words, state: Words, random: Random) -> int:
    """Any action of the first class that has one; of the last, the one that comes nearest."""
    actions, words = np.empty(BRANCHING, np.int64), np.empty(WORDS, np.int64)
    listed, after = pointer(actions), pointer(words)
    alone = count_components(state, state[MOVER], True)
    best, nearest, alike, chosen = CLASSES, np.inf, 0, 0
    for index in range(legal(setup, state, listed)):
        for word in range(WORDS):
            after[word] = state[word]
        play(setup, after, listed[index])
        found = class_of(state, after, listed[index], alone)
        distance = mean_distance(after) if found >= APPROACHES else 0.0
        if found < best or (found == best and distance < nearest):
            best, nearest, alike = found, distance, 0
        if found == best and distance == nearest:
            alike += 1
            if random_below(random, alike) == 0:
                chosen = listed[index]
    return chosen
