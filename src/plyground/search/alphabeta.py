"""Alpha-beta: one iteration to a fixed depth; every refinement can be switched off.

The root's player and its team are one side and all other players are the other, which for more than
two sides is the paranoid assumption. Values are from the view of the side to move. The heuristic is
always that of the root's player, negated for the other side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import (
    SLOTS,
    Reals,
    Words,
    call_evaluate,
    call_loud,
    call_over,
    call_play,
    call_player,
    call_returns,
    call_skip,
    helper,
    loop,
    offset,
)
from plyground.control import STOP, count_node
from plyground.game import Evaluator, Position, key_of
from plyground.search import ordering
from plyground.search.ordering import KILLER, bring_best, bring_first, list_unpruned, note_cut, rank
from plyground.search.plies import NO_ACTION, PlyWorkspace, copy_line, rows
from plyground.search.repetition import is_repeated, past_keys, slot_of
from plyground.search.table import CUT, EXACT, LOWER, UPPER, Table, find, store
from plyground.search.value import settled, shifted

KILLERS, HISTORY = ordering.KILLERS, ordering.HISTORY
PRUNE, TABLE, SCOUT, REDUCE, MINIMAX = 4, 8, 16, 32, 64
SWITCHES = {
    "prune": PRUNE, "table": TABLE, "killers": KILLERS, "history": HISTORY, "scout": SCOUT,
    "reduce": REDUCE, "exact": MINIMAX,
}  # fmt: skip
"""The refinements by name, as bits of `switches`. MINIMAX allows only those that leave the value of
plain minimax as it is."""

FADING = 0.5
"""Factor of the history when the next search of a game takes it over."""

NOBODY = -1
"""In the place of a player."""

REDUCTION = 1.6
"""Divisor of late move reductions: the larger, the fewer plies."""

SKIP_SLOT = SLOTS.index("skip")

NULL_WINDOW = 2.0**-40
"""The width of a scout's window, which only tests whether a value is higher."""


class AlphaBetaWorkspace(PlyWorkspace):
    """The memory of one search."""

    returns: Reals
    keys: Words
    """Keys of the line of play, then of the current line of the search; see `repetition`."""
    seen: Words
    """How often each slot of keys occurs among them."""
    past: int
    """The number of keys that precede the root's."""
    switches: int
    quiet: int
    """The depth of quiescence: how many plies beyond the depth noisy actions are followed."""
    root_player: int
    side: int
    """The players of the root's side, one bit each."""
    repetition: int
    replies: int
    """Where two players choose at once, the one who is searched second; else NOBODY. A search does
    not stop before its action: a position between the two exists for the search alone."""
    skipped: int = NOBODY
    """The ply whose null move is being searched: two in a row would bring back the position."""
    stored: int = 0
    evaluated: int = 0
    """The number of heuristic evaluations; `cuts` counts table values that rest on a heuristic.
    If neither grows, every line was searched to the end of the game: the value is exact."""


def workspace(
    position: Position,
    rules: Any,
    evaluator: Evaluator,
    table: Table,
    *,
    depth: int,
    quiet: int,
    switches: int,
    nodes: int | None = None,
    replies: int = NOBODY,
    earlier: AlphaBetaWorkspace | None = None,
) -> AlphaBetaWorkspace:
    """Return the memory of a search to at most `depth` plies and `nodes` nodes.

    With an `earlier` search of the same player that used the same table, its entries and history
    are used again.
    """
    facts, plies = position.game.facts, depth + quiet + 2
    past, keys, seen = past_keys(position, plies)
    work = AlphaBetaWorkspace(
        **rows(position, rules, evaluator, table, plies, nodes),
        returns=np.empty(facts.players),
        keys=keys,
        seen=seen,
        past=past,
        switches=switches,
        quiet=quiet,
        root_player=position.player,
        side=sum(1 << seat for seat in facts.side(position.player)),
        repetition=facts.repetition,
        replies=replies,
    )
    if (
        earlier is not None
        and earlier.root_player == work.root_player
        and np.array_equal(earlier.setup, work.setup)
    ):
        work.since = min(earlier.since, work.generation)  # the table may have been cleared
        work.history[:] = FADING * earlier.history
    return work


