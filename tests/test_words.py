"""Positions as words and as pictures."""

from xml.etree import ElementTree

import pytest
from lines import played

from plyground import load_game
from plyground.errors import StateError


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
    with pytest.raises(StateError, match=r"words, this game needs|must be integers"):
        tic_tac_toe.position(setup, state)


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
