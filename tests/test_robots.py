"""Robot Reboot's kernels against the naive rules, small cases by hand, and the contract's laws."""

from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from naive_robots import NaiveRobots, naive_perft

from plyground import check, load_agent, load_game, perft
from plyground.errors import IllegalActionError, OptionError, UnknownNameError
from plyground.games.robots.evaluate import LOWEST
from plyground.games.robots.rounds import ROUND

PERFT = Path(__file__).parent / "perft" / "robots.perft"

VARIANTS = [
    "robots",
    "robots(starts='uniform', cap=7)",
    "robots(board='classic', starts='uniform', robots=6)",
    "robots(board='classic', robots=1)",
    "robots(board='maze', width=7, height=12, robots=8)",
    "robots(board='maze', width=4, height=4, robots=3, cap=30)",
    "robots(board='maze', width=32, height=32, robots=2, starts='uniform', solvable=False)",
    "robots(board='maze', width=27, height=6, starts='uniform')",
    "robots(rounds=3, cap=6)",
    "robots(rounds=2, board='classic', robots=5, cap=9)",
    "robots(rounds=9, board='maze', width=5, height=7, robots=1, cap=4, solvable=False)",
]

EMPTY = "9113/8002/8002/c446"
"""A board of 4 x 4 without walls inside."""


def small(text, robots=1, cap=20):
    """Return a position on a board of 4 x 4."""
    return load_game("robots", board="maze", width=4, height=4, robots=robots, cap=cap).parse(text)


def moved(position, *moves):
    for move in moves:
        position = position.play(position.parse(move))
    return position


# By hand ----------------------------------------------------------------------------------------


def test_a_robot_that_stops_in_its_house_wins():
    start = small(f"{EMPTY} yA1 y>D1 0")
    assert [start.format(action) for action in start.legal_actions] == ["yE", "yS"]
    end = moved(start, "yE")
    assert (end.is_over, end.returns) == (True, (0.9,))
    assert end.game.score(end) == -1
    assert end.to_text() == f"{EMPTY} yD1 y>D1 1"


def test_passing_over_the_house_is_nothing():
    start = small(f"{EMPTY} yA1 y>C1 0")
    after = moved(start, "yE")
    assert after.to_text() == f"{EMPTY} yD1 y>C1 1"
    assert (after.is_over, after.game.score(after)) == (False, -1)


def test_a_robot_stops_another_and_the_house_is_for_its_own_robot_only():
    start = small(f"{EMPTY} yA1 gD4 y>C1 0", robots=2)
    assert not moved(start, "gN", "gW").is_over
    assert moved(start, "gN", "gW").to_text() == f"{EMPTY} yA1 gB1 y>C1 2"
    end = moved(start, "gN", "yE")
    assert (end.to_text(), end.returns) == (f"{EMPTY} yC1 gD1 y>C1 2", (0.8,))
    other = small(f"{EMPTY} yD1 gA1 y>C1 0", robots=2)
    assert not moved(other, "gE").is_over  # green stops on yellow's target


def test_a_move_of_no_cells_is_illegal():
    start = small(f"{EMPTY} yA1 gB1 y>C3 0", robots=2)
    assert [start.format(action) for action in start.legal_actions] == ["yS", "gE", "gS"]
    for move in ("yN", "yW", "yE", "gW"):
        with pytest.raises(IllegalActionError, match=f"'{move}' is not legal"):
            start.parse(move)


@pytest.mark.parametrize(
    ("walls", "move", "stop"),
    [
        ("9393/8002/8002/c446", "yE", "B1"),  # a wall east of B1
        ("9113/8002/c002/d446", "yS", "A3"),  # south of A3
        ("9113/8002/8002/c446", "yS", "A4"),
    ],
)
def test_walls_stop_a_robot(walls, move, stop):
    after = moved(small(f"{walls} yA1 y>D4 0"), move)
    assert after.to_text().split()[1] == f"y{stop}"


