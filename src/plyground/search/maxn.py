"""Max^n, for any number of players, each of whom looks after itself: one iteration to a depth.

Where several actions are worth the same to the player, the lowest counts: the value does not depend
on the order in which they are tried.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import (
    call_evaluate,
    call_legal,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
    offset,
    pointer,
)
from plyground.game import key_of
from plyground.search.alphabeta import (
    CUT,
    ENTRY,
    EXACT,
    NO_ACTION,
    bring_best,
    bring_first,
    copy_line,
    find,
    rank,
    settled,
    shifted,
    store,
)
from plyground.search.control import BEGINNING, count_node
from plyground.search.control import NODE_LIMIT as NODE_LIMIT
from plyground.search.control import NODES as NODES
from plyground.search.control import STOP as STOP

CONTROL_SIZE = BEGINNING + 10
(
    HITS, GENERATION, PLAYERS, FLAGS, PRUNE, STATE_SIZE, WIDTH, LENGTH, ACTIONS, CUTS,
) = range(BEGINNING, CONTROL_SIZE)  # fmt: skip
"""The other words of `control`.

CUTS counts the values that rest on a heuristic: without any, no deeper search finds more.
"""


@helper
def maximize(
    rules, setup, params, states, actions, scores, values, table, vectors, killers, history, lines,
    control, depth, ply,
):  # fmt: skip
    """Fill the ply's row of `values` with what each player gets; its best line is its row."""
    count_node(control)
    players = control[PLAYERS]
    state = offset(states, ply * control[STATE_SIZE])
    own = offset(values, ply * players)
    line = offset(lines, ply * control[LENGTH])
    line[0] = NO_ACTION
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, own)
        for player in range(players):
            own[player] = settled(own[player], ply)
        return
    if depth == 0:
        control[CUTS] += 1
        call_evaluate(rules, setup, state, params, own)
        return
    cuts = control[CUTS]
    key = key_of(rules, setup, state, control[STATE_SIZE])
    first = np.int64(NO_ACTION)
    found = find(table, key, control[GENERATION])
    if found >= 0:
        first = np.int64(table[found]["action"])
        if table[found]["depth"] == depth and ply > 0:
            control[HITS] += 1
            if table[found]["mark"] & CUT:
                control[CUTS] += 1
            for player in range(players):
                own[player] = shifted(vectors[found * players + player], ply)
            line[0] = first
            line[1] = NO_ACTION
            return
    mover = call_player(rules, setup, state)
    own_actions = offset(actions, ply * control[WIDTH])
    own_scores = offset(scores, ply * control[WIDTH])
    own_killers = offset(killers, 2 * ply)
    own_history = offset(history, mover * control[ACTIONS])
    count = call_legal(rules, setup, state, own_actions)
    begun = bring_first(own_actions, count, first)
    rank(
        rules, setup, state, own_actions, own_scores, begun, count, own_killers, own_history,
        control[FLAGS],
    )  # fmt: skip
    following = offset(states, (ply + 1) * control[STATE_SIZE])
    theirs = offset(values, (ply + 1) * players)
    best, best_action = -np.inf, np.int64(NO_ACTION)
    for index in range(count):
        action = first
        if index >= begun:
            action = bring_best(own_actions, own_scores, index, count)
        for word in range(control[STATE_SIZE]):
            following[word] = state[word]
        call_play(rules, setup, following, action)
        maximize(
            rules, setup, params, states, actions, scores, values, table, vectors, killers,
            history, lines, control, depth - 1, ply + 1,
        )  # fmt: skip
        if control[STOP]:
            break
        if theirs[mover] > best or (theirs[mover] == best and action < best_action):
            best, best_action = theirs[mover], action
            for player in range(players):
                own[player] = theirs[player]
            copy_line(line, offset(lines, (ply + 1) * control[LENGTH]), action)
        if control[PRUNE] and best >= settled(1.0, ply + 1):  # nothing is better than to win now
            own_history[action] += depth * depth
            break
    if not control[STOP]:
        bound = EXACT + CUT if control[CUTS] > cuts else EXACT
        store(table, key, control[GENERATION], 0.0, best_action, depth, bound)
        found = find(table, key, control[GENERATION])
        for player in range(players):
            vectors[found * players + player] = shifted(own[player], -ply)


@loop(
    "none(rules, setup, state, reals, words, words, reals, reals, table, reals, words, reals,"
    " words, words, i8)",
    table=ENTRY,
)
def search(
    rules, setup, root, params, states, actions, scores, values, table, vectors, killers, history,
    lines, control, depth,
):  # fmt: skip
    """Search the root to `depth`; the first row of `values` and of `lines` is the answer."""
    for word in range(len(root)):
        states[word] = root[word]
    maximize(
        pointer(rules), pointer(setup), pointer(params), pointer(states), pointer(actions),
        pointer(scores), pointer(values), table, pointer(vectors), pointer(killers),
        pointer(history), pointer(lines), pointer(control), np.int64(depth), np.int64(0),
    )  # fmt: skip
