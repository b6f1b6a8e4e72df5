"""Monte Carlo tree search for any number of players, in three steps.

A simulation walks down the tree to a leaf (`descend`), values the leaf for each player (`evaluate`)
and adds these values to the nodes of the path (`back_up`). `search` does all three.
`descend_leaves` and `back_up_leaves` leave the second step to the caller, so that a network can
evaluate the leaves of many trees at once; simulations that end a game need no value.
"""

from __future__ import annotations

from math import exp

import numpy as np

from plyground.arithmetic import random_below
from plyground.compile import (
    SLOTS,
    call_evaluate,
    call_finish,
    call_legal,
    call_over,
    call_play,
    call_player,
    call_returns,
    call_rollout,
    helper,
    loop,
    offset,
    prefetch,
)
from plyground.control import STOP, is_late
from plyground.game import key_of
from plyground.search.gumbel import select_improved, select_root, tally, tally_unseen
from plyground.search.history import remember, select_by_history
from plyground.search.nodes import (
    GUMBEL,
    NOT_EXPANDED,
    NOTES,
    OVER,
    PRIOR,
    PUCT,
    RAW,
    SQUARES,
    UCB1_TUNED,
    UNSURE,
    WAITING,
    WINS,
    MctsWorkspace,
    hurry,
    prove,
    select,
    select_unseen,
    write_proved,
)
from plyground.search.ordering import list_unpruned
from plyground.search.repetition import is_repeated, slot_of
from plyground.workspace import record

BETWEEN = 7
"""Bit mask of the simulations: the clock is read every 8."""

LOSS = 1.0
"""The virtual loss of a leaf that waits for its value, so that the next descent differs."""

FINISH_SLOT, ROLLOUT_SLOT = map(SLOTS.index, ("finish", "rollout"))

OPEN, SETTLED, TAKEN = range(3)
"""Kinds of leaf that `descend` returns: it needs a value; its returns are known; it waits already
for a value."""


# Expanding a node --------------------------------------------------------------------------------


@helper
def preview(work, state, player, action):
    """Return the value of an action for its player: the game's result, or the heuristic."""
    rules, setup, scratch, returns = work.rules, work.setup, work.scratch, work.returns
    for word in range(work.state_size):
        scratch[word] = state[word]
    call_play(rules, setup, scratch, action)
    if call_over(rules, setup, scratch):
        call_returns(rules, setup, scratch, returns)
    else:
        call_evaluate(rules, setup, scratch, work.params, returns)
    return returns[player]


@helper
def keep_best(work, actions, scores, count):
    """Move the best actions to the front if only `work.best` are kept; return how many are."""
    kept = work.best
    if kept == 0 or kept >= count:
        return count
    for index in range(kept):
        best = index
        for other in range(index + 1, count):
            if scores[other] > scores[best]:
                best = other
        action, score = actions[best], scores[best]
        actions[best], scores[best] = actions[index], scores[index]
        actions[index], scores[index] = action, score
    return kept


@helper
def add_children(work, node, player, actions, weights, kept, count):
    """Add children for the first `kept` of `count` actions, or mark the tree as full.

    With PUCT and Gumbel search the actions' weights, scaled to add up to 1, are their priors.
    """
    tree, notes, rule = work.tree, work.notes, work.rule
    first = work.used
    if first + kept > work.node_limit:
        work.full = 1
        return
    # A random rotation, so that the first actions are not favoured; none where priors are given,
    # which decide, or with simultaneous moves, where the children of siblings must have the same
    # order.
    ordered = work.simultaneous or work.priors or kept < count
    shift = 0 if ordered else random_below(work.random, kept)
    total = 0.0
    weighted = rule >= PUCT
    noted = rule == UCB1_TUNED or work.count_wins != 0 or work.history != 0
    for index in range(kept):
        child = first + index
        rotated = index + shift if index + shift < kept else index + shift - kept
        tree[child]["value"] = 0.0
        tree[child]["visits"] = 0
        tree[child]["action"] = actions[rotated]
        tree[child]["count"] = NOT_EXPANDED
        tree[child]["player"] = player
        tree[child]["proof"] = UNSURE
        if noted:
            for note in range(NOTES):
                notes[NOTES * child + note] = 0.0
        if weighted:
            notes[NOTES * child + PRIOR] = weights[rotated]
            total += weights[rotated]
    if weighted:
        for child in range(first, first + kept):
            notes[NOTES * child + PRIOR] /= total
    tree[node]["first"] = first
    tree[node]["count"] = kept
    work.used = first + kept


