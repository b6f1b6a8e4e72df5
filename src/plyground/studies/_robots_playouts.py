"""The search of the original Robot Reboot study: play-outs to the end, guided by a network.

For every legal action of a position, some play-outs go on from the next state until the game is
over. In each state a play-out takes the action with the highest

    p + weight * (wins / visits + exploration * sqrt(log(states) / visits))

where p is the network's prediction for the action, wins and visits are those of the play-outs so
far that took this action in this state, and `states` is the number of states seen so far. An action
without a visit counts as one with very few, so that all are tried first, in the order of p. The
value of an action is the share of its play-outs that were won. Statistics belong to states rather
than to nodes of a tree, and every search begins without any. In UCT, p is 0.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from plyground.compile import (
    Planes,
    Random,
    Reals,
    Words,
    call_legal,
    call_over,
    call_play,
    call_returns,
    helper,
    loop,
    offset,
)
from plyground.game import key_of
from plyground.workspace import Entries, Halves, Workspace

WEIGHT, EXPLORATION = 0.35, 0.4
UNVISITED = 1e-5
"""The visits of an action without any."""

NO_SEARCH = -1
"""In the place of a row's search: it has none yet, or none is left."""


class SearchWorkspace(Workspace):
    """Rows that search, and the list of positions that they take theirs from."""

    rules: Words
    setups: Words
    roots: Words
    values: Planes
    """The result: for every position a value for each action, 0 where it is not legal."""
    row_count: int
    first: int
    """The next position to search."""
    end: int
    playouts: int
    guided: int
    setup_size: int
    state_size: int
    action_count: int
    longest: int
    room: int
    """The most states of a search."""
    slot_count: int
    """A power of 2."""
    searches: Words
    """For each row: the position that it searches, or NO_SEARCH."""
    states: Words
    """The state that each row has walked to."""
    answers: Planes
    """What the network predicts for each row's state."""
    waiting: Words
    """The state, by its number from 1 on, for which a row needs an answer; 0: none."""
    actions: Words
    """The legal actions of each row's position, how many there are, and which is being tried."""
    counts: Words
    tried: Words
    played: Words
    """The play-outs of that action so far, and how many were won."""
    won: Words
    depths: Words
    paths: Words
    """The place in `visits` and `wins` of each action of the play-out."""
    used: Words
    """How many states a search has seen."""
    slots: Entries
    """A hash table: the number of a state, from 1 on; 0: free."""
    keys: Random
    priors: Planes
    visits: Halves
    wins: Halves
    legal: Words
    returns: Reals


@helper
def begin_search(work, row):  # type: ignore[no-untyped-def]
    """Take the next position from the list; return False if none is left."""
    work.waiting[row] = 0
    if work.first == work.end:
        work.searches[row] = NO_SEARCH
        return False
    search = work.first
    work.first += 1
    work.searches[row] = search
    setup = offset(work.setups, search * work.setup_size)
    root = offset(work.roots, search * work.state_size)
    actions = offset(work.actions, row * work.action_count)
    work.counts[row] = call_legal(work.rules, setup, root, actions)
    work.tried[row] = work.used[row] = 0
    for slot in range(row * work.slot_count, (row + 1) * work.slot_count):
        work.slots[slot] = 0
    begin_action(work, row)
    return True


@helper
def begin_action(work, row):  # type: ignore[no-untyped-def]
    work.played[row] = work.won[row] = 0
    begin_playout(work, row)


@helper
def begin_playout(work, row):  # type: ignore[no-untyped-def]
    """Put the row into the state after the root's action that is being tried."""
    search, size = work.searches[row], work.state_size
    state = offset(work.states, row * size)
    for word in range(size):
        state[word] = work.roots[search * size + word]
    setup = offset(work.setups, search * work.setup_size)
    call_play(work.rules, setup, state, work.actions[row * work.action_count + work.tried[row]])
    work.depths[row] = 0


