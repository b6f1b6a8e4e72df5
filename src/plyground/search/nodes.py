"""The tree of Monte Carlo tree search in compiled code: nodes, proofs and selection.

A node's children lie next to each other in memory. Each node holds the sum of returns of the player
who moved into it, so that one number per node is enough for any number of players. Numbers that
only some settings need lie in `notes`, so that nodes stay small.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Annotated

import numpy as np

from plyground.arithmetic import highest
from plyground.compile import Random, Reals, Words, helper, inlined, loop
from plyground.control import must_stop
from plyground.workspace import Records, Workspace, record

NODE = np.dtype(
    [
        ("value", np.float64),  # sum of returns to `player`
        ("visits", np.int32),
        ("first", np.int32),  # index of the first child
        ("action", np.int32),  # the action that leads here
        ("count", np.int16),  # number of children, or NOT_EXPANDED, OVER or WAITING
        ("player", np.int8),  # who played `action`
        ("proof", np.int8),  # WON, LOST or DRAWN for `player`, once that is proved
    ]
)
NOT_EXPANDED, OVER, WAITING = 0, -1, -2
"""In the place of the number of children: none yet; the game is over here; none yet, and the leaf
waits for its value."""

UNSURE, WON, LOST, DRAWN = range(4)
"""What is proved of a node."""

SQUARES, PRIOR, WINS, NOTES = range(4)
"""A node's numbers in `notes`: sum of squared returns, prior probability, simulations won; NOTES is
how many they are."""
OWN = PRIOR
"""In the same place, with a history: the sum of returns of the player to move."""
RAW = SQUARES
"""In the same place, with priors: the value given for the node itself, to the player to move. Once
the node is proved, with haste: the value of the proof, to the player who moved into it."""

RULES = ("ucb1", "ucb1_tuned", "puct")
UCB1, UCB1_TUNED, PUCT, GUMBEL = range(4)
"""The rules by number; GUMBEL needs the logits of a network and is used by forests only."""

REDUCTION = 0.2
"""How much less than its parent PUCT values a child that is the last one without a visit."""

TABULATED = 4096
"""SHARES has a place for each number of visits below this, and 2048 for each doubling of visits."""
DOUBLINGS = 19
"""How many doublings there are up to 2**31 visits, more than a node can have."""
SPREADS = TABULATED // 2 * (2 + DOUBLINGS)
"""Where the second half of SHARES begins."""


def _tabulate() -> Reals:
    """Return 1 / sqrt(v), then sqrt(log(v)), for visits v in the order of `place_of`."""
    shares = [np.array([1.0 / sqrt(max(visits, 1)) for visits in range(TABULATED)])]
    spreads = [np.array([sqrt(log(max(visits, 1))) for visits in range(TABULATED)])]
    upper = np.arange(TABULATED // 2, TABULATED)
    for halvings in range(1, DOUBLINGS + 1):
        even = halvings + 1 & -2
        shares.append(shares[0][upper >> even - halvings] / sqrt(1 << even))
        spreads.append(np.sqrt(spreads[0][upper] ** 2 + halvings * log(2.0)))
    return np.concatenate(shares + spreads)


SHARES = _tabulate()

BETWEEN = 1023
"""Bit mask of the nodes that are copied: the clock is read every 1024."""

NO_WORDS, NO_REALS = np.zeros(0, np.int64), np.zeros(0)


class MctsWorkspace(Workspace):
    """The memory of one tree and its search.

    Fields from `leaves` to `returns` have one row per leaf that a descent may find at once.
    """

    rules: Words
    setup: Words
    params: Reals
    control: Words
    """Trees that share it stop together."""
    random: Random
    root: Words
    """The root's state."""
    tree: Annotated[Records, NODE]
    notes: Reals
    shares: Reals
    """The table SHARES."""
    keys: Words
    """Keys of the line of play, then of the current descent; see `repetition`."""
    seen: Words
    """How often each slot of keys occurs among them."""
    scratch: Words
    """A state to try an action in."""
    leaves: Words
    """The state of each leaf."""
    players: Words
    """The player to move at each leaf."""
    actions: Words
    counts: Words
    """The number of actions of each leaf."""
    scores: Reals
    paths: Words
    """The nodes from the root to each leaf."""
    depths: Words
    returns: Reals
    """Each player's return at each leaf."""
    exploration: float
    rule: int
    solve: int
    priors: int
    """Whether leaves get their children, with given priors, when their values are backed up."""
    best: int
    deepest: int
    heuristic: int
    cutoff: int
    history: int
    """The visits that an action's mean advantage over the whole tree counts as."""
    past_actions: Reals
    """Each player's history of each action; see `history`."""
    action_count: int
    count_wins: int
    noted: int
    """Whether `notes` are kept."""
    haste: float
    """How much less a result counts for each ply that the game has lasted."""
    simultaneous: int
    repetition: int
    past: int
    """The number of keys that precede the root's."""
    ply: int
    """The plies played before the root."""
    state_size: int
    branching: int
    path_size: int
    player_count: int
    node_limit: int
    used: int = 0
    """The number of nodes."""
    simulations: int = 0
    full: int = 0
    """Whether there was no space left for a node's children."""
    waiting: int = 0
    """The number of leaves that wait for their values."""
    losses: int = 0
    """Whether a virtual loss was added along their paths."""
    tries: Words = NO_WORDS
    """For Gumbel search: the visits of each action of the node that is looked at."""
    sums: Reals = NO_REALS
    """The sum of returns of each of these actions, later its completed value."""
    merits: Reals = NO_REALS
    """The logit of each action of the root, with its noise."""
    schedule: Words = NO_WORDS
    """For each simulation, the visits of the root's action to try next; see `gumbel.halving`."""
    planned: int = 0
    """The simulations of the schedule."""
    considered: int = 0
    visit_scale: float = 0.0
    value_scale: float = 0.0
    rescale: int = 0


