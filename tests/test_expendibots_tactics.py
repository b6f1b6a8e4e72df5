"""Expendibots' advice to searches: booms by their gain, moves by the enemies beside them."""

import pytest
from hypothesis import assume, given
from naive_expendibots import written
from test_expendibots import armies

from plyground import load_agent, load_game
from plyground.agents.agent import Limit
from plyground.game.advice import loud, order, rollout, unwise


@pytest.fixture(scope="module")
def game():
    return load_game("expendibots")


def naive_gains(naive):
    """Return for each boom, as written, its gain in tokens and whether it hits an enemy."""
    gains = {}
    for action in naive.legal():
        if action[0] == "BOOM":
            after = naive.after(action)
            lost = naive.tokens(naive.side) - after.tokens(naive.side)
            won = naive.tokens(-naive.side) - after.tokens(-naive.side)
            gains[written(action)] = won - lost, won > 0
    return gains


@given(naive=armies())
def test_advice_follows_what_booms_gain_by_the_naive_rules(game, naive):
    assume(not naive.is_over())
    position = game.parse(naive.text())
    gains = naive_gains(naive)
    listed = {position.format(action) for action in loud(position)}
    assert listed <= {text for text, (_, hits) in gains.items() if hits}
    reached = {position.play(action).key for action in loud(position)}
    assert reached == {position.play(position.parse(text)).key for text in gains if gains[text][1]}
    assert len(reached) == len(listed)
    wise = {text for text in gains if not unwise(position, position.parse(text))}
    assert wise == listed
    moves = [action for action in position.legal_actions if action >= 64]
    assert not any(unwise(position, action) for action in moves)
    wins = {text for text in gains if position.play(position.parse(text)).returns[position.player]}
    for text, (gain, _) in gains.items():
        score = order(position, position.parse(text))
        ahead = gain >= 0 or (text in wins and score > 0)
        assert all((score > order(position, move)) == ahead for move in moves)


def test_the_larger_gain_comes_first_and_a_win_before_all(game):
    position = game.parse("aa5a/A7/8/8/3b4/3A4/8/7A w 0")
    booms = [position.parse(text) for text in ("boom-a7", "boom-d3", "boom-h1")]
    assert [position.format(action) for action in loud(position)] == ["boom-d3", "boom-a7"]
    scores = [order(position, action) for action in booms]  # gains 1, 1 and -1
    assert scores[0] == scores[1] > 0 > scores[2]
    losing = game.parse("8/8/8/8/8/8/1C6/a6A w 0")  # three for one, and the game
    winning = losing.parse("boom-b2")
    assert order(losing, winning) > max(scores)
    assert rollout(losing, 1) == winning


def test_moves_beside_more_enemies_come_first(game):
    position = game.parse("8/8/8/8/a1a5/8/1A6/7A w 0")
    scores = {position.format(action): order(position, action) for action in position.legal_actions}
    assert scores["b2-b3"] > scores["b2-c2"] == scores["h1-g1"] == 0


def test_play_outs_take_gains_and_never_only_lose_tokens(game):
    trap = game.parse("aa6/1A6/8/8/8/8/8/7A w 0")
    assert {trap.format(rollout(trap, seed)) for seed in range(20)} == {"boom-b7"}
    even = game.parse("a7/1A6/8/8/8/8/8/6aA w 0")
    drawn = {even.format(rollout(even, seed)) for seed in range(200)}
    assert drawn == {"b7-b8", "b7-a7", "b7-c7", "b7-b6", "h1-h2"}
    stuck = game.parse("8/8/8/8/8/8/b7/Ab6 w 0")
    assert stuck.format(rollout(stuck, 1)) == "boom-a1"


def test_quiescence_sees_tokens_under_attack(game):
    """Both white stacks have an enemy beside them, and only one of them can leave."""
    position = game.parse("a7/8/8/8/8/8/2Ca2Ca/8 w 0")
    plain = load_agent("alphabeta(evaluate='pieces')").think(position, Limit(depth=1))
    quiet = load_agent("alphabeta(evaluate='pieces', quiet=4)").think(position, Limit(depth=1))
    assert plain.value == pytest.approx((6 - 3) / (6 + 3 + 2))
    assert quiet.value < plain.value


# Advice of the study ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("8/8/8/8/8/1a6/A7/7A w 0", {"boom-a2"}),  # sensible: one for one
        ("8/8/8/8/8/8/aA6/A7 w 0", {"b2-c2"}),  # out of the enemy's component
        ("8/8/8/1aa5/8/8/1B6/8 w 0", {"b2-b4", "2b2-b4"}),  # slingshots
    ],
)
def test_the_greedy_player_takes_the_first_class_that_has_an_action(text, classes):
    position = load_game("expendibots").parse(text)
    drawn = {position.format(rollout(position, seed, "greedy")) for seed in range(20)}
    assert drawn == classes


def test_the_boom_map_draws_moves_towards_the_larger_cluster():
    position = load_game("expendibots").parse("aa5a/aa6/8/8/3A4/8/8/8 w 0")
    scores = {
        position.format(action): order(position, action, "boom_map")
        for action in position.legal_actions
    }
    assert max(scores, key=scores.get) == "boom-d4"
    assert scores["d4-c4"] > scores["d4-e4"]
    assert scores["d4-d5"] > scores["d4-d3"]
