"""Time a game's kernels: `python examples/time_kernels.py examples/othello.py`."""

import sys
import time

import numpy as np

from plyground import load_agent, load_game
from plyground.compile import call_legal, call_over, call_play, loop
from plyground.game.check import random_game
from plyground.game.position import key_of

ROUNDS = 200


@loop("i8(rules, setup, states, words, words)")
def time_over(rules, setup, states, scratch, actions):
    total = 0
    for row in range(len(states)):
        total += call_over(rules, setup, states[row])
    return total


@loop("i8(rules, setup, states, words, words)")
def time_legal(rules, setup, states, scratch, actions):
    total = 0
    for row in range(len(states)):
        total += call_legal(rules, setup, states[row], actions)
    return total


@loop("i8(rules, setup, states, words, words)")
def time_legal_and_play(rules, setup, states, scratch, actions):
    for row in range(len(states)):
        for word in range(len(scratch)):
            scratch[word] = states[row, word]
        count = call_legal(rules, setup, scratch, actions)
        call_play(rules, setup, scratch, actions[count // 2])
    return 0


@loop("i8(rules, setup, states, words, words)")
def time_key(rules, setup, states, scratch, actions):
    total = np.uint64(0)
    for row in range(len(states)):
        total ^= key_of(rules, setup, states[row], len(scratch))
    return np.int64(total)


def main(spec: str) -> None:
    game = load_game(spec)
    positions = [position for position in random_game(game, 0) if not position.is_over]
    setup, states = positions[0].setup, np.stack([position.state for position in positions])
    scratch = np.zeros(states.shape[1], np.int64)
    actions = np.zeros(2 * game.facts.branching, np.int64)
    for function in (time_over, time_legal, time_legal_and_play, time_key):
        function(game.rules(), setup, states, scratch, actions)  # compiles it
        began = time.process_time()
        for _ in range(ROUNDS):
            function(game.rules(), setup, states, scratch, actions)
        seconds = (time.process_time() - began) / ROUNDS / len(states)
        print(f"{function.__name__.removeprefix('time_'):15} {seconds * 1e9:8.0f} ns")
    agent = load_agent("mcts(simulations=20000)")
    agent.prepare(game)  # compiles the search
    began = time.process_time()
    thought = agent.think(game.start())
    speed = (thought.simulations or 0) / (time.process_time() - began)
    print(f"{'mcts':15} {speed:8,.0f} simulations/s")


if __name__ == "__main__":
    main(sys.argv[1])
