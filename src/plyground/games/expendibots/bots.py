"""Methods of the original study: move ordering by boom maps, its quiescence, its greedy player."""

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
"""The ordering score of a boom, above any move's."""
TALL = 4
"""The least height of a stack whose moves the study's first, rejected quiescence followed."""

SPREAD = np.array(
    [
        [np.exp(-(steps**2) / (2 * max(tokens, 1) ** 2)) for steps in range(8)]
        for tokens in range(TOKENS + 1)
    ]
)
"""By tokens and steps along one axis: a Gaussian as wide as the stack is high, not normalized."""
NORM = SPREAD.sum(1) * 2 - 1

BOOMS, ESCAPES, SLINGSHOTS, SPREADS, STACKINGS, APPROACHES, WASTES, CLASSES = range(8)
"""The greedy player's classes of actions, the best first; CLASSES is how many they are.

The last, WASTES, are booms that cost more than they gain.
"""


@helper
def boom_map_value(state, to, tokens):
    """Return the sum over enemy stacks of the tokens of their cluster, weighted by nearness."""
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
    """Booms first, then moves towards large clusters: the movement map times the boom map."""
    if action < SQUARES:
        return BOOM
    pair, tokens = (action - SQUARES) // TOKENS, (action - SQUARES) % TOKENS + 1
    to = target(pair // TARGETS, pair % TARGETS)
    return 64.0 * boom_map_value(state, to, min(TOKENS, height(state, to) + tokens))


@kernel("loud")
def towers(setup: Words, state: Words, out: Words) -> int:
    """Booms that hit an enemy, and moves of tall stacks that end beside one."""
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
    """Return whether an explosion costs the enemy tokens, and at least as many as `side`."""
    lost = tokens_within(state, exploding & state[STACKS + side])
    return tokens_within(state, exploding & state[STACKS + 1 - side]) >= max(1, lost)


@helper
def class_of(state, after, action, alone):
    """Return the greedy player's class of an action.

    `alone` is its number of components without an enemy before the action.
    """
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
    """Play a random action of the best class; approach as near as possible if there is no other."""
    actions, words = np.empty(BRANCHING, np.int64), np.empty(WORDS, np.int64)
    listed, after = pointer(actions), pointer(words)
    alone = count_components(state, state[MOVER], True)
    best, nearest, alike, chosen = CLASSES, np.inf, 0, 0
    for index in range(legal(setup, state, listed)):
        for word in range(WORDS):
            after[word] = state[word]
        play(setup, after, listed[index])
        kind = class_of(state, after, listed[index], alone)
        distance = mean_distance(after) if kind >= APPROACHES else 0.0
        if kind < best or (kind == best and distance < nearest):
            best, nearest, alike = kind, distance, 0
        if kind == best and distance == nearest:
            alike += 1
            if random_below(random, alike) == 0:
                chosen = listed[index]
    return chosen
