"""Alpha-beta for two players: one iteration to a fixed depth, with table, killers and history.

Values are seen from the side to move. A result r counts r; a sure win (r = 1) counts a hair more
the sooner it comes, so that wins are hurried and losses delayed, and always more than a heuristic,
which stays strictly between -1 and 1. The heuristic is always the root player's own view.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import mix
from plyground.compile import (
    call_evaluate,
    call_legal,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
)
from plyground.game import key_of

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("action", np.int32),
        ("depth", np.int16),
        ("bound", np.int16),
    ]
)
EMPTY, EXACT, LOWER, UPPER = range(4)

STOP, NODES, NODE_LIMIT, ROOT_PLAYER, HITS, SALT = range(6)
"""The words of `control`; setting STOP to 1 ends the search."""

HAIR = 2.0**-22
LONGEST = 4096
FIRST, KILLER = 2.0**60, 2.0**50
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
def leaf(rules, setup, state, params, out, control):
    """Give the heuristic value: the root player's view, turned to the side to move."""
    call_evaluate(rules, setup, state, params, out)
    root = control[ROOT_PLAYER]
    return out[root] if call_player(rules, setup, state) == root else -out[root]


@helper
def rank(actions, scores, count, first, killers, ply, history, player):
    """Score the actions: the table's first, then the killers, then by history."""
    for index in range(count):
        action = actions[index]
        if action == first:
            scores[index] = FIRST
        elif action == killers[2 * ply]:
            scores[index] = KILLER
        elif action == killers[2 * ply + 1]:
            scores[index] = KILLER / 2
        else:
            scores[index] = history[player, action]


@helper
def bring_best(actions, scores, index, count):
    """Swap the best of the remaining actions to `index`; equal ones keep their order."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    action, score = actions[best], scores[best]
    while best > index:
        actions[best], scores[best] = actions[best - 1], scores[best - 1]
        best -= 1
    actions[index], scores[index] = action, score
    return action


@helper
def negamax(
    rules, setup, params, states, actions, scores, out, table, killers, history, lines, control,
    depth, ply, alpha, beta,
):  # fmt: skip
    """Give the value of states[ply] searched `depth` plies deep; its best line is lines[ply]."""
    state = states[ply]
    lines[ply, ply] = NO_ACTION
    control[NODES] += 1
    if control[NODES] >= control[NODE_LIMIT]:
        control[STOP] = 1
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, out)
        return settled(out[call_player(rules, setup, state)], ply)
    if depth == 0:
        return leaf(rules, setup, state, params, out, control)

    key = key_of(rules, setup, state)
    slot = np.int64(key & np.uint64(len(table) - 1))
    key = mix(key, control[SALT])  # entries of earlier searches do not match
    first = np.int64(NO_ACTION)
    if table[slot]["key"] == key and table[slot]["bound"] != EMPTY:
        first = np.int64(table[slot]["action"])
        if table[slot]["depth"] == depth and ply > 0:
            value = shifted(table[slot]["value"], ply)
            bound = table[slot]["bound"]
            if (
                bound == EXACT
                or (bound == LOWER and value >= beta)
                or (bound == UPPER and value <= alpha)
            ):
                control[HITS] += 1
                lines[ply, ply] = first
                lines[ply, ply + 1] = NO_ACTION
                return value

    player = call_player(rules, setup, state)
    count = call_legal(rules, setup, state, actions[ply])
    rank(actions[ply], scores[ply], count, first, killers, ply, history, player)
    best, best_action = -np.inf, np.int64(NO_ACTION)
    floor = alpha
    for index in range(count):
        action = bring_best(actions[ply], scores[ply], index, count)
        states[ply + 1, :] = state
        call_play(rules, setup, states[ply + 1], action)
        same = call_player(rules, setup, states[ply + 1]) == player
        value = negamax(
            rules, setup, params, states, actions, scores, out, table, killers, history, lines,
            control, depth - 1, ply + 1, floor if same else -beta, beta if same else -floor,
        )  # fmt: skip
        if control[STOP]:
            break
        if not same:
            value = -value
        if value > best:
            best, best_action = value, action
            lines[ply, ply] = action
            for later in range(ply + 1, lines.shape[1]):
                lines[ply, later] = lines[ply + 1, later]
                if lines[ply, later] == NO_ACTION:
                    break
        if best > floor:
            floor = best
        if floor >= beta:
            if killers[2 * ply] != action:
                killers[2 * ply + 1] = killers[2 * ply]
                killers[2 * ply] = action
            history[player, action] += depth * depth
            break
    if not control[STOP]:
        table[slot]["key"] = key
        table[slot]["value"] = shifted(best, -ply)
        table[slot]["action"] = best_action
        table[slot]["depth"] = depth
        table[slot]["bound"] = LOWER if best >= beta else (EXACT if best > alpha else UPPER)
    return best


@loop(
    "f8(rules, setup, state, reals, words2, words2, reals2, reals, table, words, reals2, words2,"
    " words, i8)",
    table=ENTRY,
)
def search(
    rules, setup, root, params, states, actions, scores, out, table, killers, history, lines,
    control, depth,
):  # fmt: skip
    """Search the root to `depth`; its value, and the best line in lines[0].

    Stopped early, the line is the best of the root actions finished so far, and may be empty.
    """
    states[0, :] = root
    return negamax(
        rules, setup, params, states, actions, scores, out, table, killers, history, lines,
        control, np.int64(depth), np.int64(0), -np.inf, np.inf,
    )  # fmt: skip


def plies_to_end(value: float) -> int | None:
    """Read from a value how many plies away a sure win or loss is; None where nothing is sure."""
    return round(LONGEST - (abs(value) - 1.0) / HAIR) if abs(value) > 1.0 else None
