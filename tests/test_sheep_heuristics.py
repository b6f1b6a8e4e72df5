"""Battle Sheep's heuristics against the naive ones, its planes, and agents that use them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from naive_sheep import NaiveSheep
from test_sheep import VARIANTS

from plyground import load_agent, load_game, play_match
from plyground.game.advice import unwise
from plyground.game.check import random_game
from plyground.games.sheep.notation import split_action


@settings(max_examples=40)
@given(
    spec=some.sampled_from(VARIANTS),
    seed=some.integers(0, 999),
    at=some.floats(0, 1),
    spread=some.floats(0, 100),
    exits=some.floats(0, 100),
)
def test_heuristics_count_as_the_naive_ones(spec, seed, at, spread, exits):
    game = load_game(spec)
    line = list(random_game(game, seed))[:-1]
    position = line[int(at * (len(line) - 1))]
    naive = NaiveSheep.from_text(position.to_text(), game)
    for evaluator, held, weight, ways in (
        ("regions", 1, 0, 0),
        ("freedom", 0, 1, 2),
        ("outlook", 1, 2, 1),
        (f"outlook(spread={spread!r}, exits={exits!r})", 1, spread, exits),
        (f"freedom(exits={exits!r})", 0, 1, exits),
    ):
        values = position.evaluate(evaluator)
        assert values == pytest.approx(naive.heuristic(held, weight, ways), abs=1e-9)
        assert all(-1 < value < 1 for value in values)


@settings(max_examples=40)
@given(
    spec=some.sampled_from(VARIANTS),
    seed=some.integers(0, 999),
    at=some.floats(0, 1),
    width=some.floats(0.01, 100),
)
def test_territory_counts_as_the_naive_one(spec, seed, at, width):
    game = load_game(spec)
    line = list(random_game(game, seed))[:-1]
    position = line[int(at * (len(line) - 1))]
    naive = NaiveSheep.from_text(position.to_text(), game)
    values = position.evaluate(f"territory(width={width!r})")
    assert values == pytest.approx(naive.territory(width), abs=1e-6)
    assert all(-1 < value < 1 for value in values)


def at(spec, text):
    return load_game(spec).parse(text)


def test_regions_by_hand():
    """a holds 2 cells side by side, b two apart: 2 ** 1.25 = 2.378 against 2."""
    position = at("sheep(players=2, size=4, cells=16, sheep=4)", "a2a2../..../..../b2..b2 a")
    lead = (2**1.25 - 2) / (2**1.25 + 2 + 1)
    assert position.evaluate("regions") == pytest.approx((lead, -lead))


def test_freedom_by_hand():
    """Of 3 spare sheep, a can move 2 in its one direction, b all in its two directions."""
    position = at("sheep(players=2, size=5, cells=5, sheep=4)", "a4..b4./#####/#####/#####/##### a")
    assert position.evaluate("freedom") == pytest.approx((-1 / 6, 1 / 6))


def test_territory_by_hand():
    """One sheep of each can leave: a gets a region of 3, b one of 2; a's first stack is shut in."""
    walls = "/".join(["#######"] * 6)
    position = at("sheep(players=2, size=7, cells=7, sheep=4)", f"a2a2....b4/{walls} a")
    lead = 3**1.25 - 2**1.25
    value = lead / (4 + lead)
    assert position.evaluate("territory") == pytest.approx((value, -value))


def test_planes_show_ones_own_things_first():
    position = at("sheep(players=3, size=3, cells=8, sheep=4)", "a3.b4/.#./a.c4 a")
    planes = position.encode(1)
    assert planes.shape == (8, 3, 3)
    assert planes[0].tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert planes[1].tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert planes[2].tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert planes[4].tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert planes[5].tolist() == [[0.75, 0, 0], [0, 0, 0], [0.25, 0, 0]]
    assert planes[6].tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert not planes[7].any()
    assert position.encode(0)[7].all()


def test_one_half_and_all_but_one_are_the_wise_numbers():
    for position in random_game(load_game("sheep"), 8):
        stacks = NaiveSheep.from_text(position.to_text(), position.game).sheep
        for action in position.legal_actions:
            place, direction, number = split_action(action, 12, 16)
            wise = not direction or number in (1, stacks[place] // 2, stacks[place] - 1)
            assert unwise(position, action) == (not wise)


@pytest.mark.parametrize(
    "strong", ["greedy", "greedy(evaluate='freedom')", "mcts(simulations=100)"]
)
def test_agents_beat_random_play(strong):
    game = load_game("sheep")
    agents = [load_agent(strong), *[load_agent("random")] * 3]
    total = 0.0
    for record in play_match(game, agents, 16, seed=3):
        total += record.returns[record.entrants.index(0)]
    assert total / 16 > 0.3


@pytest.mark.parametrize("unwise", ["", "nothing"])
def test_alphabeta_beats_random_play_of_two(unwise):
    game = load_game("sheep(players=2, size=8, cells=32)")
    agents = [load_agent("alphabeta(depth=2)", unwise=unwise), load_agent("random")]
    records = list(play_match(game, agents, 20, seed=1, opening=0))
    assert sum(record.returns[record.entrants.index(0)] for record in records) > 10


def test_partners_get_the_same():
    agents = [load_agent("greedy"), load_agent("random")] * 2
    for record in play_match(load_game("sheep(teams=True)"), agents, 6, seed=2):
        assert record.returns[0] == record.returns[2] == -record.returns[1] == -record.returns[3]
