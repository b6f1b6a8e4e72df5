"""The shortest way to a good end, for puzzles of one player: iterative deepening with a table.

A game may give a `bound`, the fewest plies that can still be needed; with it this is IDA*.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from plyground.compile import (
    SLOTS,
    Reals,
    Words,
    call_bound,
    call_legal,
    call_over,
    call_play,
    call_returns,
    helper,
    loop,
    offset,
)
from plyground.control import STOP, count_node, new_control
from plyground.game import Position, key_of
from plyground.workspace import Records, Workspace

TRIED = np.dtype([("key", np.uint64), ("plies", np.int64)])
"""A position from which no good end can be reached in so many plies."""

BOUND_SLOT = SLOTS.index("bound")
FAILED = -1.0


class ShortestWorkspace(Workspace):
    """The memory of one search: a row per ply of states and actions."""

    rules: Words
    setup: Words
    control: Words
    states: Words
    actions: Words
    returns: Reals
    table: Annotated[Records, TRIED]
    line: Words
    """The actions that lead to the good end, once it is found."""
    state_size: int
    branching: int
    deepest: int


def workspace(
    position: Position, rules: Any, *, depth: int, table_bits: int, nodes: int | None = None
) -> ShortestWorkspace:
    """Make the memory of a search at most `depth` plies deep that visits at most `nodes` nodes."""
    facts, size = position.game.facts, len(position.state)
    states = np.empty((depth + 2) * size, np.int64)
    states[:size] = position.state
    return ShortestWorkspace(
        rules=rules,
        setup=position.setup,
        control=new_control(nodes),
        states=states,
        actions=np.empty((depth + 2) * facts.branching, np.int64),
        returns=np.empty(facts.players),
        table=np.zeros(1 << table_bits, TRIED),
        line=np.zeros(depth + 1, np.int64),
        state_size=size,
        branching=facts.branching,
        deepest=depth,
    )


@helper
def reach(work, plies, ply):
    """Return whether a good end can be reached in at most `plies`; `line` then leads there."""
    count_node(work.control)
    rules, setup, size = work.rules, work.setup, work.state_size
    state = offset(work.states, ply * size)
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, work.returns)
        return work.returns[0] > FAILED
    if plies == 0 or work.control[STOP]:
        return False
    if rules[BOUND_SLOT] != 0 and call_bound(rules, setup, state) > plies:
        return False
    key = key_of(rules, setup, state, size)
    table = work.table
    slot = np.int64(key & np.uint64(len(table) - 1))
    if table[slot]["key"] == key and table[slot]["plies"] >= plies:
        return False  # tried before, with as many plies to go, in vain
    actions = offset(work.actions, ply * work.branching)
    count = call_legal(rules, setup, state, actions)
    following = offset(work.states, (ply + 1) * size)
    for index in range(count):
        for word in range(size):
            following[word] = state[word]
        work.line[ply] = actions[index]
        call_play(rules, setup, following, actions[index])
        if reach(work, plies - 1, ply + 1):
            return True
    if not work.control[STOP]:
        table[slot]["key"] = key
        table[slot]["plies"] = plies
    return False


@loop("i8(workspace)", workspace=ShortestWorkspace)
def search(work):
    """Return the fewest plies, at most `deepest`, to an end that is no failure, or -1."""
    for plies in range(work.deepest + 1):
        if reach(work, np.int64(plies), np.int64(0)):
            return plies
        if work.control[STOP]:
            break
    return -1
