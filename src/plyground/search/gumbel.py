"""Gumbel search: an improved policy from few simulations (Danihelka and others, 2022).

The root tries the actions whose logits plus Gumbel noise are the highest, and shares simulations
out among them by sequential halving: after each phase the better half goes on. Below the root the
action is taken that brings the visits closest to the improved policy, so that nothing is random
there.

The improved policy is the softmax of logit plus weighted value. An action's value is the mean of
its simulations; that of one that was not tried is the node's mixed value, which is made of the
network's own value and the values of the actions that were tried.

Where two choose at once, the second does not know what the first has chosen: its actions' visits
and values are added up over all of the first's.
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
    """Return, for each simulation, how many visits the action has that is to be tried next.

    Of the actions with so many visits it is the best; so those that drop out are not tried again.
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
    """Write the same for the second of two who choose at once, over all that the first can do."""
    tree, tries, sums = work.tree, work.tries, work.sums
    count = np.int64(tree[parent]["count"])
    sister, sisters = np.int64(tree[before]["first"]), np.int64(tree[before]["count"])
    for index in range(count):
        tries[index] = 0
        sums[index] = 0.0
        for other in range(sister, sister + sisters):
            if tree[other]["count"] == count:
                same = np.int64(tree[other]["first"]) + index
                tries[index] += tree[same]["visits"]
                sums[index] += tree[same]["value"]


@helper
def weigh(work, parent):
    """Complete the values of a node's tallied actions; return the sum of their visits.

    `sums` becomes each action's value, and `scores` what the value adds to the logit: 0 for the
    best action and less for the others.
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
    """Turn what values add to the logits, in `scores`, into the improved policy."""
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
    """Return the best of the root's actions with so many visits, by merit and weighed value."""
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
    """Draw the noise of the root's actions: how much of it is added to their logits."""
    for index in range(np.int64(work.tree[0]["count"])):
        work.merits[index] = logits[index]
        if noise > 0.0:
            work.merits[index] -= noise * log(-log(random_real(work.random)))


@helper
def conclude_gumbel(work):
    """Return the action that the search chooses; leave the improved policy in `scores`."""
    tally(work, 0)
    weigh(work, 0)
    most = 0
    for index in range(np.int64(work.tree[0]["count"])):
        most = max(most, work.tries[index])
    chosen = best_tried(work, most)
    improve(work, 0)
    return chosen
