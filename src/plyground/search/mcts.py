"""Monte Carlo tree search for any number of players, in a tree of bounded size.

A node's children lie side by side. Each node holds the sum of returns of the player who moved
into it, so that one number a node serves any number of players. What only some settings need lies
in `notes`, so that the nodes stay small.
"""

from __future__ import annotations

from math import exp, log, sqrt

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
    pointer,
    prefetch,
)
from plyground.game import key_of
from plyground.search.alphabeta import keep_wise
from plyground.search.control import BEGINNING as BEGINNING
from plyground.search.control import STOP as STOP
from plyground.search.control import is_late
from plyground.search.repetition import is_repeated, slot_of

NODE = np.dtype(
    [
        ("value", np.float64),  # sum of returns to `player`
        ("visits", np.int32),
        ("first", np.int32),  # index of the first child
        ("action", np.int32),  # what led here
        ("count", np.int16),  # children; 0 not expanded yet, -1 the game is over here
        ("player", np.int8),  # who played `action`
        ("proof", np.int8),  # WON or LOST for `player`, once that is sure
    ]
)
UNSURE, WON, LOST = range(3)

SQUARES, PRIOR, WINS, NOTES = range(4)
"""A node's numbers in `notes`: sum of squared returns, share of the policy, simulations won."""

(
    USED, SIMULATIONS, FULL, RULE, SOLVE, SIMULTANEOUS, BEST, DEEPEST, HEURISTIC, CUTOFF,
    STATE_SIZE, REPETITION, PAST, NODE_LIMIT, COUNT_WINS,
) = range(15)  # fmt: skip
"""The words of `control`."""
CONTROL_SIZE = 15

BETWEEN = 7
"""Simulations between two looks at the clock, a mask."""

UCB1, UCB1_TUNED, PUCT = range(3)
FINISH_SLOT, ROLLOUT_SLOT, UNWISE_SLOT = map(SLOTS.index, ("finish", "rollout", "unwise"))

TABULATED = 4096
"""Roots are looked up for fewer visits: 1 / sqrt(v), then sqrt(log(v))."""
SHARES = np.array(
    [1.0 / sqrt(max(visits, 1)) for visits in range(TABULATED)]
    + [sqrt(log(max(visits, 1))) for visits in range(TABULATED)]
)


@helper
def spread_of(shares, visits):
    """Give the root of the logarithm of a parent's visits."""
    if visits < TABULATED:
        return shares[TABULATED + visits]
    return sqrt(log(np.float64(visits)))


@helper
def bound(notes, shares, child, visits, value, scale, parent_visits, rule):
    """Give a visited child's upper confidence bound, or PUCT's score of any child."""
    if rule == PUCT:
        mean = value / visits if visits > 0 else 0.0
        return mean + scale * notes[NOTES * child + PRIOR] * sqrt(np.float64(parent_visits)) / (
            1.0 + visits
        )
    share = shares[visits] if visits < TABULATED else 1.0 / sqrt(np.float64(visits))
    mean = value * share * share
    if rule == UCB1:
        return mean + scale * share
    spread = notes[NOTES * child + SQUARES] * share * share - mean * mean + scale * share
    return mean + scale * share * sqrt(min(1.0, max(0.0, spread)))


@helper
def select(tree, notes, shares, parent, exploration, control):
    """Give the child with the highest bound; an unvisited one comes first, a lost one last."""
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    rule, solve = control[RULE], control[SOLVE]
    parent_visits = np.int64(tree[parent]["visits"])
    scale = exploration
    if rule != PUCT:
        scale *= spread_of(shares, parent_visits)
    best, best_bound = first, -np.inf
    for child in range(first, first + count):
        visits = np.int64(tree[child]["visits"])
        if visits == 0 and rule != PUCT:
            return child
        if solve and tree[child]["proof"] == WON:
            return child
        score = bound(
            notes, shares, child, visits, tree[child]["value"], scale, parent_visits, rule
        )
        if solve and tree[child]["proof"] == LOST:
            score -= 1e6
        if score > best_bound:
            best, best_bound = child, score
    return best


@helper
def select_unseen(tree, notes, shares, before, parent, exploration):
    """Select for the second of two who choose at once: its actions' bounds over all the first's."""
    first, count = np.int64(tree[parent]["first"]), np.int64(tree[parent]["count"])
    sister, sisters = np.int64(tree[before]["first"]), np.int64(tree[before]["count"])
    total = np.int64(tree[before]["visits"])
    scale = exploration * spread_of(shares, total)
    best, best_bound = first, -np.inf
    for index in range(count):
        visits, value = 0, 0.0
        for other in range(sister, sister + sisters):
            if tree[other]["count"] == count:
                same = np.int64(tree[other]["first"]) + index
                visits += tree[same]["visits"]
                value += tree[same]["value"]
        if visits == 0:
            return first + index
        score = bound(notes, shares, first + index, visits, value, scale, total, UCB1)
        if score > best_bound:
            best, best_bound = first + index, score
    return best


