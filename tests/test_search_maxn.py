"""Max^n agrees with brute force, whatever the order in which actions are tried."""

from __future__ import annotations

import pytest
from lines import random_position

from plyground import Limit, load_agent, load_game

THREE = "sheep(players=3, size=5, cells=12, sheep=3)"


def brute_force(position, depth, evaluator):
    """Return all players' values when each maximises its own, choosing the lowest of equals."""
    if position.is_over:
        return position.returns
    if depth == 0:
        return position.evaluate(evaluator)
    found = [
        brute_force(position.play(action), depth - 1, evaluator)
        for action in position.legal_actions
    ]
    return max(found, key=lambda values: values[position.player])


@pytest.mark.parametrize(
    "spec", [THREE, "sheep(size=6, cells=20, sheep=3)", "connect_n(width=4, height=4)"]
)
@pytest.mark.parametrize("table_bits", [1, 16])
def test_values_are_those_of_brute_force(spec, table_bits):
    game = load_game(spec)
    agent = load_agent("maxn", prune=False, table_bits=table_bits)
    for seed in range(8):
        position = random_position(game, seed, plies=3 + 2 * seed)
        if position.is_over:
            continue
        depth = 3 if len(position.legal_actions) < 15 else 2
        wanted = brute_force(position, depth, game.evaluator())
        found = agent.think(position, Limit(depth=depth)).info["values"]
        assert found == pytest.approx(list(wanted), abs=1e-5), repr(position)


def test_alpha_beta_knows_its_partner():
    """With two teams, the best for a player is the best for its team."""
    game = load_game("sheep(size=6, cells=24, sheep=3, teams=True)")
    tried = 0
    for seed in range(12):
        position = random_position(game, seed, plies=4 + seed % 5)
        if position.is_over:
            continue
        wanted = brute_force(position, 3, game.evaluator())[position.player]
        found = load_agent("alphabeta").think(position, Limit(depth=3))
        assert found.value == pytest.approx(wanted, abs=1e-5), repr(position)
        tried += 1
    assert tried > 6


def test_a_player_who_can_win_at_once_does():
    game = load_game("connect_n")
    thought = load_agent("maxn(depth=3)").think(game.parse("7/7/7/7/ooo4/xxx4"))
    assert thought.action == 3
    assert thought.value == 1
