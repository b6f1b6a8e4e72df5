"""Expendibots' heuristics: the ratios counted by the naive rules, and worked by hand."""

import pytest
from hypothesis import given
from naive_expendibots import BLACK, WHITE
from test_expendibots import armies

from plyground import load_agent, load_game
from plyground.arena.match import play_match
from plyground.errors import OptionError


@pytest.fixture(scope="module")
def game():
    return load_game("expendibots")


def ratio(count):
    """Turn (own + 1) / (other + 1), for White, into a value."""
    share = (count(WHITE) + 1) / (count(BLACK) + 1)
    return (share - 1) / (share + 1)


def naive_values(naive):
    return {
        "pieces": ratio(naive.tokens),
        "mobility": ratio(lambda side: len(naive.actions(side))),
        "components": ratio(lambda side: naive.count_components(side, False)),
        "components(alone=true)": ratio(lambda side: naive.count_components(side, True)),
    }


@given(naive=armies())
def test_the_kernels_count_as_the_naive_rules_do(game, naive):
    position = game.parse(naive.text())
    values = naive_values(naive)
    for spec, white in values.items():
        assert position.evaluate(spec) == pytest.approx((white, -white), abs=1e-9), spec
    closeness = 1 - naive.mean_distance() / 7.5
    assert position.evaluate("closeness") == pytest.approx((closeness, closeness), abs=1e-9)
    white = (5 * values["pieces"] + 2 * values["mobility"] + values["components"]) / 10
    close = 2 * closeness / 10
    spec = "features(pieces=5, mobility=2, components=1, closeness=2)"
    assert position.evaluate(spec) == pytest.approx((close + white, close - white), abs=1e-9)


def test_the_start_is_even_and_has_three_components_a_side(game):
    start = game.start()
    for spec in ("pieces", "mobility", "components", "components(alone=true)"):
        assert start.evaluate(spec) == (0.0, 0.0)
    joined = start.play(start.parse("b2-c2"))  # the left and the middle squares of White are one
    assert joined.evaluate("components") == pytest.approx((-1 / 7, 1 / 7))  # 2 against 3


@pytest.mark.parametrize(
    ("spec", "white"),
    [
        ("pieces", (3 - 1) / (3 + 1 + 2)),
        ("mobility", (12 - 5) / (12 + 5 + 2)),  # 4 squares x 2 tokens and 2 steps, 2 booms; 4 and 1
        ("components", (2 - 1) / (2 + 1 + 2)),
        ("components(alone=true)", (1 - 0) / (1 + 0 + 2)),
    ],
)
def test_a_position_worked_by_hand(game, spec, white):
    position = game.parse("7A/8/8/8/8/8/1a6/B7 w 0")
    assert position.evaluate(spec) == pytest.approx((white, -white))


def test_closeness_is_the_mean_over_all_pairs_of_tokens(game):
    position = game.parse("7A/8/8/8/8/8/1a6/B7 w 0")
    close = 1 - (2 + 2 + 12) / 3 / 7.5
    assert position.evaluate("closeness") == pytest.approx((close, close))
    for text in ("7a/8/8/8/8/8/8/A7 w 0", "8/8/8/8/8/8/8/Aa6 w 0"):  # as far and as near as can be
        assert abs(game.parse(text).evaluate("closeness")[0]) == pytest.approx(13 / 15)


def test_features_without_weight_know_nothing(game):
    spec = "features(pieces=0, mobility=0, components=0, closeness=0)"
    assert game.parse("7A/8/8/8/8/8/1a6/B7 w 0").evaluate(spec) == (0.0, 0.0)
    with pytest.raises(OptionError, match="is out of range"):
        game.evaluator("features(pieces=-1)")


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("alphabeta(depth=1)", "boom-b3"),  # three enemies for one token
        ("alphabeta(depth=3)", "boom-b3"),
    ],
)
def test_search_takes_what_it_can_blow_up(game, spec, wanted):
    position = game.parse("8/5a2/7a/8/1aa5/1A6/1a5A/6AA w 0")
    assert position.format(load_agent(spec).think(position).action) == wanted


@pytest.mark.parametrize("spec", ["greedy", "greedy(evaluate=pieces)", "alphabeta(depth=2)"])
def test_the_heuristics_beat_random_play(game, spec):
    agents = [load_agent(spec), load_agent("random")]
    won = sum(
        record.returns[record.entrants.index(0)]
        for record in play_match(game, agents, 10, seed=3, opening=2)
    )
    assert won >= 8
