"""Alpha-beta: one iteration to a fixed depth; every refinement can be switched off.

The root's player and its team are one side and all others are the other side, which for more than
two sides is the paranoid view of them. Values are seen from the side to move; heuristics are the
root player's own view. A result r counts r; a sure win (r = 1) counts a hair more the sooner it
comes, so that wins are hurried and losses delayed, and always more than a heuristic, which stays
strictly between -1 and 1.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import (
    SLOTS,
    call_evaluate,
    call_legal,
    call_loud,
    call_order,
    call_over,
    call_play,
    call_player,
    call_returns,
    call_unwise,
    helper,
    loop,
    offset,
    pointer,
)
from plyground.game import key_of
from plyground.search.control import BEGINNING, count_node
from plyground.search.control import NODE_LIMIT as NODE_LIMIT
from plyground.search.control import NODES as NODES
from plyground.search.control import STOP as STOP
from plyground.search.repetition import is_repeated, slot_of

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("action", np.int32),
        ("depth", np.int16),
        ("mark", np.uint16),  # generation * 8 + CUT or 0 + bound
    ]
)
EXACT, LOWER, UPPER = range(1, 4)
CUT = 4
"""Added to the bound of a value that rests on a heuristic: a deeper search may find another."""
GENERATIONS = 8192

CONTROL_SIZE = BEGINNING + 15
(
    HITS, STORED, ROOT_PLAYER, SIDE, GENERATION, FLAGS, QUIET, REPETITION,
    PAST, STATE_SIZE, WIDTH, LENGTH, ACTIONS, EVALUATED, CUTS,
) = range(BEGINNING, CONTROL_SIZE)  # fmt: skip
"""The other words of `control`.

EVALUATED counts what heuristics were asked, and CUTS what the table knows only by them: where
neither grew, every line was followed to its end and no deeper search finds more.
"""

PRUNE, TABLE, KILLERS, HISTORY, SCOUT, REDUCE = (1 << bit for bit in range(6))
"""The switches in control[FLAGS]."""

ORDER_SLOT, UNWISE_SLOT = map(SLOTS.index, ("order", "unwise"))

HAIR = 2.0**-22
LONGEST = 4096
SLIVER = 2.0**-40
"""The width of a window that only asks whether a value is higher."""
KILLER = 2.0**50
NO_ACTION = -1


@helper
def settled(result, ply):
    """Give the value of a finished game `ply` plies below the root."""
    if result >= 1.0:
        return 1.0 + (LONGEST - ply) * HAIR
    if result <= -1.0:
        return -1.0 - (LONGEST - ply) * HAIR
    return result


@helper
def shifted(value, plies):
    """Count a sure win or loss as coming so many plies later."""
    if value > 1.0:
        return value - plies * HAIR
    if value < -1.0:
        return value + plies * HAIR
    return value


@helper
def bring_first(actions, count, first):
    """Move an action to the front, the others keep their order; give 1, or 0 if it is not there."""
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
def rank(rules, setup, state, actions, scores, start, count, killers, history, flags):
    """Score the actions from `start` on: the killers, then by the game's order and history."""
    ordered = rules[ORDER_SLOT] != 0
    for index in range(start, count):
        action = actions[index]
        if flags & KILLERS and action == killers[0]:
            scores[index] = KILLER
        elif flags & KILLERS and action == killers[1]:
            scores[index] = KILLER / 2
        else:
            score = history[action] if flags & HISTORY else 0.0
            if ordered:
                score += call_order(rules, setup, state, action)
            scores[index] = score


@helper
def bring_best(actions, scores, index, count):
    """Move the best of the remaining actions to `index`; the others keep their order."""
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
def keep_wise(rules, setup, state, actions, count):
    """Drop the unwise actions, unless that leaves none; give how many stay."""
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
def find(table, key, generation):
    """Give the index of this search's entry for a key, or -1."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    for index in range(slot, slot + 2):
        if table[index]["key"] == key and table[index]["mark"] >> 3 == generation:
            return index
    return np.int64(-1)


@helper
def store(table, key, generation, value, action, depth, bound):
    """Keep an entry: over its own, else over a stale one, else over the shallower of two."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    victim = slot
    for index in range(slot, slot + 2):
        if table[index]["key"] == key:
            victim = index
            break
        stale = table[index]["mark"] >> 3 != generation
        if stale or table[index]["depth"] < table[victim]["depth"]:
            victim = index
            if stale:
                break
    table[victim]["key"] = key
    table[victim]["value"] = value
    table[victim]["action"] = action
    table[victim]["depth"] = depth
    table[victim]["mark"] = generation * 8 + bound


@helper
def copy_line(line, following, action):
    """Make a line of an action and the line that follows it."""
    line[0] = action
    later = 0
    while following[later] != NO_ACTION:
        line[later + 1] = following[later]
        later += 1
    line[later + 1] = NO_ACTION


