"""Max^n, for any number of players, each of whom looks after itself: one iteration to a depth.

Where several actions are worth the same to the player, the lowest counts: the value does not depend
on the order in which they are tried.
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

    `cuts` counts the values that rest on a heuristic: without any, no deeper search finds more.
    """

    values: Reals
    """What each player gets, a row per ply; the root's is the first."""
    vectors: Reals
    """The values of each entry of the table, one per player."""
    players: int
    prune: int


def workspace(
    position: Position,
    rules: Any,
    evaluator: Evaluator,
    table: Table,
    *,
    depth: int,
    prune: bool,
    nodes: int | None = None,
) -> MaxNWorkspace:
    """Make the memory of a search at most `depth` plies deep that visits at most `nodes` nodes."""
    players, plies = position.game.facts.players, depth + 2
    return MaxNWorkspace(
        **rows(position, rules, evaluator, table, plies, nodes),
        values=np.zeros(plies * players),
        vectors=np.empty(players * len(table.entries)),
        players=players,
        prune=prune,
    )


@helper
def maximize(work, depth, ply):
    """Fill the ply's row of `values` with what each player gets; its best line is its row."""
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
    found = find(table, key, work.generation)
    if found >= 0:
        first = np.int64(table[found]["action"])
        if table[found]["depth"] == depth and ply > 0:
            work.hits += 1
            if table[found]["mark"] & CUT:
                work.cuts += 1
            for player in range(players):
                own[player] = shifted(work.vectors[found * players + player], ply)
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
    theirs = offset(work.values, (ply + 1) * players)
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
        if theirs[mover] > best or (theirs[mover] == best and action < best_action):
            best, best_action = theirs[mover], action
            for player in range(players):
                own[player] = theirs[player]
            copy_line(line, offset(work.lines, (ply + 1) * work.plies), action)
        if work.prune and best >= settled(1.0, ply + 1):  # nothing is better than to win now
            note_cut(killers, history, action, depth)
            break
    if not work.control[STOP]:
        bound = EXACT + CUT if work.cuts > cuts else EXACT
        store(table, key, work.generation, 0.0, best_action, depth, bound)
        found = find(table, key, work.generation)
        for player in range(players):
            work.vectors[found * players + player] = shifted(own[player], -ply)


@loop("none(workspace, i8)", workspace=MaxNWorkspace)
def search(work, depth):
    """Search the root to `depth`; the first row of `values` and of `lines` is the answer."""
    maximize(work, np.int64(depth), np.int64(0))
