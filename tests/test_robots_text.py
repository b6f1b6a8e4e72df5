"""Robot Reboot: texts and their errors, starts, the terminal's board and the picture."""

from hashlib import sha256
from random import Random
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from naive_robots import NaiveRobots

from plyground import load_game
from plyground.errors import OptionError, TextError
from plyground.games.robots import start
from plyground.games.robots.boards import LETTERS, assembled, drawn, maze, quarters
from plyground.games.robots.solve import can_be_solved
from plyground.games.robots.text import place_name
from plyground.games.robots.view import NAMES

SMALL = "robots(board=maze, width=4, height=4, robots=2)"
EMPTY = "9113/8002/8002/c446"
GOOD = f"{EMPTY} yA1 gB2 y>C3 0"


# Text -------------------------------------------------------------------------------------------


def test_a_text_is_read_in_either_case_and_with_wider_spaces():
    game = load_game(SMALL)
    assert game.parse(f"  {GOOD.upper()}\n").to_text() == GOOD
    assert game.parse(GOOD.lower().replace(" ", "   ")).to_text() == GOOD


def test_columns_beyond_z_are_named_as_in_a_spreadsheet():
    assert [place_name((column, 8)) for column in (0, 25, 26, 31)] == ["A9", "Z9", "AA9", "AF9"]


def test_letters_are_the_first_of_a_colour_or_its_last():
    assert len(set(LETTERS)) == len(NAMES) == 8
    assert all(letter in (name[0], name[-1]) for letter, name in zip(LETTERS, NAMES, strict=True))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "0 words in ''"),
        (EMPTY, "1 word"),
        (f"{EMPTY} yA1 y>C3 0", "4 words .* 2 robots"),
        (f"{GOOD} 7", "6 words"),
        (f"9113/8002/8002 {GOOD[20:]}", "3 rows of walls; the board has 4"),
        (GOOD.replace("8002", "80002", 1), "row 2 has 5 cells; the board has 4"),
        (GOOD.replace("8002", "8x02", 1), "'x' at row 2, column 2"),
        (GOOD.replace("8002", "8٣02", 1), "at row 2, column 2"),
        (GOOD.replace("8002", "8202", 1), "C2 must also have the wall in the east of row 2"),
        (GOOD.replace("8002", "8012", 1), "C1 must also have the wall in the north of row 2"),
        (GOOD.replace("9113", "9103"), "edge of the board in the north of row 1, column 3"),
        (GOOD.replace("c446", "4446"), "edge of the board in the west of row 4, column 1"),
        (GOOD.replace("gB2", "gA1"), "two robots stand on A1"),
        (GOOD.replace("gB2", "rB2"), "'rb2' is not a place; write it as gC2"),
        (GOOD.replace("gB2", "gE2"), "'ge2' is not on the board, which ends at D4"),
        (GOOD.replace("gB2", "gB0"), "'gb0' is not on the board"),
        (GOOD.replace("gB2", "gB"), "'gb' is not a place"),
        (GOOD.replace("gB2", "gB99999999"), "is not a place"),
        (GOOD.replace("y>C3", "r>C3"), "house 'r>c3'"),
        (GOOD.replace("y>C3", "yC3"), "'yc3' is not a place; write it as y>C2"),
        (GOOD.replace("y>C3", "y>C5"), "not on the board"),
        (GOOD[:-1] + "21", "moves '21'; write a number from 0 to cap=20"),
        (GOOD[:-1] + "-1", "moves '-1'"),
        (GOOD[:-1] + "²", "moves '²'"),
        ("9" * 10**6, r"\.\.\.'; write"),
        ("/".join("9" * 10**4) + GOOD[19:], "10,000 rows of walls"),
    ],
)  # fmt: skip
def test_a_broken_text_is_refused_with_its_place(text, match):
    with pytest.raises(TextError, match=match) as caught:
        load_game(SMALL).parse(text)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_a_text_in_which_nothing_can_ever_have_moved_is_refused():
    game = load_game("robots(board=maze, width=4, height=4, robots=1)")
    boxed = "f913/9002/8002/c446 yA1 y>C3"
    assert game.parse(f"{boxed} 0").is_over
    with pytest.raises(TextError, match="so 3 moves cannot have been made"):
        game.parse(f"{boxed} 3")


