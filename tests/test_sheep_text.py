"""Battle Sheep's texts, maps, options and pictures: what is accepted, and what is refused."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some
from test_sheep import VARIANTS

from plyground import load_game
from plyground.errors import IllegalActionError, OptionError, TextError, UnknownNameError
from plyground.game.check import random_game
from plyground.games.sheep.maps import MAPS

SMALL = "sheep(players=2, size=3, cells=8, sheep=4)"
HIDDEN = "sheep(players=2, size=3, cells=8, sheep=4, hidden=True)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "write rows joined by /"),
        ("...", "write rows joined by /"),
        (".../.#./...", "write rows joined by /"),
        (".../.#./... c", r"the player to move \(a, b, -\)"),
        (".../.#./... a b", "write rows joined by /"),
        (".../.#. a", "2 rows in '.../.#. a'; the grid has 3"),
        (".../.#./.../... a", "4 rows"),
        (".../.#/... a", "row 2 has 2 cells; the grid has 3"),
        (".../.#../... a", "row 2 has 4 cells"),
        (".../.#./..x a", "'x' at row 3, column 3; allowed: a, b, . and #"),
        (".../.#./.c. a", "'c' at row 3, column 2"),
        (".../.#./.3. a", "'3' at row 3, column 2"),
        ("a5../.#./..b4 a", "5 sheep at row 1, column 1; a stack has 1 to 4"),
        ("a0../.#./..b4 a", "0 sheep at row 1, column 1"),
        ("a3../.#./..b4 a", "a has 3 sheep; it must have 4"),
        ("a4.a/.#./..b4 a", "a has 5 sheep; it must have 4"),
        (".../.../... a", "the map has 9 cells, this game needs 8"),
        ("..#/.#./... a", "the map has 7 cells"),
        ("a?../.#./..b4 a", "are allowed only with hidden=True"),
        ("a4../.#./... a", "b is to place"),
        (".../.#./..b4 a", "players place in order"),
        ("a3.a/.#./... b", "players place in order"),
        ("a4../.#./..b4 -", "the game is not over: a can move"),
        ("aaa/.#./..b4 a", "a has 3 sheep"),
    ],
)
def test_a_broken_text_is_refused_with_its_row_and_column(text, said):
    with pytest.raises(TextError, match=said) as error:
        load_game(SMALL).parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "text", "said"),
    [
        ("size=3, cells=5", "..#/###/... a", "not connected: the cell at row 3, column 1 is cut"),
        ("size=3, cells=9", ".../.a4./... b", "row 2, column 2 is not at the border"),
        ("size=2, cells=2", "#./.# a", "not connected"),
        ("size=2, cells=2, hex=True", ".#/#. a", "not connected"),
        ("size=2, cells=4", "aa/bb a", "a has 2 sheep; it must have 4"),
        ("size=2, cells=4", "aa3/bb3 a", "a is to move but cannot"),
        ("size=2, cells=4", "a4b4/.. -", "the game is not over: a can move"),
        (
            "size=2, cells=4, hidden=True",
            "a?b?/.a a",
            "either all counts of a must be known or none",
        ),
        ("size=3, cells=9, hidden=True", "a?a?a?/a?a?./b4.. a", "a has 5 sheep; it must have 4"),
        ("size=2, cells=4, hidden=True", "a?a?/b?b? a", "a is to move but cannot"),
        ("size=2, cells=4, hidden=True", "a?b?/.. -", "the game is not over: a can move"),
    ],
)
def test_a_position_that_cannot_be_is_refused(spec, text, said):
    with pytest.raises(TextError, match=said):
        load_game(f"sheep(players=2, sheep=4, {spec})").parse(text)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("size=2, cells=2, hex=True", "#./.# a"),
        ("size=2, cells=4", "a4b4/.. a"),
        ("size=2, cells=4", "aa3/bb3 -"),
        ("size=3, cells=6", "aab4/aa./### b"),
        ("size=2, cells=4, hidden=True", "a4b?/.. b"),
        ("size=2, cells=4, hidden=True", "a?a?/b?b? -"),
    ],
)
def test_a_position_that_can_be_reads_back(spec, text):
    assert load_game(f"sheep(players=2, sheep=4, {spec})").parse(text).to_text() == text


def test_blanks_round_a_text_and_capitals_do_not_matter():
    game = load_game(SMALL)
    assert game.parse("  A4../.#./..B4 A \n") == game.parse("a4../.#./..b4 a")


@given(text=some.text(alphabet="ab.#/?-0123456789 \n\0x") | some.text())
def test_no_text_breaks_the_reader(text):
    for spec in (SMALL, HIDDEN):
        game = load_game(spec)
        try:
            position = game.parse(text)
        except TextError:
            continue
        assert game.parse(position.to_text()) == position


@pytest.mark.parametrize("text", ["a" * 10**6 + " a", "/" * 10**6 + " a", "a" + "9" * 10**6 + " a"])
def test_a_huge_text_is_refused_in_a_short_line(text):
    with pytest.raises(TextError) as error:
        load_game(SMALL).parse(text)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_position_reads_back(spec):
    for position in list(random_game(load_game(spec), 11))[::5]:
        assert position.game.parse(position.to_text()) == position


# Actions ----------------------------------------------------------------------------------------


def test_actions_are_written_from_where_whither_and_how_many():
    position = load_game(SMALL).parse("a4../.#./..b4 a")
    texts = [position.format(action) for action in position.legal_actions]
    assert texts == ["0,0>6:1", "0,0>6:2", "0,0>6:3", "0,0>8:1", "0,0>8:2", "0,0>8:3"]
    assert [position.parse(text) for text in texts] == list(position.legal_actions)


@pytest.mark.parametrize("text", ["0,0", "0,0>6:4", "0,0>5:1", "0,0>9:1", "2,2>4:1", "", "zebra"])
def test_illegal_actions_are_refused(text):
    with pytest.raises(IllegalActionError, match="is not legal"):
        load_game(SMALL).parse("a4../.#./..b4 a").parse(text)


# Maps and options -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("", "the map is empty"),
        ("###\n###", "no playable cell"),
        ("...\n..", "row 2 of the map has 2 cells, row 1 has 3"),
        ("...\n.x.", "'x' at row 2, column 2 of the map; allowed: '.', '#'"),
        ("..#\n###\n...", "not connected: the cell at row 3, column 1 is cut off"),
        ("." * 17, "the map is 17 x 1; at most 16 x 16"),
        (".\n" * 17, "the map is 1 x 17"),
        ("." * 70000, "larger than 65536 bytes"),
        ("...", "3 cells are too few for 4 players"),
        (b"\xff\xfe\x00", "is not text"),
    ],
)
def test_a_broken_map_is_refused(tmp_path, rows, said):
    file = tmp_path / "pasture.txt"
    file.write_bytes(rows if isinstance(rows, bytes) else rows.encode())
    with pytest.raises((TextError, OptionError), match=said) as error:
        load_game("sheep", map=str(file))
    assert "\n" not in str(error.value)


def test_a_map_comes_from_a_file_and_is_filled_up_to_a_square(tmp_path):
    file = tmp_path / "pasture.txt"
    file.write_bytes(b"....\r\n.##.\r\n")
    game = load_game("sheep", map=str(file))
    assert game.start().to_text() == "..../.##./####/#### a"
    assert game.start(1) == game.start(2)
    assert game.facts.longest == 6
    assert load_game(repr(game)) == game


@pytest.mark.parametrize("name", MAPS)
def test_the_maps_by_name_can_be_played(name):
    for spec in (f"sheep(map={name!r}, players=2)", f"sheep(map={name!r}, players=2, hex=True)"):
        *_, end = random_game(load_game(spec), 0)
        assert end.is_over


def test_an_unknown_map_is_refused_with_the_known():
    with pytest.raises(UnknownNameError, match="unknown map of sheep 'rink'; did you mean 'ring'"):
        load_game("sheep(map='rink')")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("sheep(players=0)", "players=0 is out of range"),
        ("sheep(players=1)", "players=1 is out of range"),
        ("sheep(players=5)", "players=5 is out of range"),
        ("sheep(sheep=1)", "sheep=1 is out of range"),
        ("sheep(sheep=65)", "sheep=65 is out of range"),
        ("sheep(size=17)", "size=17 is out of range"),
        ("sheep(size=7)", "cells=64 do not fit on a grid of 7 x 7"),
        ("sheep(cells=3)", "3 cells are too few for 4 players"),
        ("sheep(players=3, teams=True)", "teams need players=4, not 3"),
        ("sheep(map='ring', size=8)", "size and cells are for random maps"),
        ("sheep(map='ring', cells=8)", "size and cells are for random maps"),
    ],
)
def test_options_that_make_no_sense_are_refused(spec, said):
    with pytest.raises(OptionError, match=said):
        load_game(spec)


# Pictures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_position_has_a_picture_and_a_board(spec):
    game = load_game(spec)
    for position in list(random_game(game, 2))[::7]:
        root = ElementTree.fromstring(position._repr_svg_())
        words = ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")]
        written = position.to_text().split(" ")[0]
        for letter, count in re.findall(r"([abcd])(\d*)", written):
            assert letter + count in words
        lines = str(position).split("\n")
        assert len(lines) == written.count("/") + 3


def test_the_board_in_the_terminal_shows_coordinates_stacks_and_scores():
    position = load_game("sheep(players=2, size=3, cells=8, sheep=12)").parse("a11b./.#b11/a.. a")
    assert str(position).split("\n") == [
        "      0   1   2",
        "  0 a11   b   .",
        "  1   .   # b11",
        "  2   a   .   .",
        "    >a 2.0  b 2.0",
    ]
