"""Battle Sheep's kernels against the naive rules, small cases by hand, and the course's figures."""

from decimal import Decimal, getcontext
from itertools import pairwise, takewhile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from naive_sheep import NaiveSheep, naive_perft

from plyground import check, load_game
from plyground.game.check import random_game
from plyground.game.symmetry import image
from plyground.games.sheep import layout
from plyground.games.sheep.notation import board_of, map_of
from plyground.search.playout import play_outs

VARIANTS = [
    "sheep",
    "sheep(size=15, cells=100, sheep=32)",
    "sheep(hidden=True)",
    "sheep(teams=True)",
    "sheep(players=2, size=8, cells=32)",
    "sheep(players=3, map='ring')",
    "sheep(hex=True)",
    "sheep(hex=True, players=3, size=9, cells=40, sheep=9)",
    "sheep(hex=True, teams=True, hidden=True, size=7, cells=30, sheep=8)",
    "sheep(size=16, cells=256, sheep=64)",
    "sheep(size=13, cells=140, sheep=40, players=3)",
    "sheep(size=16, cells=200, sheep=60, hex=True)",
    "sheep(players=2, size=2, cells=2, sheep=2)",
    "sheep(players=4, size=3, cells=5, sheep=3)",
]
"""The course's four games, 2 to 4 words of cells, and boards on which nobody can move."""

LAWFUL = [
    "sheep",
    "sheep(hidden=True, size=8, cells=30, sheep=8)",
    "sheep(teams=True, size=8, cells=30, sheep=8)",
    "sheep(players=2, size=8, cells=32, sheep=8)",
    "sheep(hex=True, players=3, size=8, cells=30, sheep=8)",
    "sheep(hex=True, teams=True, hidden=True, size=7, cells=30, sheep=8)",
    "sheep(size=16, cells=256, sheep=3)",
    "sheep(hex=True, size=13, cells=140, sheep=4, players=3)",
    "sheep(players=2, size=2, cells=2, sheep=2)",
    "sheep(players=4, size=3, cells=5, sheep=3)",
]
"""The same with fewer sheep: the laws try every action's text and images."""

some_games = some.sampled_from(VARIANTS)


def compare(position, naive):
    """Compare kernels and naive rules in one position; return the legal actions by text."""
    actions = {position.format(action): action for action in position.legal_actions}
    assert sorted(actions) == sorted(naive.legal())
    assert len(actions) == len(position.legal_actions)
    assert position.is_over == naive.is_over()
    assert position.to_text() == naive.text()
    if naive.is_over():
        assert position.returns == pytest.approx(naive.returns(), abs=1e-12)
    else:
        assert position.player == naive.turn
    return actions


@settings(max_examples=30)
@given(spec=some_games, seed=some.integers(0, 2**32))
def test_random_games_go_as_the_naive_rules_say(spec, seed):
    game, random = load_game(spec), Random(seed)
    position = game.start(seed)
    naive = NaiveSheep.from_text(position.to_text(), game)
    while actions := compare(position, naive):
        text = random.choice(sorted(actions))
        position = position.play(actions[text])
        naive.play(text)


# By hand ----------------------------------------------------------------------------------------


def at(spec, text, *actions):
    """Return the position after actions, as a person types them."""
    position = load_game(spec).parse(text)
    for action in actions:
        position = position.play(position.parse(action))
    return position


def legal(position):
    return [position.format(action) for action in position.legal_actions]


OPEN = "sheep(players=2, size=5, cells=25, sheep=4)"


def test_sheep_are_placed_at_the_edge_of_the_grid():
    texts = legal(load_game(OPEN).start())
    edge = [f"{x},{y}" for y in range(5) for x in range(5) if {x, y} & {0, 4}]
    assert texts == edge


def test_sheep_are_placed_beside_a_wall_but_not_diagonally_to_it():
    position = at("sheep(players=2, size=5, cells=24, sheep=4)", "...../...../..#../...../..... a")
    inside = [text for text in legal(position) if not set(text.split(",")) & {"0", "4"}]
    assert inside == ["2,1", "1,2", "3,2", "2,3"]


def test_between_hexagons_directions_1_and_9_are_no_neighbours():
    spec = "sheep(players=2, size=5, cells=24, sheep=4, hex=True)"
    position = at(spec, "...../...../..#../...../..... a")
    inside = [text for text in legal(position) if not set(text.split(",")) & {"0", "4"}]
    assert inside == ["2,1", "3,1", "1,2", "3,2", "1,3", "2,3"]


def test_later_placers_find_earlier_cells_taken():
    position = at(OPEN, "...../...../...../...../..... a", "2,0")
    assert position.to_text() == "..a4../...../...../...../..... b"
    assert "2,0" not in legal(position)


