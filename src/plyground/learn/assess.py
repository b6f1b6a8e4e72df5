"""How well a network plays alone: its likeliest moves, without search, on a fixed set of starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plyground.game import Position
from plyground.game.planes import network_inputs
from plyground.search.forest import Evaluate


class Score(NamedTuple):
    """The results of games that a network played alone."""

    solved: float
    """The share of starts that ended with a return above the lowest, -1."""
    mean: float
    """The mean return."""
    plies: tuple[int, ...]
    """The length of each game."""
    returns: tuple[float, ...]


def play_alone(evaluate: Evaluate, starts: Sequence[Position]) -> Score:
    """Play games of one player by a network's likeliest move, all at once.

    A move that leads back to a position of the same game is taken only where there is no other.
    """
    game = starts[0].game
    ends = list(starts)
    seen = [{position.key} for position in starts]
    while True:
        open_games = [index for index, end in enumerate(ends) if not end.is_over]
        if not open_games:
            break
        # Finished games stay in the batch: a network is compiled for each size of batch.
        asked = [start if end.is_over else end for start, end in zip(starts, ends, strict=True)]
        setups = np.stack([position.setup for position in asked])
        inputs = network_inputs(game, setups, np.stack([position.state for position in asked]))
        logits = np.asarray(evaluate(inputs.planes, inputs.entries).logits)
        for index in open_games:
            position = ends[index]
            count = len(position.legal_actions)
            order = np.argsort(-logits[index, :count], kind="stable")
            following = [position.play(position.legal_actions[each]) for each in order]
            new = (after for after in following if after.key not in seen[index])
            ends[index] = next(new, following[0])
            seen[index].add(ends[index].key)
    returns = tuple(end.returns[0] for end in ends)
    return Score(
        float(np.mean([value > -1.0 for value in returns])),
        float(np.mean(returns)),
        tuple(end.ply for end in ends),
        returns,
    )
