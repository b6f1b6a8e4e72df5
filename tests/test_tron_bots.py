"""The bots of Tron's course, move by move and by strength, and the heuristic `chambers`."""

from math import copysign

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from naive_tron import NaiveTron

from plyground import load_agent, load_game
from plyground.arena.match import play_match
from plyground.game.advice import rollout, unwise
from plyground.games.tron.fill import MARGIN, SURE

ROOM = "tron(map=room, width=7, height=7)"
SEARCH = "alphabeta(depth=3, step=3, unwise=crashes, evaluate={})"


def drawn(position, name, seeds=60):
    return {position.format(rollout(position, seed, name)) for seed in range(seeds)}


def middle_game(spec, seed):
    """Return a position from the middle of a game of careful riders."""
    agent, position = load_agent("rule"), load_game(spec).start(seed)
    while position.ply < seed % 30 and not position.is_over:
        position = position.play(agent.think(position, seed=position.ply).action)
    return position.previous if position.is_over else position


@pytest.mark.parametrize(
    ("rows", "safe", "wall"),
    [
        # in the open no cell beside the head has a wall beside it
        ("#######/#.....#/#.....#/#..1..#/#.....#/#....2#/####### 1", "UDLR", "UDLR"),
        # only down leads to a cell beside a wall
        ("#######/#.....#/#.....#/#.....#/#..1..#/#....2#/####### 1", "UDLR", "D"),
        ("#######/#1....#/#x....#/#.....#/#.....#/#....2#/####### 1", "R", "R"),
        ("#######/#1x...#/#x....#/#.....#/#.....#/#....2#/####### 1", "U", "U"),
    ],
)
def test_the_bots_without_search_by_hand(rows, safe, wall):
    position = load_game(ROOM).parse(rows)
    assert drawn(position, "safe") == set(safe)
    assert drawn(position, "wall") == set(wall)


def test_armor_makes_a_barrier_safe():
    """Around the head: a wall above, a barrier below, the other's head to the right."""
    game = load_game("tron(map=joust)")
    rows = game.start(1).to_text().split()[0].replace("1", ".").replace("2", ".").split("/")
    rows[1] = "#x12" + rows[1][4:]
    rows[2] = "##x" + rows[2][3:]
    bare, armored = (game.parse("/".join(rows) + more) for more in (" 1", " 1 armor=1"))
    assert [unwise(bare, action, "crashes") for action in range(4)] == [False] * 4, "all crash"
    assert drawn(bare, "safe") == {"U"}
    assert [unwise(armored, action, "crashes") for action in range(4)] == [True, False, False, True]
    assert drawn(armored, "safe") == {"D", "L"}


@given(seed=some.integers(0, 10**6))
@settings(max_examples=40)
def test_crashes_are_unwise_where_anything_else_is_possible(seed):
    position = middle_game("tron(map=diagonal_blocks)", seed)
    crashing = [position.play(action).is_over for action in range(4)]
    output = [unwise(position, action, "crashes") for action in range(4)]
    assert output == (crashing if not all(crashing) else [False] * 4)
    if not all(crashing):
        assert not crashing[rollout(position, seed, "safe")]
        assert not crashing[rollout(position, seed, "wall")]


def test_a_steady_rule_draws_alike_all_game_long_and_differs_from_game_to_game():
    agent, position = load_agent("rule(by=wall, steady=True)"), load_game("tron").start(3)
    assert len({agent.think(position, seed=seed).action for seed in range(20)}) == 1
    centre = [load_game("tron").start(seed) for seed in range(40)]
    assert len({agent.think(position).action for position in centre}) == 4


@pytest.mark.parametrize(
    ("rows", "first", "second"),
    [
        ("#######/#1...2#/####### 1", 1, 1),  # whoever moves first also takes the middle
        ("#######/#1.#.2#/####### 1", 0, 0),
        ("#######/#1..x2#/####### 1", 2, -2),
    ],
)
def test_ta2_takes_cells_in_turn(rows, first, second):
    position = load_game("tron(map=room, width=7, height=3)").parse(rows)
    assert position.evaluate("ta2") == pytest.approx((first / 21, second / 21))


@given(seed=some.integers(0, 10**6))
@settings(max_examples=20)
def test_ta1_is_free_cells_but_for_less_than_a_cell(seed):
    position = middle_game("tron", seed)
    pairs = zip(position.evaluate("ta1"), position.evaluate("free_cells"), strict=True)
    assert all(0 <= more - cells < 1 / 169 for more, cells in pairs)


def points(spec, agents, games):
    """Return the points of the first agent."""
    records = play_match(load_game(spec), [load_agent(each) for each in agents], games, opening=0)
    return sum(record.returns[record.entrants.index(0)] > 0 for record in records)


def test_the_courses_bots_rank_as_they_do_in_the_course():
    """There, of 40: wall 33 against random, TA1 31 against wall, TA2 34 against TA1."""
    ta2, ta1, wall, random = (
        SEARCH.format("ta2"), SEARCH.format("ta1"), "rule(by=wall, steady=True)", "rule(by=safe)",
    )  # fmt: skip
    for better, worse in ((wall, random), (ta1, wall), (ta2, ta1)):
        assert points("tron", [better, worse], 40) >= 24


# Chambers ---------------------------------------------------------------------------------------


def test_a_corridor_with_a_front_by_hand():
    rows = "#########/#1.....2#/#########/#########/######### 1"
    position = load_game("tron(map=room, width=9, height=5)").parse(rows)
    value = position.evaluate("chambers(cell=1, way=0, contact=1)")
    assert value == pytest.approx(NaiveTron.from_text(rows).chambers(1, 0, 1))
    assert value[0] == pytest.approx((3 - 2) / 45)


@pytest.mark.parametrize(
    ("rows", "ahead"),
    [
        # of two corridors only one can be taken
        ("#########/#...1...#/#########/#2......#/######### 1", 3 - 6),
        # a room, and a corridor behind its door: both are entered, for nobody can come
        ("#########/#1....x2#/#...#####/#########/######### 1", 6 - 0),
    ],
)
def test_separated_riders_by_hand(rows, ahead):
    value = load_game("tron(map=room, width=9, height=5)").parse(rows).evaluate("chambers")[0]
    ahead -= 0.5  # the player to move loses a tie
    assert value == pytest.approx(copysign(SURE, ahead) + MARGIN * ahead / 45)


@given(
    spec=some.sampled_from(
        [
            "tron(map=room, width=7, height=9, obstacles=30)",
            "tron(map=center_block)",
            "tron(map=room, width=9, height=9, simultaneous=True)",
            "tron(map=room, width=15, height=15, obstacles=50)",
        ]
    ),
    seed=some.integers(0, 10**6),
)
@settings(max_examples=30, deadline=None)
def test_chambers_are_what_the_naive_rules_find(spec, seed):
    position = middle_game(spec, seed)
    naive = NaiveTron.from_text(position.to_text(), position.game.simultaneous)
    expected = naive.chambers()
    assert expected is None or position.evaluate("chambers") == pytest.approx(expected, abs=1e-12)


def test_knowing_chambers_beats_counting_cells():
    search = "alphabeta(depth=4, unwise=crashes, evaluate={})"
    agents = [search.format("chambers"), search.format("voronoi")]
    assert points("tron(map=center_block)", agents, 60) >= 36