@given(text=some.text(max_size=80) | some.text("0123456789abcdef/ygABC>34 ", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        load_game(SMALL).parse(text)
    except TextError:
        return


# Boards and starts ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["classic", "velasquez"])
def test_boards_have_four_quarters_and_a_closed_centre(kind):
    assert len(quarters(kind)) == 16
    for seed in range(20):
        board = drawn(kind, Random(seed))
        outside = board.region((0, 0))
        assert np.argwhere(~outside).tolist() == [[7, 7], [7, 8], [8, 7], [8, 8]]
        assert all(outside[row, column] for (column, row), _ in board.houses)
        assert len({place for place, _ in board.houses}) == len(board.houses)


def test_a_classic_board_has_one_side_of_each_tile():
    whole = assembled("classic", ["1A", "2B", "3C", "4D"])
    assert len(whole.houses) == 17


@pytest.mark.parametrize("size", [(4, 4), (4, 32), (32, 5), (16, 16), (32, 32)])
def test_mazes_can_be_walked_and_no_cell_is_a_dead_end(size):
    for seed in range(5):
        board = maze(*size, Random(seed))
        assert board.region((0, 0)).shape == (size[1], size[0])
        assert board.region((0, 0)).all()
        assert max(cell.bit_count() for row in board.walls for cell in row) == 2
        assert board.houses
        for (x, y), _ in board.houses:
            assert board.walls[y][x] in (3, 6, 12, 9)  # a corner


@pytest.mark.parametrize(
    "spec",
    [
        "robots",
        "robots(starts=uniform)",
        "robots(board=classic, starts=uniform, robots=8)",
        "robots(board=maze, width=9, height=6, robots=1, starts=uniform)",
        "robots(cap=2)",
        "robots(starts=uniform, solvable=False)",
    ],
)
def test_starts_are_as_promised(spec):
    game = load_game(spec)
    targets = set()
    for seed in range(40):
        position = game.start(seed)
        naive = NaiveRobots(position.to_text(), game.cap)
        assert not position.is_over
        assert len(set(naive.robots)) == game.robots
        assert naive.robots[naive.target] != naive.house
        if game.board != "maze":
            assert not {(7, 7), (8, 7), (7, 8), (8, 8)} & set(naive.robots)
        if game.solvable:
            assert can_be_solved(position.setup, position.state)
        targets.add(naive.target)
    wanted = set(range(game.robots if game.board == "maze" else min(game.robots, 4)))
    assert wanted <= targets


def test_the_same_seed_deals_the_same_and_another_does_not():
    game = load_game("robots")
    first = game.start(1).to_text()
    start.random_start.cache_clear()
    assert game.start(1).to_text() == first
    assert len({game.start(seed).to_text() for seed in range(30)}) == 30


@pytest.mark.parametrize(
    ("spec", "digest"),
    [
        ("robots", "32d6d777edf83912"),
        ("robots(board=classic, starts=uniform)", "0f4f79ba6803b1a5"),
        ("robots(robots=8, starts=uniform)", "f822fcb39484eb3c"),
        ("robots(board=maze, width=32, height=32, robots=8)", "d6853b045be87e3b"),
        ("robots(board=maze, width=7, height=5, robots=2)", "aa90ff44e5aa3b13"),
        ("robots(robots=1, starts=uniform, cap=4)", "2cc5ab48f4493f99"),
        ("robots(rounds=3)", "a7eb729a61dbf745"),
    ],
)
def test_seeds_deal_what_they_always_dealt(spec, digest):
    game = load_game(spec)
    texts = "\n".join(game.start(seed).to_text() for seed in range(10))
    assert sha256(texts.encode()).hexdigest()[:16] == digest


def test_one_robot_alone_is_not_always_solvable_unless_that_is_asked_for():
    for solvable, wanted in ((False, {True, False}), (True, {True})):
        game = load_game("robots", robots=1, starts="uniform", solvable=solvable)
        starts = [game.start(seed) for seed in range(30)]
        assert {can_be_solved(start.setup, start.state) for start in starts} == wanted


def test_options_for_which_no_start_is_found_are_refused(monkeypatch):
    game = load_game("robots(cap=3)")
    monkeypatch.setattr(start, "can_be_solved", lambda setup, state: False)
    monkeypatch.setattr(start, "BOARDS", 2)
    with pytest.raises(OptionError, match="no start found that can be solved within cap=3"):
        game.begin(-1)


# Board and picture ------------------------------------------------------------------------------


def test_the_board_shows_walls_robots_house_and_slide():
    position = load_game(SMALL).parse("9113/ac02/8102/c446 yA1 gB2 g>C3 0")
    position = position.play(position.parse("yE"))
    assert str(position).splitlines() == [
        "     A   B   C   D",
        "   ┌───────────────┐",
        " 1 │ •   •   •   Y │",
        "   │   ╷           │",
        " 2 │ · │ G   ·   · │",
        "   │   └───╴       │",
        " 3 │ ·   ·  [g]  · │",
        "   │               │",
        " 4 │ ·   ·   ·   · │",
        "   └───────────────┘",
        "   green to C3, 1 of 20 moves",
    ]


@pytest.mark.parametrize("spec", ["robots", "robots(board=maze, width=32, height=8, robots=8)"])
def test_a_picture_is_whole(spec):
    game = load_game(spec)
    position = game.start(1)
    after = position.play(position.legal_actions[0])
    for each in (position, after):
        svg = ElementTree.fromstring(each._repr_svg_())
        words = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert words[-1].endswith(f"{each.ply} of 20 moves")
        assert all(letter.upper() in words for letter in LETTERS[: game.robots])
        assert svg.find("{http://www.w3.org/2000/svg}title").text == repr(game)


def test_the_end_is_shown():
    game = load_game(SMALL)
    assert "solved after 1 move, score -1" in str(game.parse(f"{EMPTY} yC3 gB2 y>C3 1"))
    assert "lost after 20 moves, score -20" in str(game.parse(f"{EMPTY} yA1 gB2 y>C3 20"))