def test_the_cap_ends_a_game_as_a_loss():
    start = small(f"{EMPTY} yA1 y>C3 0", cap=3)
    end = moved(start, "yE", "yS", "yW")
    assert (end.is_over, end.returns, end.game.score(end)) == (True, (-1.0,), -3)
    assert end.game.score(moved(start, "yE", "yS")) == -2


def test_a_solution_with_the_last_move_allowed_counts_half_a_move_less_than_a_loss():
    end = moved(small(f"{EMPTY} yA1 y>D4 0", cap=2), "yE", "yS")
    assert (end.is_over, end.returns, end.game.score(end)) == (True, (-0.5,), -2)
    assert "solved" in str(end)


def test_a_first_position_in_which_nothing_can_move_is_lost():
    boxed = small("f913/9002/8002/c446 yA1 y>C3 0")
    assert (boxed.is_over, boxed.returns, boxed.legal_actions) == (True, (-1.0,), ())
    assert boxed.game.score(boxed) == -20


def test_neighbours_in_the_numbers_of_two_rows_are_none():
    game = load_game("robots", board="maze", width=32, height=4, robots=2)
    rows = ["9" + "1" * 30 + "3", *["8" + "0" * 30 + "2"] * 2, "c" + "4" * 30 + "6"]
    start = game.parse("/".join(rows) + " yAF1 gA2 y>C3 0")
    assert [start.format(action) for action in start.legal_actions] == [
        "yS",
        "yW",
        "gN",
        "gE",
        "gS",
    ]


