"""Connect-N's text: what is accepted, and what is refused and where."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from plyground import load_game
from plyground.errors import TextError

EMPTY = "7/7/7/7/7/7"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (EMPTY, EMPTY),
        ("......./......./......./......./......./...x...", "7/7/7/7/7/3x3"),
        ("7/7/7/7/7/3X3", "7/7/7/7/7/3x3"),
        ("  7/7/7/7/7/3x3\n", "7/7/7/7/7/3x3"),
        ("7/7/7/7/7/1.1x1.1", "7/7/7/7/7/3x3"),
    ],
)
def test_dots_numbers_and_capitals_are_read(connect_four, text, same):
    assert connect_four.parse(text).to_text() == same


@pytest.mark.parametrize(
    ("text", "over", "returns"),
    [
        ("7/7/x6/xo5/xo5/xo5", True, (1.0, -1.0)),
        ("7/7/o6/ox5/ox5/oxx4", True, (-1.0, 1.0)),
        ("7/7/7/xo5/xo5/xo5", False, (0.0, 0.0)),
        ("xoxoxox/xoxoxox/oxoxoxo/oxoxoxo/xoxoxox/oxoxoxo", True, (0.0, 0.0)),
    ],
)
def test_a_text_tells_how_the_game_stands(connect_four, text, over, returns):
    position = connect_four.parse(text)
    assert (position.is_over, position.returns) == (over, returns)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "1 row in ''; the board has 6"),
        ("7/7/7/7/7", "5 rows"),
        (EMPTY + "/7", "7 rows"),
        ("7/7/7/7/7/6", "row 6 has 6 cells; the board has 7"),
        ("7/7/7/7/7/7x", "row 6 has 8 cells; the board has 7"),
        ("7/7/7//7/7", "row 4 has 0 cells"),
        ("7/7/7/7/7/3z3", "'z' at row 6, column 4"),
        ("7/7/7/7/7/8", "'8' at row 6, column 1"),
        ("7/7/7/7/7/-7", "'-' at row 6, column 1"),
        ("7/7/7/7/7/2 2x2", "' ' at row 6, column 3"),
        ("²7/7/7/7/7/7", "'²' at row 1, column 1"),
        ("7/7/7/7/3x3/7", "no stone below the one at row 5, column 4"),
        ("x6/7/o6/7/7/7", "no stone below the one at row 1, column 1"),
        ("7/7/7/7/7/o6", "0 stones of x and 1 of o; x begins, then they alternate"),
        ("7/7/7/7/7/xx5", "2 stones of x and 0 of o"),
        ("7/7/7/x6/o6/x2oxxx", "5 stones of x and 2 of o"),
        ("7/7/x6/xo5/xo5/xoo4", "no last stone makes the line"),
    ],
)
def test_a_wrong_text_is_refused_with_the_place(connect_four, text, part):
    with pytest.raises(TextError) as caught:
        connect_four.parse(text)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "7/7/xo5/xo5/xo5/xo5",
        "7/7/ox5/ox5/ox5/ox5",
        "7/7/xo5/xo5/xo5/xox4",
        "7/7/ox5/ox5/ox5/oxx4",
    ],
)
def test_two_sides_with_a_line_are_refused(connect_four, text):
    with pytest.raises(TextError, match="line"):
        connect_four.parse(text)


@pytest.mark.parametrize("text", ["7/7/x5x/xo3ox/xo3ox/xoo2ox", "7/7/7/7/ooox3/xxxxo2"])
def test_a_line_that_the_last_stone_cannot_have_made_is_refused(connect_four, text):
    with pytest.raises(TextError, match="line"):
        connect_four.parse(text)


@pytest.mark.parametrize("text", ["7/" * 100_000, "x" * 1_000_000, "9" * 1_000_000, "7" * 10**6])
def test_huge_text_is_refused_at_once_and_shortly(connect_four, text):
    began = time.process_time()
    with pytest.raises(TextError) as caught:
        connect_four.parse(text)
    assert time.process_time() - began < 5
    assert len(str(caught.value)) < 200


@given(text=some.text(alphabet="xo.123/7²", max_size=60) | some.text())
@example(text="/".join(["7"] * 5 + ["²" * 7]))
def test_any_text_is_read_or_refused(connect_four, text):
    try:
        position = connect_four.parse(text)
    except TextError:
        return
    assert connect_four.parse(position.to_text()) == position


def test_the_board_is_printed_with_its_columns():
    position = load_game("connect_n(width=4, height=3, n=3)").start().play(1).play(1)
    assert str(position) == " . . . .\n . o . .\n . x . .\n 1 2 3 4"
