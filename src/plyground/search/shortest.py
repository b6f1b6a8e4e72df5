"""Shortest solutions of one-player puzzles: iterative deepening with a transposition table.

If the game has advice `bound`, a lower bound on the plies still needed, this is IDA*.
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
"""A table entry: the position of that key cannot be solved in so many plies."""

BOUND_SLOT = SLOTS.index("bound")
FAILED = -1.0


class ShortestWorkspace(Workspace):
    """The memory of one search: one row of states and actions per ply."""

    rules: Words
    setup: Words
    control: Words
    states: Words
    actions: Words
    returns: Reals
    table: Annotated[Records, TRIED]
    line: Words
    """The actions of the solution, once it is found."""
    state_size: int
    branching: int
    deepest: int


def workspace(
    position: Position, rules: Any, table: Records, *, depth: int, nodes: int | None = None
) -> ShortestWorkspace:
    """Return the memory of a search to at most `depth` plies and `nodes` nodes.

    The table is emptied for it: what it holds is true of one puzzle.
    """
    table.fill(0)
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
        table=table,
        line=np.zeros(depth + 1, np.int64),
        state_size=size,
        branching=facts.branching,
        deepest=depth,
    )


@helper
def solve(work, plies, ply):
    """Return whether the ply's state can be solved in at most `plies`; `line` then does it."""
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
        return False  # an earlier search with at least as many plies failed
    actions = offset(work.actions, ply * work.branching)
    count = call_legal(rules, setup, state, actions)
    following = offset(work.states, (ply + 1) * size)
    for index in range(count):
        for word in range(size):
            following[word] = state[word]
        work.line[ply] = actions[index]
        call_play(rules, setup, following, actions[index])
        if solve(work, plies - 1, ply + 1):
            return True
    if not work.control[STOP]:
        table[slot]["key"] = key
        table[slot]["plies"] = plies
    return False


@loop("i8(workspace)", workspace=ShortestWorkspace)
def search(work):
    """Return the fewest plies, at most `deepest`, in which the root can be solved, or -1."""
    for plies in range(work.deepest + 1):
        if solve(work, np.int64(plies), np.int64(0)):
            return plies
        if work.control[STOP]:
            break
    return -1
