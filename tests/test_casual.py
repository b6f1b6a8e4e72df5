"""The agent `casual`: mistakes as people make them, and none that is plain to see."""

import pytest
from lines import played

from plyground import Limit, load_agent, load_game
from plyground.agents.casual import _part

WILD = load_agent("casual(judge=alphabeta(depth=1), temperature=100)")
"""All moves that are not excluded are about equally likely."""


@pytest.mark.parametrize("seed", range(4))
def test_a_win_is_taken_at_once(connect_four, seed):
    position = played(connect_four, 0, 6, 1, 6, 2, 5)
    assert WILD.think(position, seed=seed).policy == {3: 1.0}


@pytest.mark.parametrize("seed", range(4))
def test_a_loss_that_is_plain_to_see_is_prevented(connect_four, seed):
    position = played(connect_four, 0, 6, 1, 6, 2)
    assert WILD.think(position, seed=seed).policy == {3: 1.0}


def test_if_every_move_loses_one_of_them_is_played(connect_four):
    position = played(connect_four, 1, 6, 2, 6, 3)  # columns 0 and 4 both win
    thought = WILD.think(position)
    assert thought.value == -1.0
    assert thought.action in position.legal_actions


def test_the_temperature_decides_how_often_worse_moves_are_played(connect_four):
    position = played(connect_four, 3, 3)
    cold, warm = (
        load_agent(f"casual(judge=alphabeta(depth=1), temperature={each})").think(position).policy
        for each in (0.001, 0.3)
    )
    assert max(cold.values()) > 0.3 > max(warm.values())
    assert len(cold) < len(warm)


def test_where_both_move_at_once_neither_seat_knows_the_other_ones_move():
    game = load_game("tron(simultaneous=True)")
    position = game.start(1)
    for seat in (0, 1):
        policies = [WILD.think(position.observe(seat), seed=seed).policy for seed in (1, 2)]
        assert policies[0] == policies[1]
        assert len(policies[0]) > 1
        position = position.play(position.legal_actions[0])


def test_moves_for_which_no_time_is_left_are_not_considered(connect_four):
    agent = load_agent("casual(judge=alphabeta(depth=1), temperature=1)")
    assert len(agent.think(connect_four.start(), Limit(seconds=1e-9)).policy) == 1
    assert len(agent.think(connect_four.start(), Limit(seconds=60)).policy) == 7


def test_the_judge_shares_the_limit_among_the_moves():
    part = _part(Limit(seconds=1.0, nodes=100, simulations=3, most=2.0), 5)
    assert part == Limit(seconds=0.2, nodes=20, simulations=1)
