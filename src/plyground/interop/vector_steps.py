"""The compiled steps of many games of one kind at once: one row of memory per game."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.arithmetic import random_below
from plyground.compile import (
    Bytes,
    Planes,
    Random,
    Reals,
    Words,
    call_encode,
    call_legal,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
    offset,
)
from plyground.game.position import key_of
from plyground.workspace import Workspace

FORFEIT = -1
"""In the place of an action: the player to move gives the game up and gets -1, the others 0."""


class VectorWorkspace(Workspace):
    """The memory of all games.

    Callers see `planes`, `masks`, `players`, `rewards` and `ended` and may write into them, so
    compiled code never reads those: what it relies on lies in the other arrays.
    """

    rules: Words
    setups: Words
    """The different setups of the starts."""
    starts: Words
    """The states of the starts."""
    start_setups: Words
    """The number of each start's setup."""
    random: Random
    """The random stream of each game, which draws its starts."""
    states: Words
    state_setups: Words
    """The number of each game's setup."""
    last_states: Words
    """The last state of each game that ended in the last step."""
    last_setups: Words
    """The number of its setup; -1 for games that go on."""
    actions: Words
    """What is to be played, one action per game."""
    legal: Words
    counts: Words
    """The number of legal actions."""
    keys: Words
    """The keys of each game's positions, where a repetition ends the game."""
    plies: Words
    returns: Reals
    planes: Planes
    masks: Bytes
    players: Words
    rewards: Planes
    ended: Bytes
    start_count: int
    setup_size: int
    state_size: int
    branching: int
    action_count: int
    player_count: int
    plane_size: int
    repetition: int
    key_count: int


@loop("i8(workspace, i8, i8)", workspace=VectorWorkspace)
def first_illegal(work: Any, first: int, last: int) -> int:
    """Return the first of these games whose action is neither legal nor FORFEIT, or `last`."""
    for row in range(first, last):
        action, legal = work.actions[row], offset(work.legal, row * work.branching)
        found = action == FORFEIT
        for index in range(work.counts[row]):  # to the end: then it is compiled to vectors
            found |= legal[index] == action
        if not found:
            return row
    return last


@loop("none(workspace, i8, i8)", workspace=VectorWorkspace)
def begin_games(work: Any, first: int, last: int) -> None:
    """Begin a new game in each of these rows."""
    _clear(work, first, last)
    for row in range(first, last):
        _begin(work, row)
        _show(work, row)


@loop("none(workspace, i8, i8)", workspace=VectorWorkspace)
def step_games(work: Any, first: int, last: int) -> None:
    """Play the action of each of these games; where that ends the game, begin a new one."""
    _clear(work, first, last)
    for row in range(first, last):
        if _play(work, row):
            work.ended[row] = 1
            work.last_setups[row] = work.state_setups[row]
            _copy(_state(work, row), offset(work.last_states, row * work.state_size), work)
            _begin(work, row)
        _show(work, row)


# Helpers take pointers to a row before they loop over it: the compiler could not know that sizes
# in the workspace stay the same, and would load them again for every item.


@helper
def _state(work, row):  # type: ignore[no-untyped-def]
    """Return the state of a game."""
    return offset(work.states, row * work.state_size)


@helper
def _setup(work, row):  # type: ignore[no-untyped-def]
    """Return the setup of a game."""
    return offset(work.setups, work.state_setups[row] * work.setup_size)


@helper
def _copy(source, target, work):  # type: ignore[no-untyped-def]
    """Copy a state."""
    for word in range(work.state_size):
        target[word] = source[word]


@helper
def _clear(work, first, last):  # type: ignore[no-untyped-def]
    """Clear what the last step has shown of these games."""
    ended, last_setups = work.ended, work.last_setups
    for row in range(first, last):
        ended[row] = 0
        last_setups[row] = -1
    rewards = work.rewards
    for index in range(first * work.player_count, last * work.player_count):
        rewards[index] = 0.0
    masks = work.masks
    for index in range(first * work.action_count, last * work.action_count):
        masks[index] = 0
    planes = work.planes
    for index in range(first * work.plane_size, last * work.plane_size):
        planes[index] = 0.0


@helper
def _begin(work, row):  # type: ignore[no-untyped-def]
    """Set a game to one of the starts."""
    start = random_below(offset(work.random, row), work.start_count)
    _copy(offset(work.starts, start * work.state_size), _state(work, row), work)
    work.state_setups[row] = work.start_setups[start]
    work.plies[row] = 0
    if work.repetition > 0:
        _is_repeated(work, row)


@helper
def _play(work, row):  # type: ignore[no-untyped-def]
    """Play a game's action and write the rewards; return whether that ends the game."""
    rules, setup, state = work.rules, _setup(work, row), _state(work, row)
    rewards = offset(work.rewards, row * work.player_count)
    if work.actions[row] == FORFEIT:
        rewards[call_player(rules, setup, state)] = -1.0
        return True
    call_play(rules, setup, state, work.actions[row])
    work.plies[row] += 1
    if call_over(rules, setup, state):
        returns = offset(work.returns, row * work.player_count)
        call_returns(rules, setup, state, returns)
        for player in range(work.player_count):
            rewards[player] = returns[player]
        return True
    return work.repetition > 0 and _is_repeated(work, row)


@helper
def _is_repeated(work, row):  # type: ignore[no-untyped-def]
    """Note a position's key; return whether it has occurred as often as ends the game."""
    keys, ply = offset(work.keys, row * work.key_count), work.plies[row]
    key = np.int64(key_of(work.rules, _setup(work, row), _state(work, row), work.state_size))
    keys[ply] = key
    times = 0
    for index in range(ply + 1):
        times += keys[index] == key
    return times >= work.repetition


@helper
def _show(work, row):  # type: ignore[no-untyped-def]
    """Write a game's legal actions, whose turn it is and what that player sees."""
    rules, setup, state = work.rules, _setup(work, row), _state(work, row)
    legal = offset(work.legal, row * work.branching)
    count = call_legal(rules, setup, state, legal)
    masks = offset(work.masks, row * work.action_count)
    for index in range(count):
        masks[legal[index]] = 1
    player = call_player(rules, setup, state)
    work.counts[row] = count
    work.players[row] = player
    if work.plane_size > 0:
        call_encode(rules, setup, state, player, offset(work.planes, row * work.plane_size))