@helper
def expand(work, node, state, actions, scores):
    """Add the children of a node: all, or the best few by the heuristic."""
    rules, setup, best = work.rules, work.setup, work.best
    count = list_unpruned(rules, setup, state, actions)
    player = call_player(rules, setup, state)
    kept = count
    if work.rule == PUCT or 0 < best < count:
        for index in range(count):
            if work.control[STOP]:
                return
            scores[index] = preview(work, state, player, actions[index])
        kept = keep_best(work, actions, scores, count)
        if work.rule == PUCT:
            for index in range(kept):
                scores[index] = exp(4.0 * scores[index])
    add_children(work, node, player, actions, scores, kept, count)


# The three steps ---------------------------------------------------------------------------------


@helper
def note(work, state, index):
    """Append the state's key to the line's keys; return whether it occurred before."""
    key = key_of(work.rules, work.setup, state, work.state_size)
    repeated = is_repeated(work.keys, work.seen, index, key)
    work.keys[index] = np.int64(key)
    work.seen[slot_of(key)] += 1
    return repeated


@helper
def descend(work, row):
    """Walk from the root to a leaf, write its state and path into the row, and return its kind.

    A node gets its children at its second visit, or with `priors` when its value is backed up. If
    the game is over at the leaf, proved or drawn by repetition, its returns are written into the
    row; proofs that follow from the end of a game are recorded.
    """
    rules, setup, tree, root = work.rules, work.setup, work.tree, work.root
    state = offset(work.leaves, row * work.state_size)
    path = offset(work.paths, row * work.path_size)
    actions = offset(work.actions, row * work.branching)
    scores = offset(work.scores, row * work.branching)
    returns = offset(work.returns, row * work.player_count)
    repetition, past, deepest = work.repetition, work.past, work.deepest
    for word in range(work.state_size):
        state[word] = root[word]
    node = np.int64(0)
    depth = 0
    path[0] = 0
    drawn = False
    if repetition:
        note(work, state, past)
    here = record(tree, node)
    while not drawn and here["proof"] == UNSURE:
        if here["count"] == NOT_EXPANDED and depth < deepest:
            if call_over(rules, setup, state):
                here["count"] = OVER
            elif (here["visits"] > 0 or node == 0) and not (work.full or work.priors):
                expand(work, node, state, actions, scores)
        if here["count"] <= 0:
            break
        unseen = work.simultaneous and depth > 0 and call_player(rules, setup, state)
        if work.rule == GUMBEL:
            if unseen:
                tally_unseen(work, path[depth - 1], node)
            else:
                tally(work, node)
            node = select_improved(work, node) if depth > 0 else select_root(work)
        elif unseen:
            node = select_unseen(work, path[depth - 1], node)
        elif work.history:
            node = select_by_history(work, node)
        else:
            node = select(work, node)
        here = record(tree, node)
        # The children are needed next, and loading them takes longer than playing the action.
        first = np.int64(here["first"])
        if here["count"] > 0:
            prefetch(tree, first)
            prefetch(tree, first + 3)
            prefetch(tree, first + 6)
        call_play(rules, setup, state, np.int64(here["action"]))
        depth += 1
        path[depth] = node
        if repetition:
            drawn = note(work, state, past + depth)
    if repetition:
        for index in range(past, past + depth + 1):
            work.seen[slot_of(work.keys[index])] -= 1
    work.depths[row] = depth
    if drawn:
        for player in range(work.player_count):
            returns[player] = 0.0
        return SETTLED
    if here["proof"] != UNSURE:
        write_proved(work, node, returns)
        return SETTLED
    if here["count"] == OVER:
        call_returns(rules, setup, state, returns)
        if work.solve:
            prove(work, path, depth, returns)
        if work.haste > 0.0:
            hurry(work, depth, returns)
        return SETTLED
    return TAKEN if here["count"] == WAITING else OPEN


@helper
def evaluate(work, row):
    """Write a leaf's returns, by a play-out or the heuristic, as the settings say.

    Return False if the search was stopped during the play-out: games can be long.
    """
    rules, setup, random = work.rules, work.setup, work.random
    state = offset(work.leaves, row * work.state_size)
    actions = offset(work.actions, row * work.branching)
    returns = offset(work.returns, row * work.player_count)
    plies = 0
    heuristic, cutoff, advised = work.heuristic, work.cutoff, rules[ROLLOUT_SLOT] != 0
    if rules[FINISH_SLOT] != 0 and not (heuristic or advised or cutoff):
        call_finish(rules, setup, state, actions, random)
        call_returns(rules, setup, state, returns)
        return True
    while not call_over(rules, setup, state):
        if work.control[STOP]:
            return False
        if heuristic or (cutoff > 0 and plies == cutoff):
            call_evaluate(rules, setup, state, work.params, returns)
            return True
        if advised:
            action = call_rollout(rules, setup, state, random)
        else:
            count = call_legal(rules, setup, state, actions)
            action = actions[random_below(random, count)]
        call_play(rules, setup, state, action)
        plies += 1
    call_returns(rules, setup, state, returns)
    return True


