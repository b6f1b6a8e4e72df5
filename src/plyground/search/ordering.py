"""Move ordering and forward pruning: which actions a search tries, and in which order."""

from __future__ import annotations

from plyground.compile import SLOTS, call_legal, call_order, call_unwise, helper

KILLERS, HISTORY = 1, 2
"""Switches: try actions first that cut off a sibling node, or that have often cut off."""

ORDER_SLOT, UNWISE_SLOT = map(SLOTS.index, ("order", "unwise"))

KILLER = 2.0**50
"""The score of a killer, above any other."""


@helper
def list_unpruned(rules, setup, state, actions):
    """Write the legal actions that are not pruned, or all if all would be; return how many."""
    count = call_legal(rules, setup, state, actions)
    if rules[UNWISE_SLOT] == 0:
        return count
    kept = 0
    for index in range(count):
        if not call_unwise(rules, setup, state, actions[index]):
            kept += 1
    if kept == 0 or kept == count:
        return count
    kept = 0
    for index in range(count):
        action = actions[index]
        if not call_unwise(rules, setup, state, action):
            actions[kept] = action
            kept += 1
    return kept


@helper
def bring_first(actions, count, first):
    """Move an action to the front, keeping the order of the others; return 1, or 0 if not found."""
    place = 0
    while place < count and actions[place] != first:
        place += 1
    if place == count:
        return 0
    for index in range(place, 0, -1):
        actions[index] = actions[index - 1]
    actions[0] = first
    return 1


@helper
def rank(rules, setup, state, actions, scores, start, count, killers, history, switches):
    """Score the actions from `start` on: killers highest, then by the game's order and history."""
    ordered = rules[ORDER_SLOT] != 0
    for index in range(start, count):
        action = actions[index]
        if switches & KILLERS and action == killers[0]:
            scores[index] = KILLER
        elif switches & KILLERS and action == killers[1]:
            scores[index] = KILLER / 2
        else:
            score = history[action] if switches & HISTORY else 0.0
            if ordered:
                score += call_order(rules, setup, state, action)
            scores[index] = score


@helper
def bring_best(actions, scores, index, count):
    """Move the best of the actions from `index` on to `index`, keeping the order of the others."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    action, score = actions[best], scores[best]
    while best > index:
        actions[best] = actions[best - 1]
        scores[best] = scores[best - 1]
        best -= 1
    actions[index] = action
    scores[index] = score
    return action


@helper
def note_cut(killers, history, action, depth):
    """Record an action that caused a cutoff as killer and in the history."""
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action
    history[action] += depth * depth