@helper
def negamax(
    rules, setup, params, states, actions, scores, out, table, killers, history, lines, keys, seen,
    control, depth, ply, mine, alpha, beta,
):  # fmt: skip
    """Give the value of the ply's state searched `depth` plies deep; its best line is its row.

    `mine` is 1 where the root's side is to move, else 0; below depth 0 only loud actions count.
    """
    count_node(control)
    state = offset(states, ply * control[STATE_SIZE])
    line = offset(lines, ply * control[LENGTH])
    line[0] = NO_ACTION
    root = control[ROOT_PLAYER]
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, out)
        return settled(out[root] if mine else -out[root], ply)
    flags = control[FLAGS]
    pruning = flags & PRUNE != 0
    key = np.uint64(0)
    looked_up = flags & TABLE != 0 and depth > 0
    if looked_up or control[REPETITION]:
        key = key_of(rules, setup, state, control[STATE_SIZE])
    if control[REPETITION]:
        if ply > 0 and is_repeated(keys, seen, control[PAST] + ply, key):
            return 0.0
        keys[control[PAST] + ply] = np.int64(key)

    best, best_action = -np.inf, np.int64(NO_ACTION)
    if depth <= 0:
        control[EVALUATED] += 1
        call_evaluate(rules, setup, state, params, out)
        best = out[root] if mine else -out[root]
        if depth <= -control[QUIET] or (pruning and best >= beta):
            return best

    cuts = control[EVALUATED] + control[CUTS]
    first = np.int64(NO_ACTION)
    if looked_up:
        found = find(table, key, control[GENERATION])
        if found >= 0:
            first = np.int64(table[found]["action"])
            if table[found]["depth"] == depth and ply > 0:
                value = shifted(table[found]["value"], ply)
                bound = table[found]["mark"] & 3
                if (
                    bound == EXACT
                    or (bound == LOWER and value >= beta)
                    or (bound == UPPER and value <= alpha)
                ):
                    control[HITS] += 1
                    if table[found]["mark"] & CUT:
                        control[CUTS] += 1
                    line[0] = first
                    line[1] = NO_ACTION
                    return value

    player = call_player(rules, setup, state)
    own_actions = offset(actions, ply * control[WIDTH])
    own_scores = offset(scores, ply * control[WIDTH])
    own_killers = offset(killers, 2 * ply)
    own_history = offset(history, player * control[ACTIONS])
    if depth > 0:
        count = call_legal(rules, setup, state, own_actions)
        if rules[UNWISE_SLOT] != 0:
            count = keep_wise(rules, setup, state, own_actions, count)
    else:
        count = call_loud(rules, setup, state, own_actions)
    begun = bring_first(own_actions, count, first)
    following = offset(states, (ply + 1) * control[STATE_SIZE])
    following_line = offset(lines, (ply + 1) * control[LENGTH])
    if control[REPETITION]:
        seen[slot_of(key)] += 1
    floor = max(alpha, best)
    for index in range(count):
        if index == begun:  # not before: the table's action often cuts, and asking costs
            rank(
                rules, setup, state, own_actions, own_scores, begun, count, own_killers,
                own_history, flags,
            )  # fmt: skip
        action = first
        if index >= begun:
            action = bring_best(own_actions, own_scores, index, count)
        for word in range(control[STATE_SIZE]):
            following[word] = state[word]
        call_play(rules, setup, following, action)
        same = (control[SIDE] >> call_player(rules, setup, following) & 1) == mine
        low, high = (floor, beta) if pruning else (-np.inf, np.inf)
        shallower = 0
        scouting = pruning and flags & SCOUT != 0 and index > 0 and depth > 1
        if scouting:
            high = low + SLIVER
            if flags & REDUCE and index >= 3 and depth >= 3 and own_scores[index] < KILLER / 2:
                shallower = 1
        value = 0.0
        while True:
            value = negamax(
                rules, setup, params, states, actions, scores, out, table, killers, history, lines,
                keys, seen, control, depth - 1 - shallower, ply + 1, mine if same else 1 - mine,
                low if same else -high, high if same else -low,
            )  # fmt: skip
            value = value if same else -value
            if control[STOP] or not scouting or value <= floor:
                break
            if shallower == 0 and value >= beta:
                break
            if shallower == 0:  # the scout found better: search again for the exact value
                scouting = False
                high = beta
            shallower = 0
        if control[STOP]:
            break
        if value > best:
            best, best_action = value, action
            copy_line(line, following_line, action)
        if best > floor:
            floor = best
        if pruning and floor >= beta:
            if depth > 0:
                if own_killers[0] != action:
                    own_killers[1] = own_killers[0]
                    own_killers[0] = action
                own_history[action] += depth * depth
            break
    if control[REPETITION]:
        seen[slot_of(key)] -= 1
    if looked_up and not control[STOP]:
        bound = LOWER if pruning and best >= beta else (UPPER if best <= alpha else EXACT)
        if control[EVALUATED] + control[CUTS] > cuts:
            bound += CUT
        value = shifted(best, -ply)
        store(table, key, control[GENERATION], value, best_action, depth, bound)
        control[STORED] += 1
    return best


@loop(
    "f8(rules, setup, state, reals, words, words, reals, reals, table, words, reals, words, words,"
    " words, words, i8, f8, f8)",
    table=ENTRY,
)
def search(
    rules, setup, root, params, states, actions, scores, out, table, killers, history, lines, keys,
    seen, control, depth, alpha, beta,
):  # fmt: skip
    """Search the root to `depth` within a window; its value, and the best line in `lines`.

    Stopped early, the line is the best of the root actions finished so far, and may be empty.
    """
    for word in range(len(root)):
        states[word] = root[word]
    # No literal may be passed: Numba would make a copy for it, which calls the general one in a way
    # that is lost in the cache.
    return negamax(
        pointer(rules), pointer(setup), pointer(params), pointer(states), pointer(actions),
        pointer(scores), pointer(out), table, pointer(killers), pointer(history), pointer(lines),
        pointer(keys), pointer(seen), pointer(control), np.int64(depth), np.int64(0), np.int64(1),
        alpha, beta,
    )  # fmt: skip


def plies_to_end(value: float) -> int | None:
    """Read from a value how many plies away a sure win or loss is; None where nothing is sure."""
    return round(LONGEST - (abs(value) - 1.0) / HAIR) if abs(value) > 1.0 else None
