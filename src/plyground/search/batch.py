"""One step of many trees in compiled code, for `Forest` and for self-play.

A step takes the network's evaluation of a tree's last leaf, descends to the next one and writes the
network's input for it into the tree's own row of the batch. Simulations that reach the end of a
game are finished on the way. The trees are those of `mcts`.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import random_gamma, random_real
from plyground.compile import Reals, Words, call_player, helper, loop, offset
from plyground.game.planes import InputWorkspace, write_input
from plyground.search.gumbel import conclude_gumbel, draw_merits
from plyground.search.mcts import SETTLED, back_up, descend, finish_leaf, mark_waiting
from plyground.search.nodes import GUMBEL, NOT_EXPANDED, NOTES, PRIOR, UNSURE, MctsWorkspace
from plyground.workspace import opener


class ForestWorkspace(InputWorkspace):
    """A slice of a forest: its trees, and one row per tree of the network's input and output."""

    trees: Words
    """The addresses of their workspaces."""
    values: NDArray[np.float32]
    logits: NDArray[np.float32]
    policies: NDArray[np.float32]
    choices: Words
    """The index of the chosen action among the legal ones; UNDECIDED while the tree grows."""
    outlooks: Reals
    """The value of the root for its player to move."""
    rows: int
    limit: int
    """The simulations of a tree; the first one evaluates the root."""
    player_count: int
    noise: float
    concentration: float
    drawn: int


LEAST = 1e-30
"""The least prior of an action in units of the greatest one: a policy improved by values is never
0 for all actions."""

UNDECIDED, UNUSED = -1, -2
"""In the place of a choice: the tree still grows; the tree is not in use."""

open_tree = opener(MctsWorkspace)


@helper
def plant(work):
    """Reset a tree to its root, whose state and past were written before."""
    root = work.tree[0]
    root["value"] = 0.0
    root["visits"] = 0
    root["count"] = NOT_EXPANDED
    root["player"] = call_player(work.rules, work.setup, work.root)
    root["proof"] = UNSURE
    work.used = 1
    work.simulations = work.full = work.waiting = 0


@helper
def take_evaluation(forest, row, work):
    """Finish the simulation of a tree's waiting leaf with the evaluation in its row."""
    count, player, players = work.counts[0], work.players[0], forest.player_count
    logits = offset(forest.logits, row * forest.branching)
    highest = logits[0]
    for index in range(1, count):
        highest = max(highest, logits[index])
    for index in range(count):
        work.scores[index] = max(exp(np.float64(logits[index] - highest)), LEAST)
    for seat in range(players):
        work.returns[(player + seat) % players] = forest.values[row * players + seat]
    finish_leaf(work, 0)
    work.waiting = 0
    if work.depths[0] == 0:
        if work.rule == GUMBEL:
            draw_merits(work, logits, forest.noise)
        elif forest.noise > 0.0:
            mix_noise(work, forest.noise, forest.concentration)


@helper
def mix_noise(work, noise, concentration):
    """Mix Dirichlet noise into the priors of the root's actions."""
    first, count = np.int64(work.tree[0]["first"]), np.int64(work.tree[0]["count"])
    total = 0.0
    for index in range(count):
        work.scores[index] = random_gamma(work.random, concentration / count)
        total += work.scores[index]
    if total == 0.0:  # the concentration is so low that all were rounded to 0
        return
    for index in range(count):
        at = NOTES * (first + index) + PRIOR
        work.notes[at] += noise * (work.scores[index] / total - work.notes[at])


@helper
def reach_leaf(work, limit):
    """Simulate until a leaf waits; return False if `limit` simulations are done before one does."""
    while work.simulations < limit:
        if descend(work, 0) != SETTLED:
            mark_waiting(work, 0)
            return True
        back_up(work, 0)
    return False


@helper
def write_leaf(forest, row, work):
    """Write the network's input for the waiting leaf."""
    player, count = work.players[0], work.counts[0]
    write_input(forest, row, work.setup, work.leaves, player, work.actions, count)


@helper
def conclude_puct(work, drawn):
    """Return the most visited action, or one drawn by visits; write their shares into `scores`."""
    tree, scores = work.tree, work.scores
    first, count = np.int64(tree[0]["first"]), np.int64(tree[0]["count"])
    tried = np.int64(tree[0]["visits"]) - 1
    best = 0
    for index in range(count):
        share = work.notes[NOTES * (first + index) + PRIOR]
        scores[index] = np.float64(tree[first + index]["visits"]) / tried if tried > 0 else share
        if scores[index] > scores[best]:
            best = index
    if not drawn:
        return best
    left = random_real(work.random)
    for index in range(count):
        left -= scores[index]
        if left < 0.0:
            return index
    return best


@helper
def conclude(forest, row, work, ply):
    """Write the policy, the choice and the value of a tree whose simulations are done."""
    tree = work.tree
    if work.rule == GUMBEL:
        chosen = conclude_gumbel(work)
        outlook = 0.0
        for index in range(np.int64(tree[0]["count"])):
            outlook += work.scores[index] * work.sums[index]
    else:
        chosen = conclude_puct(work, ply < forest.drawn)
        outlook = tree[0]["value"] / tree[0]["visits"]
    policy = offset(forest.policies, row * forest.branching)
    count = np.int64(tree[0]["count"])
    for index in range(forest.branching):
        policy[index] = work.scores[index] if index < count else 0.0
    forest.choices[row] = chosen
    forest.outlooks[row] = outlook


@loop("none(forest)", forest=ForestWorkspace)
def plant_trees(forest):
    """Reset all trees in use to their roots."""
    for row in range(forest.rows):
        if forest.choices[row] == UNDECIDED:
            plant(open_tree(forest.trees[row]))


@loop("i8(forest)", forest=ForestWorkspace)
def step_trees(forest):
    """Bring every tree to its next leaf, or to its choice; return how many leaves wait."""
    waiting = 0
    for row in range(forest.rows):
        if forest.choices[row] != UNDECIDED:
            continue
        work = open_tree(forest.trees[row])
        if work.waiting:
            take_evaluation(forest, row, work)
        if reach_leaf(work, forest.limit):
            write_leaf(forest, row, work)
            waiting += 1
        else:
            conclude(forest, row, work, forest.drawn)
    return waiting
