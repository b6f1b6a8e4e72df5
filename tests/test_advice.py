"""Advice is chosen by name; the first of a kind is the default, `nothing` switches it off."""

import pytest

from plyground import load_agent, load_game
from plyground.arena.match import play_match
from plyground.errors import CannotPlayError, UnknownNameError
from plyground.game.advice import order, rollout


def test_the_first_of_a_kind_is_the_default():
    game = load_game("connect_n")
    assert game.advisor("order") is game.advisor("order", "middle")
    assert game.advisor("order", "nothing") is None
    assert game.advisor("loud") is None
    start = game.start()
    assert max(start.legal_actions, key=lambda action: order(start, action)) == 3


@pytest.mark.parametrize(
    "spec", ["alphabeta(order=midle)", "mcts(playout=sharpe)", "rule(by=shrp)"]
)
def test_an_unknown_name_is_corrected(spec):
    with pytest.raises(UnknownNameError, match="did you mean"):
        load_agent(spec).prepare(load_game("connect_n"))


def test_a_game_without_rules_has_no_player_by_rule(tic_tac_toe):
    with pytest.raises(CannotPlayError, match="no play-out policy to play by"):
        load_agent("rule").prepare(tic_tac_toe)


def test_a_player_by_rule_plays_what_play_outs_draw():
    position = load_game("tron").start(1)
    for seed in range(5):
        assert load_agent("rule").think(position, seed=seed).action == rollout(position, seed)


def test_unwise_actions_stay_out_of_the_tree():
    position = load_game("expendibots").start()
    free, wise = (
        load_agent(f"mcts(simulations=200, unwise={name})").think(position)
        for name in ("nothing", "suicides")
    )
    booms = [action for action in position.legal_actions if action < 64]
    assert any(free.policy[action] for action in booms)
    assert not any(wise.policy[action] for action in booms)


@pytest.mark.parametrize("spec", ["connect_n", "tron", "expendibots"])
def test_a_rule_beats_random_play(spec):
    game = load_game(spec)
    agents = [load_agent("rule"), load_agent("random")]
    records = list(play_match(game, agents, 40, seed=1))
    assert sum(record.returns[record.entrants.index(0)] for record in records) > 10