@helper
def end_playout(work, row):  # type: ignore[no-untyped-def]
    """Count the result and begin what comes next; return False if no position is left."""
    search = work.searches[row]
    setup = offset(work.setups, search * work.setup_size)
    call_returns(work.rules, setup, offset(work.states, row * work.state_size), work.returns)
    won = 1 if work.returns[0] > -1.0 else 0
    for index in range(row * work.longest, row * work.longest + work.depths[row]):
        work.wins[work.paths[index]] += won
    work.won[row] += won
    work.played[row] += 1
    if work.played[row] < work.playouts:
        begin_playout(work, row)
        return True
    action = work.actions[row * work.action_count + work.tried[row]]
    work.values[search * work.action_count + action] = work.won[row] / work.playouts
    work.tried[row] += 1
    if work.tried[row] < work.counts[row]:
        begin_action(work, row)
        return True
    return begin_search(work, row)


@helper
def find_state(work, row, key):  # type: ignore[no-untyped-def]
    """Return the number of the state with this key; a new state gets the next one, negated."""
    base, mask = row * work.slot_count, work.slot_count - 1
    slot = np.int64(key & np.uint64(mask))
    while work.slots[base + slot] != 0:
        number = np.int64(work.slots[base + slot])
        if work.keys[row * work.room + number - 1] == key:
            return number
        slot = (slot + 1) & mask
    number = work.used[row] + 1
    work.used[row] = number
    work.slots[base + slot] = number
    state = row * work.room + number - 1
    work.keys[state] = key
    for place in range(state * work.action_count, (state + 1) * work.action_count):
        work.visits[place] = 0
        work.wins[place] = 0
        work.priors[place] = 0.0
    return -number


@helper
def choose(work, row, number, count):  # type: ignore[no-untyped-def]
    """Return the best of the `count` actions in `legal`; the last of equal ones, as originally."""
    first = (row * work.room + number - 1) * work.action_count
    spread = EXPLORATION * sqrt(log(np.float64(work.used[row])))
    best, best_value = 0, -np.inf
    for index in range(count):
        place = first + work.legal[index]
        visits, wins = np.float64(work.visits[place]), np.float64(work.wins[place])
        mean = wins / visits if visits > 0.0 else 0.0
        bound = mean + spread / sqrt(visits if visits > 0.0 else UNVISITED)
        value = work.priors[place] + WEIGHT * bound
        if value >= best_value:
            best, best_value = work.legal[index], value
    return best


@helper
def walk(work, row):  # type: ignore[no-untyped-def]
    """Go on with a row's play-outs until it needs an answer; return False if it is done."""
    rules, actions = work.rules, work.action_count
    state = offset(work.states, row * work.state_size)
    while True:
        setup = offset(work.setups, work.searches[row] * work.setup_size)
        if call_over(rules, setup, state):
            if not end_playout(work, row):
                return False
            continue
        number = find_state(work, row, key_of(rules, setup, state, work.state_size))
        if number < 0:
            number = -number
            if work.guided:
                work.waiting[row] = number
                return True
        action = choose(work, row, number, call_legal(rules, setup, state, work.legal))
        place = (row * work.room + number - 1) * actions + action
        work.visits[place] += 1
        work.paths[row * work.longest + work.depths[row]] = place
        work.depths[row] += 1
        call_play(rules, setup, state, action)


@loop("i8(search)", search=SearchWorkspace)
def step_searches(work):  # type: ignore[no-untyped-def]
    """Take the answers, and bring every row to its next new state; return how many wait there."""
    actions, waiting = work.action_count, 0
    for row in range(work.row_count):
        if work.waiting[row] > 0:
            first = (row * work.room + work.waiting[row] - 1) * actions
            for action in range(actions):
                work.priors[first + action] = work.answers[row * actions + action]
            work.waiting[row] = 0
        elif not begin_search(work, row):
            continue
        waiting += walk(work, row)
    return waiting


@loop("none(rules, setups, words2, planes2, words)")
def play_best(rules, setups, states, values, results):  # type: ignore[no-untyped-def]
    """Play the best legal action by its value in each state, the last of equal ones.

    The results are 0 for a game that goes on, 1 for one that is won now, -1 for one that is lost.
    """
    legal, returns = np.empty(values.shape[1], np.int64), np.empty(1, np.float64)
    for row in range(len(states)):
        setup, state = setups[row], states[row]
        best = -1
        for index in range(call_legal(rules, setup, state, legal)):
            if best < 0 or values[row, legal[index]] >= values[row, best]:
                best = legal[index]
        call_play(rules, setup, state, best)
        results[row] = 0
        if call_over(rules, setup, state):
            call_returns(rules, setup, state, returns)
            results[row] = 1 if returns[0] > -1.0 else -1