@helper
def place_of(visits):
    """Return the place in SHARES of a number of visits; large ones have it in common."""
    if visits < TABULATED:
        return visits
    halvings = highest(visits) - highest(TABULATED - 1)
    return halvings * (TABULATED // 2) + (visits >> halvings)


@helper
def share_of(shares, visits):
    """Return 1 divided by the square root of a number of visits, to three digits for many."""
    if visits >= TABULATED << 10:
        return 1.0 / sqrt(np.float64(visits))
    return shares[place_of(visits)]


@helper
def spread_of(shares, visits):
    """Return the square root of the logarithm of a parent's visits, to four digits for many."""
    return shares[SPREADS + place_of(visits)]  # log itself takes longer than a play-out


@helper
def bound(notes, shares, child, visits, value, scale, parent_visits, rule, urgency):
    """Return a visited child's upper confidence bound, or the PUCT score of any child.

    `urgency` is PUCT's value of an unvisited child.
    """
    if rule == PUCT:
        mean = value / visits if visits > 0 else urgency
        return mean + scale * notes[NOTES * child + PRIOR] * sqrt(np.float64(parent_visits)) / (
            1.0 + visits
        )
    if visits < TABULATED:
        share = shares[visits]
        mean = value * share * share
    else:
        share = share_of(shares, visits)
        mean = value / visits
    if rule == UCB1:
        return mean + scale * share
    spread = notes[NOTES * child + SQUARES] * share * share - mean * mean + scale * share
    return mean + scale * share * sqrt(min(1.0, max(0.0, spread)))


@helper
def first_play_urgency(work, parent):
    """Return PUCT's value of an unvisited child, for the player to move at its parent.

    It is the parent's own value, reduced the more of the prior probability has been visited: the
    actions left out so far are likely to be worse.
    """
    if work.priors == 0:
        return 0.0
    tree, notes = work.tree, work.notes
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    visited = 0.0
    for child in range(first, first + count):
        if tree[child]["visits"] > 0:
            visited += notes[NOTES * child + PRIOR]
    return notes[NOTES * parent + RAW] - REDUCTION * sqrt(visited)


@helper
def penalty(proof, parent):
    """Return what is subtracted from the bound of a child about which something is proved.

    A lost one is visited last; at the root a drawn one too, where only a win is left to find.
    """
    if proof == LOST:
        return 1e6
    return 1e3 if proof == DRAWN and parent == 0 else 0.0


@inlined
def select(work, parent):
    """Return the child with the highest bound; unvisited children come first, lost ones last."""
    if work.rule == UCB1:
        return select_ucb1(work, parent)
    return select_noted(work, parent)


@inlined
def select_ucb1(work, parent):
    """Select by UCB1, which needs no notes."""
    tree, shares, solve = work.tree, work.shares, work.solve
    above = record(tree, parent)
    first, count = np.int64(above["first"]), np.int64(above["count"])
    scale = work.exploration * spread_of(shares, np.int64(above["visits"]))
    best, best_bound = first, -np.inf
    for child in range(first, first + count):
        node = record(tree, child)
        visits = np.int64(node["visits"])
        if visits == 0 or (solve and node["proof"] == WON):
            return child
        if visits < TABULATED:
            share = shares[visits]
            score = node["value"] * share * share + scale * share
        else:
            score = node["value"] / visits + scale * share_of(shares, visits)
        if solve:
            score -= penalty(node["proof"], parent)
        if score > best_bound:
            best, best_bound = child, score
    return best


@helper
def select_noted(work, parent):
    """Select by a rule that needs notes."""
    tree, notes, shares = work.tree, work.notes, work.shares
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    rule, solve = work.rule, work.solve
    parent_visits = np.int64(tree[parent]["visits"])
    scale, urgency = work.exploration, 0.0
    if rule == PUCT:
        urgency = first_play_urgency(work, parent)
    else:
        scale *= spread_of(shares, parent_visits)
    best, best_bound = first, -np.inf
    for child in range(first, first + count):
        visits = np.int64(tree[child]["visits"])
        if visits == 0 and rule != PUCT:
            return child
        if solve and tree[child]["proof"] == WON:
            return child
        value = tree[child]["value"]
        score = bound(notes, shares, child, visits, value, scale, parent_visits, rule, urgency)
        if solve:
            score -= penalty(tree[child]["proof"], parent)
        if score > best_bound:
            best, best_bound = child, score
    return best


@helper
def select_unseen(work, before, parent):
    """Return the child to visit for the second of two players who choose at once.

    It must not know the first player's action, so the statistics of each of its actions are summed
    over all actions of the first: over the siblings of `parent`, the children of `before`.

    The rule is UCB1, or PUCT where priors are given.
    """
    tree, notes, shares = work.tree, work.notes, work.shares
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    sibling, siblings = np.int64(tree[before]["first"]), np.int64(tree[before]["count"])
    total = np.int64(tree[before]["visits"])
    rule, scale, urgency = UCB1, work.exploration, 0.0
    if work.priors:
        rule, urgency = PUCT, first_play_urgency(work, parent)
    else:
        scale *= spread_of(shares, total)
    best, best_bound = first, -np.inf
    for index in range(count):
        visits, value = 0, 0.0
        for other in range(sibling, sibling + siblings):
            if tree[other]["count"] == count:
                same = np.int64(tree[other]["first"]) + index
                visits += tree[same]["visits"]
                value += tree[same]["value"]
        if visits == 0 and rule != PUCT:
            return first + index
        child = first + index
        score = bound(notes, shares, child, visits, value, scale, total, rule, urgency)
        if score > best_bound:
            best, best_bound = child, score
    return best


@helper
def hurry(work, depth, returns):
    """Lessen the results of a game that ends at a depth of the tree, the later the more."""
    kept = 1.0 - work.haste * (work.ply + depth)
    for player in range(work.player_count):
        returns[player] *= kept


@helper
def prove(work, path, depth, returns):
    """Record the result of a two-player game at the end of a path, and what it proves."""
    tree, notes, haste = work.tree, work.notes, work.haste
    node = path[depth]
    result = returns[tree[node]["player"]]
    if result >= 1.0:
        tree[node]["proof"] = WON
    elif result <= -1.0:
        tree[node]["proof"] = LOST
    elif result == 0.0:
        tree[node]["proof"] = DRAWN
    else:
        return
    if haste > 0.0:
        notes[NOTES * node + RAW] = result * (1.0 - haste * (work.ply + depth))
    while depth > 0:
        depth -= 1
        parent = path[depth]
        mover = tree[node]["player"]
        verdict = tree[node]["proof"]
        first = np.int64(tree[parent]["first"])
        if verdict != WON:  # the best that the mover has, once nothing is left unsure
            for child in range(first, first + tree[parent]["count"]):
                if tree[child]["proof"] == UNSURE:
                    return
                if tree[child]["proof"] == DRAWN:
                    verdict = np.int8(DRAWN)
        if haste > 0.0:
            best = -np.inf
            for child in range(first, first + tree[parent]["count"]):
                if tree[child]["proof"] != UNSURE:
                    best = max(best, notes[NOTES * child + RAW])
            notes[NOTES * parent + RAW] = best if tree[parent]["player"] == mover else -best
        if tree[parent]["player"] != mover and verdict != DRAWN:
            verdict = np.int8(LOST if verdict == WON else WON)
        tree[parent]["proof"] = verdict
        node = parent


@helper
def write_proved(work, node, returns):
    """Write the returns of a two-player game whose result at a node is proved."""
    proof, mover = work.tree[node]["proof"], work.tree[node]["player"]
    gained = 0.0 if proof == DRAWN else (1.0 if proof == WON else -1.0)
    if work.haste > 0.0:
        gained = work.notes[NOTES * node + RAW]
    returns[mover], returns[1 - mover] = gained, -gained


@loop("i8(workspace, i8)", workspace=MctsWorkspace)
def least_to_keep(work, most):
    """Return how many visits a node must have to keep its children in a tree of `most` nodes.

    It is a power of two; 0 if the time is up.
    """
    tree = work.tree
    sizes = np.zeros(64, np.int64)  # the children of nodes, by the highest bit of their visits
    for node in range(1, work.used):
        if node & BETWEEN == 0 and must_stop(work.control):
            return 0
        if tree[node]["count"] > 0:
            sizes[highest(np.int64(tree[node]["visits"]))] += tree[node]["count"]
    kept = 1 + max(0, np.int64(tree[0]["count"]))
    bit = highest(max(1, np.int64(tree[0]["visits"])))
    while bit >= 0 and kept + sizes[bit] <= most:
        kept += sizes[bit]
        bit -= 1
    return 1 << (bit + 1)


@loop("i8(workspace, tree, reals, i8, i8)", workspace=MctsWorkspace, tree=NODE)
def transplant(work, other, other_notes, root, least):
    """Copy the subtree of `root` to another buffer; return the number of nodes copied.

    Nodes with fewer than `least` visits are copied without children, and may be expanded again;
    with `least` the time may be up before all is copied, and 0 is returned.
    """
    tree, notes, noted = work.tree, work.notes, work.noted
    other[0] = tree[root]
    if noted:
        for note in range(NOTES):
            other_notes[note] = notes[NOTES * root + note]
    used = 1
    node = 0
    while node < used:
        if least > 0 and node & BETWEEN == 0 and must_stop(work.control):
            return 0
        if other[node]["count"] > 0:
            if other[node]["visits"] < least and node > 0:
                other[node]["count"] = NOT_EXPANDED
            else:
                first = np.int64(other[node]["first"])
                for child in range(first, first + np.int64(other[node]["count"])):
                    other[used + child - first] = tree[child]
                    if noted:
                        for note in range(NOTES):
                            at = NOTES * (used + child - first) + note
                            other_notes[at] = notes[NOTES * child + note]
                other[node]["first"] = used
                used += np.int64(other[node]["count"])
        node += 1
    return used