@helper
def preview(rules, setup, state, scratch, params, returns, player, action, size):
    """Give what an action is worth to its player: the result, or the heuristic's value."""
    for word in range(size):
        scratch[word] = state[word]
    call_play(rules, setup, scratch, action)
    if call_over(rules, setup, scratch):
        call_returns(rules, setup, scratch, returns)
    else:
        call_evaluate(rules, setup, scratch, params, returns)
    return returns[player]


@helper
def rank_children(actions, scores, count, kept):
    """Move the `kept` actions with the highest scores to the front, the best first."""
    for index in range(kept):
        best = index
        for other in range(index + 1, count):
            if scores[other] > scores[best]:
                best = other
        action, score = actions[best], scores[best]
        actions[best], scores[best] = actions[index], scores[index]
        actions[index], scores[index] = action, score


@helper
def expand(
    rules, setup, state, tree, notes, params, node, control, actions, scores, scratch, returns,
    random, stop,
):  # fmt: skip
    """Give a node its children, all or the best few; without room for them, say that it is full."""
    count = call_legal(rules, setup, state, actions)
    if rules[UNWISE_SLOT] != 0:
        count = keep_wise(rules, setup, state, actions, count)
    player = call_player(rules, setup, state)
    kept = count
    rule, best = control[RULE], control[BEST]
    if rule == PUCT or 0 < best < count:
        for index in range(count):
            if stop[STOP]:
                return
            scores[index] = preview(
                rules, setup, state, scratch, params, returns, player, actions[index],
                control[STATE_SIZE],
            )  # fmt: skip
        if 0 < best < count:
            kept = best
            rank_children(actions, scores, count, kept)
    first = control[USED]
    if first + kept > control[NODE_LIMIT]:
        control[FULL] = 1
        return
    # Begin anywhere, so that the first actions are not favoured; twins of a node must agree.
    turn = 0 if control[SIMULTANEOUS] or kept < count else random_below(random, kept)
    total = 0.0
    noted = rule == UCB1_TUNED or control[COUNT_WINS] != 0
    for index in range(kept):
        child = first + index
        turned = index + turn if index + turn < kept else index + turn - kept
        tree[child]["value"] = 0.0
        tree[child]["visits"] = 0
        tree[child]["action"] = actions[turned]
        tree[child]["count"] = 0
        tree[child]["player"] = player
        tree[child]["proof"] = UNSURE
        if noted:
            notes[NOTES * child + SQUARES] = notes[NOTES * child + WINS] = 0.0
        if rule == PUCT:
            notes[NOTES * child + PRIOR] = exp(4.0 * scores[turned])
            total += notes[NOTES * child + PRIOR]
    if rule == PUCT:
        for child in range(first, first + kept):
            notes[NOTES * child + PRIOR] /= total
    tree[node]["first"] = first
    tree[node]["count"] = kept
    control[USED] = first + kept


@helper
def play_out(rules, setup, state, params, actions, returns, random, control, stop):
    """Play from a leaf as the settings say, to the result or the heuristic's values.

    Games can be long: give False if it was stopped on the way.
    """
    plies = 0
    heuristic, cutoff, advised = control[HEURISTIC], control[CUTOFF], rules[ROLLOUT_SLOT] != 0
    if rules[FINISH_SLOT] != 0 and not (heuristic or advised or cutoff):
        call_finish(rules, setup, state, actions, random)
        call_returns(rules, setup, state, returns)
        return True
    while not call_over(rules, setup, state):
        if stop[STOP]:
            return False
        if heuristic or (cutoff > 0 and plies == cutoff):
            call_evaluate(rules, setup, state, params, returns)
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
def note(rules, setup, state, control, keys, seen, index):
    """Keep the state's key as the line's next one; say whether the line had it before."""
    key = key_of(rules, setup, state, control[STATE_SIZE])
    repeated = is_repeated(keys, seen, index, key)
    keys[index] = np.int64(key)
    seen[slot_of(key)] += 1
    return repeated


@helper
def prove(tree, path, depth, returns):
    """Note a sure end of the game of two, and what it makes sure above it."""
    node = path[depth]
    result = returns[tree[node]["player"]]
    if result > -1.0 and result < 1.0:
        return
    tree[node]["proof"] = WON if result >= 1.0 else LOST
    while depth > 0:
        depth -= 1
        parent = path[depth]
        mover = tree[node]["player"]
        verdict = tree[node]["proof"]
        if verdict == LOST:
            first = np.int64(tree[parent]["first"])
            for child in range(first, first + tree[parent]["count"]):
                if tree[child]["proof"] != LOST:
                    return
        if tree[parent]["player"] != mover:
            verdict = LOST if verdict == WON else WON
        tree[parent]["proof"] = verdict
        node = parent