def test_the_network_sees_walls_robots_the_house_and_the_moves():
    # Cell B2 of this 4 x 4 maze has a wall in the west and in the south.
    position = small("9113/ac02/8102/c446 yC1 gD4 rA3 g>B3 5", robots=3)
    planes = position.encode()
    assert planes.shape == (8, 4, 4)
    north, east, south, west = planes[:4]
    assert north.tolist() == [[1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert east.tolist() == [[0, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1]]
    assert south.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert west.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    places = [[tuple(map(int, at)) for at in np.argwhere(plane)] for plane in planes[4:7]]
    assert places == [[(3, 3)], [(2, 1)], [(0, 2), (2, 0)]]  # green, its target, the others
    assert (planes[7] == 0.25).all()


def test_the_network_sees_how_far_a_game_of_several_rounds_is():
    game = load_game("robots", rounds=4)
    position = game.start(1)
    while position.state[1 + game.robots + ROUND] == 0:
        position = position.play(position.legal_actions[0])
    planes = position.encode()
    assert planes.shape == (10, 16, 16)
    assert (planes[8] == 0.25).all()
    spent = np.float32(-game.score(position) - position.state[0])
    assert (planes[9] == spent / 80).all()


def test_the_bound_counts_moves_with_stops_at_will():
    for house, bound in (("D1", 1), ("B1", 1), ("A4", 1), ("C3", 2)):
        assert small(f"{EMPTY} yA1 y>{house} 0").evaluate() == (1 - 2 * bound / 20,)
    walled_off = small("f913/9002/8002/c446 yB1 y>A1 0")
    assert walled_off.evaluate() == (LOWEST,)
    assert small(f"{EMPTY} yA1 y>C3 0", cap=1).evaluate() == (LOWEST,)


# Against the naive rules ------------------------------------------------------------------------


def twin(game, text):
    return NaiveRobots(text, game.cap, game.rounds)


def compare(position, naive):
    assert list(position.legal_actions) == naive.legal()
    assert position.is_over == naive.is_over()
    assert position.returns == pytest.approx(naive.returns())
    assert position.game.score(position) == naive.score()
    assert position.player == 0
    if not position.is_over:
        bound = naive.bound()
        moves = naive.moves + (1023 if bound is None else bound)
        moves = min(moves, naive.cap - 0.5) if moves <= naive.cap else naive.cap
        moves += naive.spent + naive.cap * (naive.rounds - naive.round)  # these count as lost
        wanted = 1 - 2 * moves / (naive.cap * naive.rounds)
        assert position.evaluate("bound")[0] == pytest.approx(max(wanted, LOWEST))


@given(
    spec=some.sampled_from(VARIANTS),
    seed=some.integers(0, 10_000),
    choices=some.lists(some.integers(0, 31), min_size=30, max_size=30),
)
@example(spec=VARIANTS[4], seed=0, choices=[0] * 30).via("robots in a queue")
def test_random_games_go_as_the_naive_rules_say(spec, seed, choices):
    game = load_game(spec)
    position = game.start(seed)
    naive = twin(game, position.to_text())
    compare(position, naive)
    for choice in choices:
        if naive.is_over():
            break
        action = naive.legal()[choice % len(naive.legal())]
        position = position.play(action)
        naive.play(action)
        compare(position, naive)
        again = vars(twin(game, position.to_text()))
        assert again == vars(naive)


def perft_cases():
    lines = PERFT.read_text().splitlines()
    return [line.split(" ; ") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("spec", "text", "counts"), perft_cases())
def test_the_perft_file_holds_what_the_naive_rules_count(spec, text, counts):
    cheap = takewhile(lambda count: count <= 3000, map(int, counts.split()))
    game = load_game(spec)
    for depth, count in enumerate(cheap, start=1):
        assert naive_perft(twin(game, text), depth) == count


# Laws -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_law_holds(spec):
    laws = check(load_game(spec), games=2, timeout=120)
    assert [(law.name, law.failure) for law in laws if law.failure] == []


@pytest.mark.parametrize("spec", VARIANTS)
def test_images_are_whole_positions_with_as_many_lines(spec):
    game = load_game(spec)
    position = game.start(5)
    assert game.facts.symmetries == (8 if game.width == game.height else 4)
    texts = set()
    for turned, actions in position.images():
        texts.add(turned.to_text())
        assert game.parse(turned.to_text()) == turned  # which computes slides and bounds again
        assert perft(turned, 3) == perft(position, 3)
        assert turned.evaluate() == position.evaluate()
        for action in position.legal_actions:
            there = turned.play(actions[action])
            assert there.is_over == position.play(action).is_over
    assert len(texts) == game.facts.symmetries


def test_the_key_knows_robots_apart_and_ignores_the_moves():
    keys = {
        small(f"{EMPTY} y{yellow} g{green} y>C3 {moves}", robots=2).key
        for moves in (0, 5)
        for yellow, green in (("A1", "B2"), ("B2", "A1"), ("A1", "B3"))
    }
    assert len(keys) == 3


# Options and agents -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "error", "match"),
    [
        ("robots(width=12)", OptionError, "board=velasquez is 16 x 16, not 12 x 16"),
        ("robots(board=classic, height=4)", OptionError, "board=classic is 16 x 16"),
        ("robots(board=maze, width=33)", OptionError, "4 to 32"),
        ("robots(board=maze, height=3)", OptionError, "4 to 32"),
        ("robots(robots=0)", OptionError, "1 to 8"),
        ("robots(robots=9)", OptionError, "1 to 8"),
        ("robots(cap=0)", OptionError, "1 to 200"),
        ("robots(board=round)", UnknownNameError, "round"),
        ("robots(starts=far)", UnknownNameError, "far"),
    ],
)
def test_bad_options_are_refused(spec, error, match):
    with pytest.raises(error, match=match):
        load_game(spec)


def test_agents_play_it():
    game = load_game("robots(robots=3)")
    scores = {}
    for agent in ("random", "greedy(evaluate=bound)", "mcts(simulations=500)"):
        player = load_agent(agent)
        scores[agent] = 0
        for seed in range(8):
            position = game.start(seed)
            while not position.is_over:
                position = position.play(player.think(position, seed=seed).action)
            scores[agent] += game.score(position) / 8
    assert scores["mcts(simulations=500)"] > scores["random"] + 5
