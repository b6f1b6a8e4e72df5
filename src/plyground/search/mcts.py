"""Monte Carlo tree search (UCT) for any number of players, in a tree of bounded size.

A node's children lie side by side. Each node holds the sum of returns of the player who moved
into it, so that one number a node serves any number of players.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from plyground.arithmetic import random_below
from plyground.compile import (
    call_legal,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
)
from plyground.search.rollout import play_out

NODE = np.dtype(
    [
        ("value", np.float64),  # sum of returns to `player`
        ("visits", np.int32),
        ("first", np.int32),  # index of the first child
        ("action", np.int32),  # what led here
        ("count", np.int16),  # children; 0 not expanded yet, -1 the game is over here
        ("player", np.int16),  # who played `action`
    ]
)

STOP, USED, SIMULATIONS = range(3)
"""The words of `control`: 1 ends the search, nodes in use, simulations done."""


@helper
def select(tree, parent, exploration, shares):
    """Give the child with the highest upper confidence bound; an unvisited one comes first."""
    first = tree[parent]["first"]
    scale = exploration * sqrt(log(np.float64(tree[parent]["visits"])))
    best, best_bound = first, -np.inf
    for child in range(first, first + tree[parent]["count"]):
        visits = tree[child]["visits"]
        if visits == 0:
            return child
        share = shares[visits] if visits < len(shares) else 1.0 / sqrt(np.float64(visits))
        bound = share * (tree[child]["value"] * share + scale)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@helper
def expand(rules, setup, state, tree, node, control, actions, random):
    """Give a node its children, beginning at a random one; whether there was room for them."""
    count = call_legal(rules, setup, state, actions)
    first = control[USED]
    if first + count > len(tree):
        return False
    player = call_player(rules, setup, state)
    turn = random_below(random, count)
    for index in range(count):
        child = first + index
        turned = index + turn if index + turn < count else index + turn - count
        tree[child]["value"] = 0.0
        tree[child]["visits"] = 0
        tree[child]["count"] = 0
        tree[child]["action"] = actions[turned]
        tree[child]["player"] = player
    tree[node]["first"] = first
    tree[node]["count"] = count
    control[USED] = first + count
    return True


@loop(
    "none(rules, setup, state, tree, words, words, words, words, reals, random, reals, f8, i8)",
    tree=NODE,
)
def search(
    rules, setup, root, tree, control, state, path, actions, returns, random, shares, exploration,
    simulations,
):  # fmt: skip
    """Run simulations from the root, node 0, until they are done or `control` says stop."""
    for _ in range(simulations):
        if control[STOP]:
            break
        state[:] = root
        node = np.int64(0)
        depth = 0
        path[0] = 0
        while True:
            if tree[node]["count"] == 0:
                if call_over(rules, setup, state):
                    tree[node]["count"] = -1
                elif tree[node]["visits"] > 0 or node == 0:
                    expand(rules, setup, state, tree, node, control, actions, random)
            if tree[node]["count"] <= 0:
                break
            node = np.int64(select(tree, node, exploration, shares))
            call_play(rules, setup, state, tree[node]["action"])
            depth += 1
            path[depth] = node
        play_out(rules, setup, state, actions, random)
        call_returns(rules, setup, state, returns)
        for index in range(depth + 1):
            node = path[index]
            tree[node]["visits"] += 1
            tree[node]["value"] += returns[tree[node]["player"]]
        control[SIMULATIONS] += 1


@loop("i8(tree, tree, i8)", tree=NODE)
def transplant(tree, other, root):
    """Copy the subtree below `root` into `other`, its root first; give the nodes copied."""
    other[0] = tree[root]
    used = 1
    node = 0
    while node < used:
        if other[node]["count"] > 0:
            first = other[node]["first"]
            for index in range(other[node]["count"]):
                other[used + index] = tree[first + index]
            other[node]["first"] = used
            used += other[node]["count"]
        node += 1
    return used