@loop(
    "none(rules, setup, state, tree, reals, reals, reals, words, words, words, words, words,"
    " words, words, words, reals, reals, random, f8, i8)",
    tree=NODE,
)
def search(
    rules, setup, root, tree, notes, shares, params, stop, control, keys, seen, state,
    scratch, path, actions, scores, returns, random, exploration, simulations,
):  # fmt: skip
    """Run simulations from the root, node 0, until they are done, all is sure or it is to stop.

    `stop` has the first words of a `control`, and may be that of several trees.
    """
    rules_at, setup_at, state_at = pointer(rules), pointer(setup), pointer(state)
    notes_at, shares_at = pointer(notes), pointer(shares)
    params_at, control_at, scratch_at = pointer(params), pointer(control), pointer(scratch)
    path_at, actions_at, scores_at = pointer(path), pointer(actions), pointer(scores)
    returns_at, random_at, stop_at = pointer(returns), pointer(random), pointer(stop)
    solve, tuned, counted = control[SOLVE], control[RULE] == UCB1_TUNED, control[COUNT_WINS]
    repetition, past = control[REPETITION], control[PAST]
    for simulation in range(simulations):
        if simulation & BETWEEN == 0 and is_late(stop):
            stop[STOP] = 1
        if stop[STOP] or (solve and tree[0]["proof"] != UNSURE):
            break
        state[:] = root
        node = np.int64(0)
        depth = 0
        path[0] = 0
        drawn = False
        if repetition:
            note(rules_at, setup_at, state_at, control_at, keys, seen, past)
        while not drawn:
            if tree[node]["count"] == 0 and depth < control[DEEPEST]:
                if call_over(rules_at, setup_at, state_at):
                    tree[node]["count"] = -1
                elif (tree[node]["visits"] > 0 or node == 0) and not control[FULL]:
                    expand(
                        rules_at, setup_at, state_at, tree, notes_at, params_at, node, control_at,
                        actions_at, scores_at, scratch_at, returns_at, random_at, stop_at,
                    )  # fmt: skip
            if tree[node]["count"] <= 0:
                break
            if control[SIMULTANEOUS] and depth > 0 and call_player(rules_at, setup_at, state_at):
                before = path[depth - 1]
                node = select_unseen(tree, notes_at, shares_at, before, node, exploration)
            else:
                node = select(tree, notes_at, shares_at, node, exploration, control_at)
            # Its children are looked at next; memory is slower than a move.
            first = np.int64(tree[node]["first"])
            if tree[node]["count"] > 0:
                prefetch(tree, first)
                prefetch(tree, first + 3)
                prefetch(tree, first + 6)
            call_play(rules_at, setup_at, state_at, np.int64(tree[node]["action"]))
            depth += 1
            path[depth] = node
            if repetition:
                drawn = note(rules_at, setup_at, state_at, control_at, keys, seen, past + depth)
        if repetition:
            for index in range(past, past + depth + 1):
                seen[slot_of(keys[index])] -= 1
        if drawn:
            returns[:] = 0.0
        elif tree[node]["count"] == -1:
            call_returns(rules_at, setup_at, state_at, returns)
            if solve:
                prove(tree, path_at, depth, returns_at)
        elif not play_out(
            rules_at, setup_at, state_at, params_at, actions_at, returns_at, random_at, control_at,
            stop_at,
        ):  # fmt: skip
            break
        for index in range(depth + 1):
            node = path[index]
            gained = returns[tree[node]["player"]]
            tree[node]["visits"] += 1
            tree[node]["value"] += gained
            if tuned:
                notes[NOTES * node + SQUARES] += gained * gained
            if counted and gained > 0.0:
                notes[NOTES * node + WINS] += 1.0
        control[SIMULATIONS] += 1
        if control[FULL]:
            break


@loop("i8(tree, reals, tree, reals, i8, i8)", tree=NODE)
def transplant(tree, notes, other, other_notes, root, least):
    """Copy the subtree below `root`, its root first; give the nodes copied.

    Nodes with fewer than `least` visits leave their children behind and may grow new ones.
    """
    noted = len(notes) > NOTES
    other[0] = tree[root]
    if noted:
        other_notes[:NOTES] = notes[NOTES * root : NOTES * (root + 1)]
    used = 1
    node = 0
    while node < used:
        if other[node]["count"] > 0:
            if other[node]["visits"] < least and node > 0:
                other[node]["count"] = 0
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
