"""Gumbel search: an improved policy from few simulations (Danihelka and others, 2022).

The root tries the actions with the highest sum of logit and Gumbel noise. Sequential halving
divides the simulations among them: after each phase only the better half is kept. Below the root,
selection is deterministic: it takes the action that brings the visits closest to the improved
policy.

The improved policy is the softmax of logit plus scaled value. The value of an action is the mean of
its simulations; an action without visits gets the node's mixed value, which combines the network's
value of the node with the values of the visited actions.

With simultaneous moves the second player does not know the first one's action: the visits and
values of its actions are summed over all actions of the first.
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from plyground.arithmetic import random_real
from plyground.compile import Words, helper
from plyground.search.nodes import NOTES, PRIOR, RAW

LEAST = 1e-6
"""The least range of values that is stretched to 1."""


def halving(considered: int, simulations: int) -> Words:
    """Return, for each simulation, the number of visits of the action to try next.

    The best action with that many visits is tried, so that actions that were dropped never match.
    """
    sequence: list[int] = []
    phases = max(1, (considered - 1).bit_length())
    left, visits = considered, 0
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            sequence += [visits] * left
            visits += 1
        left = max(min(considered, 2), left // 2)
    return np.array(sequence[:simulations], np.int64)


def schedule_of(considered: int, simulations: int) -> Words:
    """Return the sequences for roots of 0 to `considered` actions, one after the other."""
    rows = [halving(max(1, each), simulations) for each in range(considered + 1)]
    return np.concatenate(rows)


@helper
def tally(work, parent):
    """Write the visits and the sums of returns of a node's actions."""
    tree, tries, sums = work.tree, work.tries, work.sums
    first = np.int64(tree[parent]["first"])
    for index in range(np.int64(tree[parent]["count"])):
        tries[index] = tree[first + index]["visits"]
        sums[index] = tree[first + index]["value"]


@helper
def tally_unseen(work, before, parent):
    """Write the same for the second of two players who choose at once; see `select_unseen`."""
    tree, tries, sums = work.tree, work.tries, work.sums
    count = np.int64(tree[parent]["count"])
    sibling, siblings = np.int64(tree[before]["first"]), np.int64(tree[before]["count"])
    for index in range(count):
        tries[index] = 0
        sums[index] = 0.0
        for other in range(sibling, sibling + siblings):
            if tree[other]["count"] == count:
                same = np.int64(tree[other]["first"]) + index
                tries[index] += tree[same]["visits"]
                sums[index] += tree[same]["value"]


@helper
def weigh(work, parent):
    """Complete the values of a node's tallied actions; return the sum of their visits.

    Write the value of each action into `sums`, and what it adds to the logit into `scores`: 0 for
    the best action, less for the others.
    """
    tree, notes = work.tree, work.notes
    tries, sums, scores = work.tries, work.sums, work.scores
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    visits, most, share, total = 0, 0, 0.0, 0.0
    for index in range(count):
        if tries[index] > 0:
            sums[index] /= tries[index]
            prior = notes[NOTES * (first + index) + PRIOR]
            share += prior
            total += prior * sums[index]
            visits += tries[index]
            most = max(most, tries[index])
    mixed = notes[NOTES * parent + RAW]
    if share > 0.0:
        mixed = (mixed + visits * total / share) / (1.0 + visits)
    lowest, highest = np.inf, -np.inf
    for index in range(count):
        if tries[index] == 0:
            sums[index] = mixed
        lowest = min(lowest, sums[index])
        highest = max(highest, sums[index])
    span = max(highest - lowest, LEAST) if work.rescale else 2.0  # values are from -1 to 1
    scale = (work.visit_scale + most) * work.value_scale / span
    for index in range(count):
        scores[index] = scale * (sums[index] - highest)
    return visits


@helper
def improve(work, parent):
    """Turn `scores` from what values add to the logits into the improved policy."""
    notes, scores = work.notes, work.scores
    first = np.int64(work.tree[parent]["first"])
    count = np.int64(work.tree[parent]["count"])
    total = 0.0
    for index in range(count):
        scores[index] = notes[NOTES * (first + index) + PRIOR] * exp(scores[index])
        total += scores[index]
    for index in range(count):
        scores[index] /= total


@helper
def select_improved(work, parent):
    """Return the tallied child whose share of the visits is furthest below the improved policy."""
    visits = weigh(work, parent)
    improve(work, parent)
    tries, scores = work.tries, work.scores
    best, best_lack = 0, -np.inf
    for index in range(np.int64(work.tree[parent]["count"])):
        lack = scores[index] - tries[index] / (1.0 + visits)
        if lack > best_lack:
            best, best_lack = index, lack
    return np.int64(work.tree[parent]["first"]) + best


@helper
def best_tried(work, wanted):
    """Return the root's best action with `wanted` visits, by logit, noise and scaled value."""
    best, best_score = 0, -np.inf
    for index in range(np.int64(work.tree[0]["count"])):
        score = work.merits[index] + work.scores[index]
        if work.tries[index] == wanted and score > best_score:
            best, best_score = index, score
    return best


@helper
def select_root(work):
    """Return the tallied child of the root that sequential halving tries next."""
    weigh(work, 0)
    considered = min(work.considered, np.int64(work.tree[0]["count"]))
    # The first simulation has valued the root itself.
    wanted = work.schedule[considered * work.planned + work.simulations - 1]
    return np.int64(work.tree[0]["first"]) + best_tried(work, wanted)


@helper
def draw_merits(work, logits, noise):
    """Write the logits of the root's actions plus `noise` times Gumbel noise into `merits`."""
    for index in range(np.int64(work.tree[0]["count"])):
        work.merits[index] = logits[index]
        if noise > 0.0:
            work.merits[index] -= noise * log(-log(random_real(work.random)))


@helper
def conclude_gumbel(work):
    """Return the index of the chosen action; write the improved policy into `scores`."""
    tally(work, 0)
    weigh(work, 0)
    most = 0
    for index in range(np.int64(work.tree[0]["count"])):
        most = max(most, work.tries[index])
    chosen = best_tried(work, most)
    improve(work, 0)
    return chosen