@helper
def reduction(depth, late):
    """Return by how many plies the action number `late` is first searched less deep.

    They are whole turns of two plies, as heuristics differ between odd and even ones. At least one
    ply is left.
    """
    turns = np.int64(np.log(depth) * np.log(late + 1) / REDUCTION)
    return 2 * min(turns, (depth - 2) // 2)


@helper
def negamax(work, depth, ply, mine, alpha, beta):
    """Return the value of the ply's state, searched to `depth`; write its best line into its row.

    `mine` is 1 if the root's side is to move, else 0. From depth 0 on it is quiescence: only noisy
    actions are followed.
    """
    count_node(work.control)
    rules, setup, returns = work.rules, work.setup, work.returns
    state = offset(work.states, ply * work.state_size)
    line = offset(work.lines, ply * work.plies)
    line[0] = NO_ACTION
    root = work.root_player
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, returns)
        return settled(returns[root] if mine else -returns[root], ply)
    if depth <= 0 and work.replies >= 0 and call_player(rules, setup, state) == work.replies:
        depth = np.int64(1)
    switches = work.switches
    pruning = switches & PRUNE != 0
    key = np.uint64(0)
    looked_up = switches & TABLE != 0 and depth > 0
    if looked_up or work.repetition:
        key = key_of(rules, setup, state, work.state_size)
    if work.repetition:
        if ply > 0 and is_repeated(work.keys, work.seen, work.past + ply, key):
            return 0.0
        work.keys[work.past + ply] = np.int64(key)

    best, best_action = -np.inf, np.int64(NO_ACTION)
    if depth <= 0:
        work.evaluated += 1
        call_evaluate(rules, setup, state, work.params, returns)
        best = returns[root] if mine else -returns[root]
        if depth <= -work.quiet or (pruning and best >= beta):
            return best

    cuts = work.evaluated + work.cuts
    first = np.int64(NO_ACTION)
    if looked_up:
        table = work.table
        entry = find(table, key, work.since)
        if entry >= 0:
            first = np.int64(table[entry]["action"])
            deeper = table[entry]["depth"] - depth
            if ply > 0 and (deeper == 0 or (deeper > 0 and switches & MINIMAX == 0)):
                value = shifted(table[entry]["value"], ply)
                bound = table[entry]["mark"] & 3
                if (
                    bound == EXACT
                    or (bound == LOWER and value >= beta)
                    or (bound == UPPER and value <= alpha)
                ):
                    work.hits += 1
                    if table[entry]["mark"] & CUT:
                        work.cuts += 1
                    line[0] = first
                    line[1] = NO_ACTION
                    return value

    # Null move: where a scout tests a position whose heuristic is above its window. It is written
    # out here, as functions that call each other cannot be cached.
    scouted = beta - alpha < 2 * NULL_WINDOW and abs(beta) < 1.0
    if (
        rules[SKIP_SLOT] != 0 and pruning and switches & MINIMAX == 0
        and scouted and depth > 2 and ply > 0 and work.skipped != ply - 1
    ):  # fmt: skip
        call_evaluate(rules, setup, state, work.params, returns)
        if (returns[root] if mine else -returns[root]) >= beta:
            passed = offset(work.states, (ply + 1) * work.state_size)
            for word in range(work.state_size):
                passed[word] = state[word]
            call_skip(rules, setup, passed)
            work.skipped = ply
            if work.repetition:
                work.seen[slot_of(key)] += 1
            value = -negamax(work, depth - 3, ply + 1, 1 - mine, -beta, -alpha)
            if work.repetition:
                work.seen[slot_of(key)] -= 1
            work.skipped = NOBODY
            if work.control[STOP]:  # going on would search a line more at every ply on the way back
                return best
            if value >= beta:
                work.cuts += 1
                return beta  # a win after a pass would not be proved

    player = call_player(rules, setup, state)
    actions = offset(work.actions, ply * work.branching)
    scores = offset(work.scores, ply * work.branching)
    killers = offset(work.killers, 2 * ply)
    history = offset(work.history, player * work.action_count)
    if depth > 0:
        count = list_unpruned(rules, setup, state, actions)
    else:
        count = call_loud(rules, setup, state, actions)
    begun = bring_first(actions, count, first)
    following = offset(work.states, (ply + 1) * work.state_size)
    following_line = offset(work.lines, (ply + 1) * work.plies)
    if work.repetition:
        work.seen[slot_of(key)] += 1
    floor = max(alpha, best)
    late = 0
    for index in range(count):
        if index == begun:  # not earlier: the table's action often cuts off, and scoring is slow
            rank(rules, setup, state, actions, scores, begun, count, killers, history, switches)
        action = first
        if index >= begun:
            action = bring_best(actions, scores, index, count)
        for word in range(work.state_size):
            following[word] = state[word]
        call_play(rules, setup, following, action)
        same = (work.side >> call_player(rules, setup, following) & 1) == mine
        low, high = (floor, beta) if pruning else (-np.inf, np.inf)
        shallower = 0
        scouting = pruning and switches & SCOUT != 0 and index > 0 and depth > 1
        if scouting:
            high = low + NULL_WINDOW
            if switches & REDUCE and depth > 3 and scores[index] < KILLER / 2:
                late += 1
                shallower = reduction(depth, late)
        value = 0.0
        while True:
            value = negamax(
                work, depth - 1 - shallower, ply + 1, mine if same else 1 - mine,
                low if same else -high, high if same else -low,
            )  # fmt: skip
            value = value if same else -value
            if work.control[STOP] or not scouting or value <= floor:
                break
            if shallower == 0 and value >= beta:
                break
            if shallower == 0:  # the scout found better: search again for the exact value
                scouting = False
                high = beta
            shallower = 0
        if work.control[STOP]:
            break
        if value > best:
            best, best_action = value, action
            copy_line(line, following_line, action)
        if best > floor:
            floor = best
        if pruning and floor >= beta:
            if depth > 0:
                note_cut(killers, history, action, depth)
            break
    if work.repetition:
        work.seen[slot_of(key)] -= 1
    if looked_up and not work.control[STOP]:
        bound = LOWER if pruning and best >= beta else (UPPER if best <= alpha else EXACT)
        if work.evaluated + work.cuts > cuts:
            bound += CUT
        value = shifted(best, -ply)
        store(work.table, key, work.generation, value, best_action, depth, bound)
        work.stored += 1
    return best


@loop("f8(workspace, i8, f8, f8)", workspace=AlphaBetaWorkspace)
def search(work, depth, alpha, beta):
    """Return the root's value searched to `depth` within a window; `lines` has the best line.

    If the search is stopped, that is the best line of the root's actions finished so far; it may be
    empty.
    """
    # Literals must be converted: for a literal argument Numba compiles a special copy, and its call
    # of the general function does not survive the cache.
    return negamax(work, np.int64(depth), np.int64(0), np.int64(1), alpha, beta)
