"""Input and output of networks: positions as planes, actions as entries of a policy head.

A game without the kernel `encode` is encoded as the words of its state: for each word its size, on
a logarithmic scale, and its 64 bits; then a one-hot code of the observer. Each number is a plane of
one cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log1p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.compile import (
    SLOTS,
    Planes,
    Words,
    call_encode,
    call_image,
    call_image_action,
    call_legal,
    call_observe,
    call_over,
    call_player,
    call_policy,
    helper,
    loop,
    offset,
)
from plyground.errors import OptionError, StateError
from plyground.workspace import Entries, Halves, Workspace

if TYPE_CHECKING:  # the contract imports this module
    from plyground.game.contract import Game
    from plyground.game.position import Position

TO_MOVE = -1
"""In the place of a player: the player to move."""

PER_WORD = 65
"""Planes for each word of a state, where a game has no `encode`."""

ENCODE, OBSERVE, POLICY = map(SLOTS.index, ("encode", "observe", "policy"))


# In compiled code ---------------------------------------------------------------------------------


class InputWorkspace(Workspace):
    """The memory of `write_input`, and the rows of input that it writes."""

    rules: Words
    planes: Halves
    entries: Entries
    drawing: Planes
    """The planes of one position."""
    halves: Halves
    """The same memory: the lower and the upper half of each number."""
    seen: Words
    parts: Words
    plane_size: int
    state_size: int
    branching: int
    policy_parts: int


@helper
def draw(rules, setup, state, size, player, seen, out):  # type: ignore[no-untyped-def]
    """Fill planes of zeros with what a player sees of a state; `seen` has the size of a state."""
    if rules[ENCODE] != 0:
        call_encode(rules, setup, state, player, out)
        return
    for word in range(size):
        seen[word] = state[word]
    if rules[OBSERVE] != 0:
        call_observe(rules, setup, seen, player)
    for word in range(size):
        at, number = PER_WORD * word, seen[word]
        scale = log1p(abs(np.float64(number)))
        out[at] = scale if number >= 0 else -scale
        for bit in range(64):
            out[at + 1 + bit] = (number >> bit) & 1
    out[PER_WORD * size + player] = 1.0


@helper
def write_input(work, row, setup, state, player, actions, count):  # type: ignore[no-untyped-def]
    """Write a row of a network's input: the planes of a state and the entries of its actions."""
    rules, parts, policy_parts = work.rules, work.parts, work.policy_parts
    drawing, halves, size = work.drawing, work.halves, work.plane_size
    for index in range(size):
        drawing[index] = 0.0
    draw(rules, setup, state, work.state_size, player, work.seen, drawing)
    planes = offset(work.planes, row * size)
    for index in range(size):  # to the nearest bfloat16, to the even one of two
        lower, upper = np.int32(halves[2 * index]), np.int32(halves[2 * index + 1])
        planes[index] = upper + ((lower + 0x7FFF + (upper & 1)) >> 16)
    entries = offset(work.entries, row * work.branching * policy_parts)
    for index in range(count):
        parts[0] = actions[index]
        if rules[POLICY] != 0:
            call_policy(rules, setup, state, actions[index], parts)
        for part in range(policy_parts):
            entries[index * policy_parts + part] = parts[part]
    for index in range(count * policy_parts, work.branching * policy_parts):
        entries[index] = 0


@helper
def write_image(work, row, setup, state, player, actions, count, symmetry, image):  # type: ignore[no-untyped-def]
    """Write a row of input for a position's image; `image` has space for it and its actions.

    The entries are those of the images of the actions, in the order of the actions.
    """
    if symmetry == 0:
        write_input(work, row, setup, state, player, actions, count)
        return
    rules, image_state, images = work.rules, image[len(setup) :], image[len(setup) + len(state) :]
    call_image(rules, setup, state, symmetry, image, image_state)
    for index in range(count):
        images[index] = call_image_action(rules, setup, actions[index], symmetry)
    write_input(work, row, image, image_state, player, images, count)


