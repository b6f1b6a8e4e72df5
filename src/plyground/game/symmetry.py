"""Symmetries of a game, called from Python: the images of positions and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from plyground.compile import Words, call_image, call_image_action, loop
from plyground.errors import OptionError
from plyground.game.numbers import whole
from plyground.text import one_line

if TYPE_CHECKING:  # positions import this module
    from plyground.game.contract import Game
    from plyground.game.position import Position


class Image(NamedTuple):
    """A position under one of its game's symmetries."""

    position: Position
    actions: Words
    """For every action of the game, the action that is its image."""


@loop("none(rules, setup, state, i8, words, words)")
def _image(rules, setup, state, symmetry, setup_out, state_out):  # type: ignore[no-untyped-def]
    call_image(rules, setup, state, symmetry, setup_out, state_out)


@loop("none(rules, setup, i8, words)")
def _image_actions(rules, setup, symmetry, out):  # type: ignore[no-untyped-def]
    for action in range(len(out)):
        out[action] = call_image_action(rules, setup, action, symmetry)


def image(position: Position, symmetry: int) -> Position:
    """Return a position's image, without a line of play; number 0 is the position itself."""
    game = position.game
    number = _checked(game, symmetry)
    if number == 0:
        return position
    setup, state = np.empty_like(position.setup), np.empty_like(position.state)
    rules = game.rules_with("image")
    _image(rules, position.setup, position.state, number, setup, state)
    setup.flags.writeable = state.flags.writeable = False
    return position._trusted(game, setup, state, position.observer, position.ply)


def image_actions(position: Position, symmetry: int) -> Words:
    """Return the image of every action of the game, legal here or not."""
    game = position.game
    number = _checked(game, symmetry)
    actions = np.arange(game.facts.actions, dtype=np.int64)
    if number != 0:
        rules = game.rules_with("image_action")
        _image_actions(rules, position.setup, number, actions)
    actions.flags.writeable = False
    return actions


def images(position: Position) -> tuple[Image, ...]:
    """Return all images of a position, itself first."""
    return tuple(
        Image(image(position, symmetry), image_actions(position, symmetry))
        for symmetry in range(position.game.facts.symmetries)
    )


def _checked(game: Game, symmetry: int) -> int:
    """Return the number of a symmetry, or raise OptionError."""
    number = whole(symmetry)
    if number not in range(game.facts.symmetries):
        allowed = f"{game} has symmetries 0 to {game.facts.symmetries - 1}"
        raise OptionError(f"symmetry {one_line(repr(symmetry), 60)}: {allowed}")
    return number
