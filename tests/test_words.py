"""Positions as words, as text and as pictures."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some
from lines import played

from plyground import load_game
from plyground.errors import BadState, BadText

PARSE_OTHER_SETUP = """
import sys
from plyground import PlygroundError, load_game
try:
    load_game(sys.argv[1]).parse(sys.argv[2])
except PlygroundError as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("setup", "state"),
    [
        ([3, 3], [0, 0, 0, 0]),
        ([3, 3, 3], [0, 0, 0]),
        ([3, 3, 3], [0, 0, 0, 0, 0]),
        ([3, 3, 3], [[0, 0, 0, 0]]),
        ([3, 3, 3], [0, 0, 0, 2**63]),
        ([3, 3, 3], [0, 0, 0, None]),
        ([3, 3, 3], [0, 0, 0, "zero"]),
        ([3, 3, 3], [0, 0, 0, 0.5]),
        ([3, 3, 3], [0, 0, 0, float("nan")]),
    ],
)
def test_words_that_do_not_fit_are_refused(tic_tac_toe, setup, state):
    with pytest.raises(BadState):
        tic_tac_toe.position(setup, state)


def test_a_game_without_a_text_of_its_own_writes_its_words(tic_tac_toe):
    position = played(tic_tac_toe, 4, 0)
    assert position.to_text() == "3 3 3 | 2 0 16 1"
    assert str(position) == "3 3 3 | 2 0 16 1"
    assert repr(position) == f"<{tic_tac_toe} '3 3 3 | 2 0 16 1'>"
    assert tic_tac_toe.parse("3 3 3 | 2 0 16 1") == position


@pytest.mark.parametrize("text", ["", "3 3 3", "3 3 3 | 0 0 x 0", "3 3 3 | 0 0 0 0 | 1"])
def test_words_that_cannot_be_read_are_refused(tic_tac_toe, text):
    with pytest.raises(BadText, match="write a position as 'setup words"):
        tic_tac_toe.parse(text)


@given(text=some.text())
def test_no_text_breaks_the_reader_of_words(tic_tac_toe, text):
    with pytest.raises((BadText, BadState)):
        tic_tac_toe.parse(text)


@pytest.mark.parametrize("setup", ["7 7 3", "100000 100000 3"])
def test_a_text_with_another_setup_is_an_error_not_a_crash(fresh_python, example, setup):
    done = fresh_python(PARSE_OTHER_SETUP, example, f"{setup} | 0 0 0 0")
    assert done.returncode == 0, f"exit status {done.returncode}"
    assert done.stdout in ("BadText\n", "BadState\n")


def test_the_picture_is_well_formed(connect_four, tic_tac_toe):
    for position in (
        connect_four.start(),
        played(connect_four, 0, 1, 0, 1, 0, 1, 0),
        played(tic_tac_toe, 0, 3, 1, 4, 2),
        load_game("connect_n(width=16, height=16, n=8)").start(),
    ):
        root = ElementTree.fromstring(position._repr_svg_())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(root) > 2