@loop("none(rules, setups, states, words, words, planes2)")
def _encode(rules, setups, states, players, seen, out):  # type: ignore[no-untyped-def]
    for row in range(len(states)):
        setup = setups[row if len(setups) > 1 else 0]
        player = players[row]
        if player == TO_MOVE:
            player = call_player(rules, setup, states[row])
        draw(rules, setup, states[row], len(seen), player, seen, out[row])


@loop("none(input, setups, states, words, words2, words, words, words)", input=InputWorkspace)
def _write_inputs(work, setups, states, symmetries, actions, counts, players, image):  # type: ignore[no-untyped-def]
    rules = work.rules
    for row in range(len(states)):
        setup, state = setups[row if len(setups) > 1 else 0], states[row]
        player = players[row] = call_player(rules, setup, state)
        count = 0
        if not call_over(rules, setup, state):
            count = call_legal(rules, setup, state, actions[row])
        counts[row] = count
        write_image(work, row, setup, state, player, actions[row], count, symmetries[row], image)


@loop("none(rules, setup, state, state, words2)")
def _policy(rules, setup, state, actions, out):  # type: ignore[no-untyped-def]
    for row in range(len(actions)):
        call_policy(rules, setup, state, actions[row], out[row])


# From Python --------------------------------------------------------------------------------------


class Inputs(NamedTuple):
    """The input of a network for some states, one row each."""

    planes: NDArray[np.uint16]
    """The planes of `encode_states`, as the player to move sees them; bits of bfloat16 numbers."""
    entries: NDArray[np.int32]
    """The entries of each legal action in the flat policy head; 0 beyond the legal actions."""
    actions: Words
    """The legal actions; -1 beyond them."""
    counts: Words
    """The number of legal actions."""
    players: Words
    """Who is to move."""


def plane_shape(game: Game) -> tuple[int, int, int]:
    """Return the shape of a position's planes."""
    if game.kernels.encode is not None:
        return game.facts.planes
    return PER_WORD * game.sizes[1] + game.facts.players, 1, 1


def network_rules(game: Game, *, images: bool = False) -> Any:
    """Return the table of a game's kernels with those that networks need, for images too if so."""
    kernels = game.kernels
    hidden = (kernels.observe, kernels.determinize) if game.facts.hidden else ()
    symmetry = (kernels.image, kernels.image_action) if images else ()
    return game.rules(None, kernels.encode, kernels.policy, *hidden, *symmetry)


def image_space(game: Game) -> Words:
    """Return memory for a position's image and the images of its actions; see `write_image`."""
    return np.empty(sum(game.sizes) + game.facts.branching, np.int64)


def input_fields(game: Game, rows: int, *, images: bool = False) -> dict[str, Any]:
    """Return the fields of an `InputWorkspace` with that many rows."""
    facts, size = game.facts, int(np.prod(plane_shape(game)))
    drawing = np.zeros(size, np.float32)
    return {
        "rules": network_rules(game, images=images),
        "planes": np.zeros(rows * size, np.uint16),
        "entries": np.zeros(rows * facts.branching * facts.policy_parts, np.int32),
        "drawing": drawing,
        "halves": drawing.view(np.uint16),
        "seen": np.zeros(game.sizes[1], np.int64),
        "parts": np.zeros(facts.policy_parts, np.int64),
        "plane_size": size,
        "state_size": game.sizes[1],
        "branching": facts.branching,
        "policy_parts": facts.policy_parts,
    }


def encode(game: Game, positions: Iterable[Position]) -> Planes:
    """Return the planes of each position as its player to move sees it."""
    positions = list(positions)
    for position in positions:
        _check_game(game, position)
    if not positions:
        return np.zeros((0, *plane_shape(game)), np.float32)
    setups = np.stack([position.setup for position in positions])
    states = np.stack([position.state for position in positions])
    return encode_states(game, setups, states)