@pytest.mark.parametrize(
    ("direction", "after"),
    [
        (1, "a3..../...../..a../...../....b4 b"),
        (2, "..a3../...../..a../...../....b4 b"),
        (3, "....a3/...../..a../...../....b4 b"),
        (4, "...../...../a3.a../...../....b4 b"),
        (6, "...../...../..a.a3/...../....b4 b"),
        (7, "...../...../..a../...../a3...b4 b"),
        (8, "...../...../..a../...../..a3.b4 b"),
        (9, "...../...../..a../...a3./....b4 b"),
    ],
)
def test_the_directions_are_the_keys_of_a_telephone(direction, after):
    """The last one stops before an occupied cell, the others before the edge."""
    text = "...../...../..a4../...../....b4 a"
    assert at(OPEN, text, f"2,2>{direction}:3").to_text() == after


def test_between_hexagons_there_are_six_directions():
    spec = "sheep(players=2, size=5, cells=25, sheep=2, hex=True)"
    position = at(spec, "...../...../..a2../...../....b2 a")
    assert [text[4] for text in legal(position)] == ["2", "3", "4", "6", "7", "8"]


def test_sheep_stop_before_a_wall_and_take_at_least_one_step():
    spec, text = "sheep(players=2, size=4, cells=11, sheep=3)", "a3..#/##../##b3./.... a"
    assert legal(at(spec, text)) == ["0,0>6:1", "0,0>6:2"]
    assert at(spec, text, "0,0>6:2").to_text() == "a.a2#/##../##b3./.... b"
    assert at(spec, text, "0,0>6:1", "2,2>3:1").to_text() == "a2.a#/##.b/##b2./.... a"


def test_some_stay_and_none_are_lost():
    text = "...../...../..a4../...../....b4 a"
    counts = [text[-1] for text in legal(at(OPEN, text)) if text.startswith("2,2>2")]
    assert counts == ["1", "2", "3"]


def test_players_that_cannot_move_pass_until_the_game_ends():
    spec, walls = "sheep(players=2, size=6, cells=6, sheep=3)", "/######" * 5
    position = at(spec, f"......{walls} a", "0,0", "1,0")
    assert (position.player, legal(position)) == (1, ["1,0>6:1", "1,0>6:2"])
    position = at(spec, position.to_text(), "1,0>6:2")
    assert position.to_text() == f"a3b...b2{walls} b"
    position = at(spec, position.to_text(), "5,0>4:1")
    assert position.to_text() == f"a3bb..b{walls} -"
    assert position.is_over
    assert position.returns == (-1.0, 1.0)


def test_a_board_without_room_to_move_is_over_once_all_have_placed():
    position = at("sheep(players=2, size=2, cells=2, sheep=5)", "../## a", "0,0", "1,0")
    assert position.is_over
    assert position.returns == (0.0, 0.0)


# Scores -----------------------------------------------------------------------------------------


def test_a_regions_worth_is_its_size_to_the_power_of_a_quarter_more_than_one():
    getcontext().prec = 60
    for size in range(65):
        exact = Decimal(size) ** 5 * Decimal(layout.UNIT) ** 4
        assert layout.power(size) == int(exact.sqrt().sqrt())
    assert layout.power(16) == 32 * layout.UNIT
    assert layout.power(32) / layout.UNIT == pytest.approx(76.1, abs=0.01)


@pytest.mark.parametrize("sheep", [16, 32])
def test_rounding_never_joins_or_swaps_two_scores(sheep):
    """Compares fixed-point and real scores of all splits of up to so many cells into regions."""
    reached = {0: {(0, 0.0)}}
    for cells in range(1, sheep + 1):
        reached[cells] = {
            (fixed + layout.power(size), round(real + size**1.25, 10))
            for size in range(1, cells + 1)
            for fixed, real in reached[cells - size]
        }
    for (fixed, real), (more, larger) in pairwise(sorted(set().union(*reached.values()))):
        assert more == fixed or more - fixed > 1000 * sheep
        assert (larger - real > 1e-8) == (more > fixed)


@pytest.mark.parametrize(
    ("row", "returns"),
    [
        ("aaabbabb", (1, -1)),  # 3 ** 1.25 + 1 = 4.95, against twice 2 ** 1.25 = 4.76
        ("aabbaabb", (0, 0)),
        ("aaa2bb3c4", (1, -1 / 5, -4 / 5)),
        ("aa3b4c4", (1, -1 / 2, -1 / 2)),
        ("aa3bb3c4", (2 / 5, 2 / 5, -4 / 5)),
        ("aaaabb2bcc3d4", (1, 1 / 9, -1 / 3, -7 / 9)),
        ("aaa2bb3cc3d4", (1, -1 / 9, -1 / 9, -7 / 9)),
        ("a4b4c4d4", (0, 0, 0, 0)),
    ],
)
def test_returns_follow_the_course_points_by_rank(row, returns):
    assert in_a_row(row, 4).returns == pytest.approx(returns)


def in_a_row(row, sheep, **options):
    """Return a finished game on a pasture one cell high, full of sheep."""
    letters = [letter for letter in row if letter.isalpha()]
    size = len(letters)
    game = load_game(
        "sheep", size=size, cells=size, players=len(set(letters)), sheep=sheep, **options
    )
    return game.parse("/".join([row, *["#" * size] * (size - 1)]) + " -")