@helper
def back_up(work, row):
    """Add a leaf's returns to the nodes of its path."""
    tree, notes = work.tree, work.notes
    path = offset(work.paths, row * work.path_size)
    returns = offset(work.returns, row * work.player_count)
    tuned, counted = work.rule == UCB1_TUNED, work.count_wins
    history = work.history
    for index in range(work.depths[row] + 1):
        node = path[index]
        visited = record(tree, node)
        gained = returns[visited["player"]]
        visited["visits"] += 1
        visited["value"] += gained
        if tuned:
            notes[NOTES * node + SQUARES] += gained * gained
        if counted and gained > 0.0:
            notes[NOTES * node + WINS] += 1.0
        if history and index > 0:
            remember(work, path[index - 1], node, gained)
    work.simulations += 1


# Called from Python ------------------------------------------------------------------------------


@loop("none(workspace, i8)", workspace=MctsWorkspace)
def search(work, simulations):
    """Run simulations until they are done, the root is proved, the tree is full or STOP is set."""
    control = work.control
    for simulation in range(simulations):
        if simulation & BETWEEN == 0 and is_late(control):
            control[STOP] = 1
        if control[STOP] or (work.solve and work.tree[0]["proof"] != UNSURE):
            break
        if descend(work, 0) == OPEN and not evaluate(work, 0):
            break
        back_up(work, 0)
        if work.full:
            break


@helper
def add_loss(work, row, visits, value):
    """Add to the visits and values along a leaf's path: a virtual loss, or its removal."""
    tree = work.tree
    path = offset(work.paths, row * work.path_size)
    for index in range(work.depths[row] + 1):
        tree[path[index]]["visits"] += visits
        tree[path[index]]["value"] += value


@helper
def mark_waiting(work, row):
    """Mark the leaf of a row as waiting for its value; write its player to move and its actions."""
    state = offset(work.leaves, row * work.state_size)
    actions = offset(work.actions, row * work.branching)
    work.players[row] = call_player(work.rules, work.setup, state)
    work.counts[row] = list_unpruned(work.rules, work.setup, state, actions)
    leaf = work.paths[row * work.path_size + work.depths[row]]
    work.tree[leaf]["count"] = WAITING
    work.waiting = row + 1


@helper
def finish_leaf(work, row):
    """Finish the simulation of a waiting leaf with the values in `returns`.

    With `priors` the leaf gets its children now, with the weights in `scores`; otherwise at its
    next visit.
    """
    tree = work.tree
    leaf = work.paths[row * work.path_size + work.depths[row]]
    tree[leaf]["count"] = NOT_EXPANDED
    if work.priors:
        player, count = work.players[row], work.counts[row]
        work.notes[NOTES * leaf + RAW] = work.returns[row * work.player_count + player]
        if work.depths[row] < work.deepest and not work.full:
            actions = offset(work.actions, row * work.branching)
            scores = offset(work.scores, row * work.branching)
            kept = keep_best(work, actions, scores, count)
            add_children(work, leaf, player, actions, scores, kept, count)
    if work.losses:
        add_loss(work, row, -1, LOSS)
    back_up(work, row)


@loop("i8(workspace, i8)", workspace=MctsWorkspace)
def descend_leaves(work, count):
    """Begin up to `count` simulations; return how many leaves now wait for their values.

    Simulations that reach the end of a game are finished at once. Fewer are begun if one reaches a
    leaf that waits already, the root is proved or the tree is full.
    """
    work.waiting = 0
    work.losses = count > 1
    for _ in range(count):
        if work.full or (work.solve and work.tree[0]["proof"] != UNSURE):
            break
        row = work.waiting
        kind = descend(work, row)
        if kind == TAKEN:
            break
        if kind == SETTLED:
            back_up(work, row)
            continue
        mark_waiting(work, row)
        if work.losses:
            add_loss(work, row, 1, -LOSS)
    return work.waiting


@loop("none(workspace)", workspace=MctsWorkspace)
def back_up_leaves(work):
    """Finish the simulations of the waiting leaves."""
    for row in range(work.waiting):
        finish_leaf(work, row)
    work.waiting = 0
