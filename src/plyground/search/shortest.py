"""The shortest way to a good end, for puzzles of one player: iterative deepening with a table.

A game may give a `bound`, the fewest plies that can still be needed; with it this is IDA*.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import (
    SLOTS,
    call_bound,
    call_legal,
    call_over,
    call_play,
    call_returns,
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

ENTRY = np.dtype([("key", np.uint64), ("plies", np.int64)])

CONTROL_SIZE = BEGINNING + 2
STATE_SIZE, WIDTH = range(BEGINNING, CONTROL_SIZE)
"""The other words of `control`."""

BOUND_SLOT = SLOTS.index("bound")
FAILED = -1.0


@helper
def reach(rules, setup, states, actions, out, table, line, control, plies, ply):
    """Say whether a good end can be reached in at most `plies`; `line` then leads there."""
    count_node(control)
    state = offset(states, ply * control[STATE_SIZE])
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, out)
        return out[0] > FAILED
    if plies == 0 or control[STOP]:
        return False
    if rules[BOUND_SLOT] != 0 and call_bound(rules, setup, state) > plies:
        return False
    key = key_of(rules, setup, state, control[STATE_SIZE])
    slot = np.int64(key & np.uint64(len(table) - 1))
    if table[slot]["key"] == key and table[slot]["plies"] >= plies:
        return False  # tried before, with as many plies to go, in vain
    own_actions = offset(actions, ply * control[WIDTH])
    count = call_legal(rules, setup, state, own_actions)
    following = offset(states, (ply + 1) * control[STATE_SIZE])
    for index in range(count):
        for word in range(control[STATE_SIZE]):
            following[word] = state[word]
        line[ply] = own_actions[index]
        call_play(rules, setup, following, own_actions[index])
        if reach(rules, setup, states, actions, out, table, line, control, plies - 1, ply + 1):
            return True
    if not control[STOP]:
        table[slot]["key"] = key
        table[slot]["plies"] = plies
    return False


@loop("i8(rules, setup, state, words, words, reals, table, words, words, i8)", table=ENTRY)
def search(rules, setup, root, states, actions, out, table, line, control, deepest):
    """Give the fewest plies, at most `deepest`, to an end that is no failure, or -1."""
    for word in range(len(root)):
        states[word] = root[word]
    for plies in range(deepest + 1):
        if reach(
            pointer(rules), pointer(setup), pointer(states), pointer(actions), pointer(out), table,
            pointer(line), pointer(control), np.int64(plies), np.int64(0),
        ):  # fmt: skip
            return plies
        if control[STOP]:
            break
    return -1