def encode_states(
    game: Game, setups: Words, states: Words, players: Sequence[int] | Words | None = None
) -> Planes:
    """Return the planes of many states.

    Only shape and type are checked: the words must come from the game's own kernels, from a
    `Position`, or have been checked by `game.check_words`.
    """
    setups, states = matrices(game, setups, states)
    count, shape = len(states), plane_shape(game)
    seats = np.full(count, TO_MOVE, np.int64)
    if players is not None:
        seats[:] = _observers(game, count, players)
    planes = np.zeros((count, shape[0] * shape[1] * shape[2]), np.float32)
    seen = np.zeros(states.shape[1], np.int64)
    _encode(network_rules(game), setups, states, seats, seen, planes)
    return planes.reshape(count, *shape)


def _observers(game: Game, count: int, players: Sequence[int] | Words) -> Words:
    """Return the players who see `count` states, or raise OptionError."""
    try:
        observers = np.asarray(players)
    except ValueError:  # rows of different lengths
        observers = np.empty(0)
    number = game.facts.players
    if observers.shape != (count,) or observers.dtype.kind not in "iu":
        raise OptionError(f"{game}: there must be one player for each of the {count} states")
    if count and not 0 <= observers.min() <= observers.max() < number:
        raise OptionError(f"{game} has players 0 to {number - 1}")
    return observers


def network_inputs(
    game: Game, setups: Words, states: Words, symmetries: Words | None = None
) -> Inputs:
    """Return the input of a network for some states; finished games have no actions.

    `setups` is one setup for all of them or a matrix; checked as by `encode_states`. With
    `symmetries`, one number per state, planes and entries are those of its image, while the actions
    are its own.
    """
    setups, states = matrices(game, setups, states)
    count, branching = len(states), game.facts.branching
    numbers = np.zeros(count, np.int64) if symmetries is None else np.asarray(symmetries, np.int64)
    if numbers.shape != (count,) or not ((numbers >= 0) & (numbers < game.facts.symmetries)).all():
        last = game.facts.symmetries - 1
        raise OptionError(
            f"{game}: each of the {count} states must have a symmetry from 0 to {last}"
        )
    work = InputWorkspace(**input_fields(game, count, images=bool(numbers.any())))
    actions = np.empty((count, branching), np.int64)
    counts, players = np.empty(count, np.int64), np.empty(count, np.int64)
    _write_inputs(work, setups, states, numbers, actions, counts, players, image_space(game))
    actions[np.arange(branching) >= counts[:, np.newaxis]] = -1
    return Inputs(
        work.planes.reshape(count, *plane_shape(game)),
        work.entries.reshape(count, branching, game.facts.policy_parts),
        actions,
        counts,
        players,
    )


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
        raise OptionError(f"this is a position of {position.game}, not of {game}")


def matrices(game: Game, setups: Words, states: Words) -> tuple[Words, Words]:
    """Return setups and states as kernels take them, or raise StateError."""
    setup_size, state_size = game.sizes
    try:
        setups, states = np.atleast_2d(setups), np.asarray(states)
    except ValueError:  # rows of different lengths
        raise StateError(f"{game}: setups and states must be matrices of int64") from None
    count = len(states) if states.ndim == 2 else 0
    _check_matrix(game, "states", states, [(count, state_size)])
    _check_matrix(game, "setups", setups, [(1, setup_size), (count, setup_size)])
    return np.ascontiguousarray(setups), np.ascontiguousarray(states)


def _check_matrix(game: Game, name: str, matrix: Words, shapes: list[tuple[int, int]]) -> None:
    if matrix.dtype != np.int64 or matrix.shape not in shapes:
        allowed = " or ".join(f"{rows} x {columns}" for rows, columns in shapes)
        actual = f"{matrix.dtype} of shape {matrix.shape}"
        raise StateError(f"{game}: the {name} must be a matrix of int64, {allowed}; not {actual}")
