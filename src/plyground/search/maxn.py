"""Max^n, for any number of players who each maximize their own value: one iteration to a depth.

Of several actions with the same value for the player, the lowest is chosen, so that the result does
not depend on move ordering.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import (
    Reals,
    call_evaluate,
    call_legal,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
    offset,
)
from plyground.control import STOP, count_node
from plyground.game import Evaluator, Position, key_of
from plyground.search.ordering import HISTORY, bring_best, bring_first, note_cut, rank
from plyground.search.plies import NO_ACTION, PlyWorkspace, copy_line, rows
from plyground.search.table import CUT, EXACT, Table, find, store
from plyground.search.value import settled, shifted


class MaxNWorkspace(PlyWorkspace):
    """The memory of one search.

    `cuts` counts the values that rest on a heuristic; if there is none, the result is exact.
    """

    values: Reals
    """Each player's value, one row per ply; the root's is the first."""
    vectors: Reals
    """Each player's value for every entry of the transposition table."""
    players: int
    prune: int


def workspace(
    position: Position,
    rules: Any,
    evaluator: Evaluator,
    table: Table,
    vectors: Reals,
    *,
    depth: int,
    prune: bool,
    nodes: int | None = None,
) -> MaxNWorkspace:
    """Return the memory of a search to at most `depth` plies and `nodes` nodes.

    `vectors` has room for a number of each player for every entry of the table.
    """
    players, plies = position.game.facts.players, depth + 2
    return MaxNWorkspace(
        **rows(position, rules, evaluator, table, plies, nodes),
        values=np.zeros(plies * players),
        vectors=vectors,
        players=players,
        prune=prune,
    )


@helper
def maximize(work, depth, ply):
    """Fill the ply's row of `values` with each player's value, and its row of `lines`."""
    count_node(work.control)
    rules, setup, players = work.rules, work.setup, work.players
    state = offset(work.states, ply * work.state_size)
    own = offset(work.values, ply * players)
    line = offset(work.lines, ply * work.plies)
    line[0] = NO_ACTION
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, own)
        for player in range(players):
            own[player] = settled(own[player], ply)
        return
    if depth == 0:
        work.cuts += 1
        call_evaluate(rules, setup, state, work.params, own)
        return
    cuts = work.cuts
    key = key_of(rules, setup, state, work.state_size)
    first = np.int64(NO_ACTION)
    table = work.table
    entry = find(table, key, work.since)
    if entry >= 0:
        first = np.int64(table[entry]["action"])
        if table[entry]["depth"] == depth and ply > 0:
            work.hits += 1
            if table[entry]["mark"] & CUT:
                work.cuts += 1
            for player in range(players):
                own[player] = shifted(work.vectors[entry * players + player], ply)
            line[0] = first
            line[1] = NO_ACTION
            return
    mover = call_player(rules, setup, state)
    actions = offset(work.actions, ply * work.branching)
    scores = offset(work.scores, ply * work.branching)
    killers = offset(work.killers, 2 * ply)
    history = offset(work.history, mover * work.action_count)
    count = call_legal(rules, setup, state, actions)
    begun = bring_first(actions, count, first)
    rank(rules, setup, state, actions, scores, begun, count, killers, history, HISTORY)
    following = offset(work.states, (ply + 1) * work.state_size)
    following_values = offset(work.values, (ply + 1) * players)
    best, best_action = -np.inf, np.int64(NO_ACTION)
    for index in range(count):
        action = first
        if index >= begun:
            action = bring_best(actions, scores, index, count)
        for word in range(work.state_size):
            following[word] = state[word]
        call_play(rules, setup, following, action)
        maximize(work, depth - 1, ply + 1)
        if work.control[STOP]:
            break
        if following_values[mover] > best or (
            following_values[mover] == best and action < best_action
        ):
            best, best_action = following_values[mover], action
            for player in range(players):
                own[player] = following_values[player]
            copy_line(line, offset(work.lines, (ply + 1) * work.plies), action)
        if work.prune and best >= settled(1.0, ply + 1):  # no action is better than a win at once
            note_cut(killers, history, action, depth)
            break
    if not work.control[STOP]:
        bound = EXACT + CUT if work.cuts > cuts else EXACT
        store(table, key, work.generation, 0.0, best_action, depth, bound)
        entry = find(table, key, work.since)
        for player in range(players):
            work.vectors[entry * players + player] = shifted(own[player], -ply)


@loop("none(workspace, i8)", workspace=MaxNWorkspace)
def search(work, depth):
    """Search the root to `depth`; the first rows of `values` and `lines` are the result."""
    maximize(work, np.int64(depth), np.int64(0))
