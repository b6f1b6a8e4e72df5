"""Proofs, settings and memory of MCTS; and shortest solutions of puzzles."""

from __future__ import annotations

import pytest
from lines import random_position

from plyground import Limit, load_agent, load_game

SMALL = (
    "connect_n(width=4, height=4, n=3)",
    "connect_n(width=4, height=4)",  # most positions are drawn
    "connect_n(width=5, height=4)",
    "tron(map=small_room)",
)


def solver_value(solver, position, player):
    """Return the exact value of a position for a player."""
    if position.is_over:
        return position.returns[player]
    value = solver.think(position).value
    return value if position.player == player else -value


@pytest.mark.parametrize("spec", SMALL)
def test_proofs_of_mcts_are_right(spec):
    game = load_game(spec)
    solver = load_agent("alphabeta(depth=64, evaluate=nothing)")
    agent = load_agent("mcts(simulations=20000)")
    proved = []
    for seed in range(30):
        position = random_position(game, seed, plies=4 + seed % 8)
        if position.is_over:
            continue
        thought = agent.think(position, seed=seed)
        if thought.proof is not None:
            proved.append(thought.proof.value)
            assert thought.proof.value == solver.think(position).value, repr(position)
            after = position.play(thought.action)
            assert thought.proof.value == solver_value(solver, after, position.player), position
    assert len(proved) >= 5
    assert 0.0 in proved or spec != "connect_n(width=4, height=4)"


@pytest.mark.parametrize(
    "options",
    [
        "select=ucb1_tuned",
        "select=puct",
        "best=3",
        "playout=heuristic",
        "cutoff=4",
        "depth=2",
        "solve=False",
        "choose_by=value",
        "threads=2",
        "reuse=False",
        "exploration=0.5",
    ],
)
def test_every_setting_finds_a_win_in_one_and_blocks_one(options):
    game = load_game("connect_n")
    agent = load_agent(f"mcts(simulations=4000, {options})")
    assert agent.think(game.parse("7/7/7/7/ooo4/xxx4")).action == 3
    assert agent.think(game.parse("7/7/7/7/oo5/xxx4")).action == 3


def test_a_full_tree_drops_what_it_visits_least_and_goes_on():
    position = load_game("connect_n").start()
    thought = load_agent("mcts(simulations=100000, nodes=10000)").think(position)
    assert thought.simulations == 100_000
    assert thought.nodes <= 10_000
    assert sum(thought.policy.values()) == pytest.approx(1)
    assert thought.action in (2, 3, 4)


def test_threads_add_their_simulations_up():
    position = load_game("connect_n").start()
    thought = load_agent("mcts(simulations=3000, threads=3)").think(position)
    assert thought.simulations == 3000


def test_where_something_is_hidden_several_guesses_are_searched():
    game = load_game("sheep(hidden=True)")
    position = random_position(game, 1, plies=8)
    seen = position.observe(position.player)
    thought = load_agent("mcts(simulations=400, worlds=4)").think(seen)
    assert thought.simulations == 400
    assert thought.action in position.legal_actions


def test_simultaneous_moves_are_searched_without_a_look_at_the_others():
    game = load_game("tron(map=small_room, simultaneous=True)")
    start = game.start(3)
    for position in (start, start.play(0)):
        seen = position.observe(position.player)
        assert load_agent("mcts(simulations=2000)").think(seen).action in position.legal_actions


def test_the_shortest_solution_is_found():
    game = load_game("robots")
    agent = load_agent("shortest")
    for seed in range(6):
        position = game.start(seed)
        thought = agent.think(position, Limit(depth=6))
        if thought.proof is None:
            continue
        for action in thought.line:
            assert not position.is_over
            position = position.play(action)
        assert position.is_over
        assert position.returns[0] == thought.value > -1
