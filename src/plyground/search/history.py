"""Selection with a history: what an action was worth elsewhere in the tree.

Where a node has many actions and few visits, most of what is known about an action comes from other
nodes in which the same player could play it. An action's advantage is its return less the mean of
all actions tried in the same node. The mean advantage over the whole tree, added to the mean of the
node, counts as `history` visits of a child. So a child without visits has a bound as well and need
not be tried before the good ones are tried again.

It is close to the progressive history of Nijssen and Winands (2011) for games of several players.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from plyground.compile import helper
from plyground.search.nodes import (
    NOTES,
    OWN,
    SQUARES,
    TABULATED,
    UCB1_TUNED,
    WON,
    penalty,
    share_of,
    spread_of,
)

MEAN, TIMES, ENTRY = range(3)
"""An action's numbers in `past_actions`: its mean advantage, how often it was played; ENTRY is how
many they are."""
MEMORY = 1000.0
"""The mean of an action that was played more often is a moving average: positions change while the
tree is kept."""


@helper
def mean_of_children(work, node):
    """Return the mean return of the player to move at a node, over all visits of its children."""
    through = np.int64(work.tree[node]["visits"]) - (1 if node > 0 else 0)  # the first ended here
    return work.notes[NOTES * node + OWN] / through if through > 0 else 0.0


@helper
def remember(work, parent, child, gained):
    """Add what an action gained, compared with its siblings, to the action's mean advantage."""
    tree, past = work.tree, work.past_actions
    at = np.int64(tree[child]["player"]) * work.action_count + np.int64(tree[child]["action"])
    at *= ENTRY
    times = min(past[at + TIMES] + 1.0, MEMORY)
    past[at + TIMES] = times
    work.notes[NOTES * parent + OWN] += gained
    advantage = gained - mean_of_children(work, parent)
    past[at + MEAN] += (advantage - past[at + MEAN]) / (times + 1.0)


@helper
def select_by_history(work, parent):
    """Return the child with the highest bound, by its own visits and its action's history."""
    tree, notes, shares, past = work.tree, work.notes, work.shares, work.past_actions
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    tuned, solve, history = work.rule == UCB1_TUNED, work.solve, work.history
    scale = work.exploration * spread_of(shares, np.int64(tree[parent]["visits"]))
    base = ENTRY * work.action_count * np.int64(tree[first]["player"])
    usual = mean_of_children(work, parent)
    best, best_bound = first, -np.inf
    for child in range(first, first + count):
        if solve and tree[child]["proof"] == WON:
            return child
        visits, value = np.int64(tree[child]["visits"]), tree[child]["value"]
        weight = visits + history
        share = shares[weight] if weight < TABULATED else share_of(shares, weight)
        expected = usual + past[base + ENTRY * np.int64(tree[child]["action"])]
        mean = (value + history * expected) * share * share
        spread = 1.0
        if tuned:
            spread = scale * share
            if visits > 0:
                own = value / visits
                spread += max(0.0, notes[NOTES * child + SQUARES] / visits - own * own)
            spread = sqrt(min(1.0, spread))
        score = mean + scale * share * spread
        if solve:
            score -= penalty(tree[child]["proof"], parent)
        if score > best_bound:
            best, best_bound = child, score
    return best
