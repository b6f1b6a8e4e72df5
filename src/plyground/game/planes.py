"""Input and output of networks: positions as planes, actions as entries of a policy head."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from plyground.compile import Planes, Words, call_encode, call_player, call_policy, loop
from plyground.errors import BadOption, BadState

if TYPE_CHECKING:  # the contract imports this module
    from plyground.game.contract import Game
    from plyground.game.position import Position

TO_MOVE = -1
"""In the place of a player: the player to move."""


@loop("none(rules, setups, states, words, planes2)")
def _encode(rules, setups, states, players, out):  # type: ignore[no-untyped-def]
    for row in range(len(states)):
        setup = setups[row if len(setups) > 1 else 0]
        player = players[row]
        if player == TO_MOVE:
            player = call_player(rules, setup, states[row])
        call_encode(rules, setup, states[row], player, out[row])


@loop("none(rules, setup, state, state, words2)")
def _policy(rules, setup, state, actions, out):  # type: ignore[no-untyped-def]
    for row in range(len(actions)):
        call_policy(rules, setup, state, actions[row], out[row])


def encode(game: Game, positions: Iterable[Position]) -> Planes:
    """Return the planes of each position as its player to move sees it."""
    positions = list(positions)
    for position in positions:
        _check_game(game, position)
    if not positions:
        return np.zeros((0, *game.facts.planes), np.float32)
    setups = np.stack([position.setup for position in positions])
    states = np.stack([position.state for position in positions])
    return encode_states(game, setups, states)


def encode_states(
    game: Game, setups: Words, states: Words, players: Sequence[int] | Words | None = None
) -> Planes:
    """Return the planes of many states.

    Only shape and type are checked: the states must come from the game's own kernels or from a
    `Position`.
    """
    rules = game.rules_with("encode")
    setup_size, state_size = game.sizes
    setups, states = np.atleast_2d(setups), np.asarray(states)
    count = len(states) if states.ndim == 2 else 0
    _check_matrix(game, "states", states, [(count, state_size)])
    _check_matrix(game, "setups", setups, [(1, setup_size), (count, setup_size)])
    seats = np.full(count, TO_MOVE, np.int64)
    if players is not None:
        observers = np.asarray(players)
        number = game.facts.players
        if observers.shape != (count,) or observers.dtype.kind not in "iu":
            raise BadOption(f"{game}: there must be one player for each of the {count} states")
        if count and not 0 <= observers.min() <= observers.max() < number:
            raise BadOption(f"{game} has players 0 to {number - 1}")
        seats[:] = observers
    shape = game.facts.planes
    planes = np.zeros((count, shape[0] * shape[1] * shape[2]), np.float32)
    setups, states = np.ascontiguousarray(setups), np.ascontiguousarray(states)
    _encode(rules, setups, states, seats, planes)
    return planes.reshape(count, *shape)


def policy_indices(game: Game, position: Position) -> Words:
    """Return one row per legal action: its entries in a policy head; see `Game.policy_indices`."""
    _check_game(game, position)
    actions = np.array(position.legal_actions, np.int64)
    if game.kernels.policy is None:
        return actions.reshape(-1, 1)
    entries = np.zeros((len(actions), game.facts.policy_parts), np.int64)
    _policy(game.rules_with("policy"), position.setup, position.state, actions, entries)
    return entries


def _check_game(game: Game, position: Position) -> None:
    if position.game != game:
        raise BadOption(f"this is a position of {position.game}, not of {game}")


def _check_matrix(game: Game, name: str, matrix: Words, shapes: list[tuple[int, int]]) -> None:
    if matrix.dtype != np.int64 or matrix.shape not in shapes:
        allowed = " or ".join(f"{rows} x {columns}" for rows, columns in shapes)
        actual = f"{matrix.dtype} of shape {matrix.shape}"
        raise BadState(f"{game}: the {name} must be a matrix of int64, {allowed}; not {actual}")