def test_partners_are_scored_alone_and_averaged():
    """As one region a and c would win by 4 ** 1.25 = 5.66 against 3 ** 1.25 + 1 = 4.95."""
    assert in_a_row("aa3cc3bbb2d4", 4, teams=True).returns == (-1, 1, -1, 1)
    assert in_a_row("aaaabbb2c4ddd2", 4, teams=True).returns == (-1, 1, -1, 1)
    assert in_a_row("aaaabbbbccccdddd", 4, teams=True).returns == (0, 0, 0, 0)


def test_among_hexagons_cells_count_and_then_the_largest_herd():
    """3 + 1 + 1 + 1 cells against 2 + 2 + 2: 6.95 against 7.13 for squares."""
    assert in_a_row("aaabbabbabba", 6).returns == (-1, 1)
    assert in_a_row("aaabbabbabba", 6, hex=True).returns == (1, -1)
    assert in_a_row("aaaa3bbbbbb", 6, hex=True).returns == (-1, 1)


# The course's figures ---------------------------------------------------------------------------


def test_random_play_looks_as_it_did_in_the_course():
    """There: 37 plies, 28 legal actions on average, at most 105, mean score 14.9, winners 21.1."""
    game = load_game("sheep")
    moves, branching, scores, winners = [], [], [], []
    for seed in range(60):
        *line, end = random_game(game, seed)
        moves.append(len(line) - 4)
        branching += [len(position.legal_actions) for position in line[4:]]
        naive = NaiveSheep.from_text(end.to_text(), game)
        scores += [naive.score(player) for player in range(4)]
        winners.append(max(scores[-4:]))
    assert 34 < sum(moves) / len(moves) < 44
    assert 25 < sum(branching) / len(branching) < 31
    assert max(branching) <= 105
    assert 13.5 < sum(scores) / len(scores) < 16.5
    assert 19 < sum(winners) / len(winners) < 23


def test_no_player_moves_more_often_than_it_has_sheep_to_spare():
    for spec, most in (("sheep", 15), ("sheep(size=15, cells=100, sheep=32)", 31)):
        game = load_game(spec)
        for seed in range(10):
            movers = [position.player for position in random_game(game, seed)][4:-1]
            assert max(map(movers.count, range(4))) <= most


def test_all_seats_fare_about_the_same_at_random():
    means, _ = play_outs(load_game("sheep").start(7), 500, seed=1)
    assert sum(means) == pytest.approx(0, abs=1e-6)
    assert max(map(abs, means)) < 0.3


# Maps -------------------------------------------------------------------------------------------


@given(
    seed=some.integers(0, 2**64),
    size=some.integers(2, 16),
    share=some.floats(0, 1),
    hexagonal=some.booleans(),
)
def test_grown_maps_are_connected_and_have_the_cells_asked_for(seed, size, share, hexagonal):
    cells = max(2, round(share * size * size))
    rows = layout.grow(size, cells, hexagonal, Random(seed))
    assert [len(row) for row in rows] == [size] * size
    assert sum(row.count(".") for row in rows) == cells
    layout.check_connected(rows, hexagonal)


def test_the_seed_makes_the_map():
    game = load_game("sheep")
    texts = [game.start(seed).to_text() for seed in range(50)]
    assert texts == [game.start(seed).to_text() for seed in range(50)]
    assert len(set(texts)) == 50


def test_maps_reach_every_part_of_the_grid():
    seen = [load_game("sheep").start(seed).to_text() for seed in range(300)]
    for place in (0, 11, 143 + 11 - 11, 143 + 11):
        assert any(text[place] == "." for text in seen)


# Symmetry ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["sheep(size=7, cells=30)", "sheep(hex=True, size=13, cells=90)"])
def test_an_image_is_the_turned_board_and_nothing_else(spec):
    """Rows reversed, columns reversed, or swapped, in all combinations that keep neighbours."""
    game = load_game(spec)
    for position in list(random_game(game, 3))[::6]:
        board = board_of(position.setup, position.state)
        mirrored = [row[::-1] for row in board]
        flipped = [board, mirrored, board[::-1], mirrored[::-1]]
        turned = flipped + [[list(line) for line in zip(*each, strict=True)] for each in flipped]
        expected = [turned[each] for each in (0, 3, 4, 7)] if game.hex else turned
        for symmetry, wanted in enumerate(expected):
            there = image(position, symmetry)
            assert board_of(there.setup, there.state) == wanted
            assert there.setup.tolist() == game._setup(map_of(wanted))


# Laws and counts --------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", LAWFUL)
def test_every_law_holds(spec):
    laws = check(load_game(spec), games=1, timeout=120)
    assert [law.name for law in laws if law.failure] == []


def perft_lines():
    lines = (Path(__file__).parent / "perft" / "sheep.perft").read_text().splitlines()
    return [line.split(";") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("spec", "text", "counts"), perft_lines())
def test_the_naive_rules_count_as_many_lines_as_the_file(spec, text, counts):
    game = load_game(spec.strip())
    naive = NaiveSheep.from_text(text.strip(), game)
    cheap = list(takewhile(lambda count: count <= 2000, map(int, counts.split())))
    assert [naive_perft(naive, depth) for depth in range(1, len(cheap) + 1)] == cheap
