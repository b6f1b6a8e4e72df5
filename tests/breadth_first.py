"""Breadth-first search for the fewest moves of a Robot Reboot puzzle, by the game's own rules."""

import numpy as np

from plyground.compile import call_legal, call_over, call_play, loop


@loop("i8(rules, setup, words2, words, words2)")
def expand(rules, setup, states, actions, out):
    """Play every legal action in every state; return the number of states written to `out`."""
    count = 0
    for index in range(len(states)):
        if not call_over(rules, setup, states[index]):
            legal = call_legal(rules, setup, states[index], actions)
            for number in range(legal):
                out[count, :] = states[index]
                call_play(rules, setup, out[count], actions[number])
                count += 1
    return count


def breadth_first(position):
    """Count the moves to the nearest end of the game, level by level."""
    game = position.game
    actions = np.empty(game.facts.branching, np.int64)
    states = position.state[None].copy()
    seen = np.empty(0, np.int64)
    shifts = 10 * np.arange(game.robots)
    moves = 0
    while len(states):
        out = np.empty((len(states) * game.facts.branching, states.shape[1]), np.int64)
        out = out[: expand(game.rules(), position.setup, states, actions, out)]
        keys, first = np.unique((out[:, 1:] << shifts).sum(axis=1), return_index=True)
        moves += 1
        target, house = position.setup[3:5]
        if (out[:, 1 + target] == house).any():
            return moves
        fresh = ~np.isin(keys, seen, assume_unique=True)
        states, seen = out[first[fresh]], np.concatenate([seen, keys[fresh]])
    return None
