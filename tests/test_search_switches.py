"""Every refinement of alpha-beta leaves the value as plain minimax has it, in every game of two."""

from __future__ import annotations

import pytest
from lines import random_position

from plyground import Limit, load_agent, load_game

GAMES = (
    "connect_n(width=4, height=4, n=3)",
    "connect_n(width=10, height=8)",
    "expendibots",
    "tron(map=small_room)",
    "sheep(players=2, size=6, cells=16, sheep=4)",
)
EXACT = (
    "",
    "prune=False",
    "scout=False",
    "aspiration=True",
    "table=False",
    "table_bits=1",
    "killers=False",
    "history=False",
    "order=False",
    "prune=False, table=False",
    "scout=False, table=False, killers=False, history=False, order=False",
)
MOST_LINES = 20_000


def minimax(position, depth, viewer, evaluator):
    """Look at every line; all others play against the viewer, whose heuristic counts."""
    if position.is_over:
        return position.returns[viewer]
    if depth == 0:
        return position.evaluate(evaluator)[viewer]
    values = [
        minimax(position.play(action), depth - 1, viewer, evaluator)
        for action in position.legal_actions
    ]
    return max(values) if position.player == viewer else min(values)


def cases(spec):
    """Give positions of a game with the deepest minimax that is still quick."""
    game = load_game(spec)
    for seed in range(8):
        position = random_position(game, seed, plies=3 * seed)
        branching = max(2, len(position.legal_actions))
        depth = next(d for d in range(5, 0, -1) if d == 1 or branching**d < MOST_LINES)
        yield position, depth


@pytest.mark.parametrize("spec", GAMES)
def test_every_switch_gives_the_value_of_minimax(spec):
    agents = {options: load_agent(f"alphabeta({options})") for options in EXACT}
    for position, depth in cases(spec):
        value = minimax(position, depth, position.player, position.game.evaluator())
        for options, agent in agents.items():
            found = agent.think(position, Limit(depth=depth))
            assert found.value == pytest.approx(value, abs=1e-12), (options, repr(position))


@pytest.mark.parametrize("spec", ["sheep(players=3, size=5, cells=12, sheep=3)"])
def test_more_than_two_players_are_seen_as_all_against_one(spec):
    agent = load_agent("alphabeta")
    for position, depth in cases(spec):
        value = minimax(position, depth, position.player, position.game.evaluator())
        found = agent.think(position, Limit(depth=depth))
        assert found.value == pytest.approx(value, abs=1e-12), repr(position)


def test_reductions_change_the_work_and_not_the_rules():
    position = load_game("connect_n").start()
    plain, reduced = (
        load_agent("alphabeta", depth=10, reduce=reduce).think(position) for reduce in (False, True)
    )
    assert reduced.info["nodes"] != plain.info["nodes"]
    assert reduced.action in position.legal_actions


def test_a_stage_of_the_game_sets_the_depth():
    agent = load_agent("alphabeta(stages=(0.1, 2, 0.5, 4, 1, 6))")
    position = load_game("connect_n").start()
    depths = []
    for action in (3, 3, 3, 3, 3, 2, 2, 2):
        depths.append(agent.think(position).info["depth"])
        position = position.play(action)
    assert depths == [2, 2, 2, 2, 2, 4, 4, 4]


def test_even_steps_end_on_even_depths():
    thought = load_agent("alphabeta(step=2)").think(
        load_game("connect_n").start(), Limit(nodes=50_000)
    )
    assert thought.info["depth"] % 2 == 0
