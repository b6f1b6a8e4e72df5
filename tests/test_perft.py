"""The counts in perft/*.perft, and the conventions behind them."""

from itertools import takewhile
from pathlib import Path

import pytest
from naive_connect_n import NaiveConnectN, naive_perft

from plyground import load_game, perft

FOLDER = Path(__file__).parent / "perft"


LARGEST = 6_000_000
"""Larger counts are in the files for other programs; testing them would take too long."""


def cases(pattern):
    found = []
    for file in sorted(FOLDER.glob(pattern)):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            if not line.startswith("#"):
                spec, text, counts = (part.strip() for part in line.split(";"))
                numbers = [int(count) for count in counts.split()]
                found.append(pytest.param(spec, text, numbers, id=f"{file.stem}:{number}"))
    return found


def up_to(largest, counts):
    return list(takewhile(lambda count: count <= largest, counts))


@pytest.mark.parametrize(("spec", "text", "counts"), cases("*.perft"))
def test_the_kernels_count_as_many_lines_as_the_file(spec, text, counts):
    position = load_game(spec).parse(text)
    counts = up_to(LARGEST, counts)
    assert [perft(position, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("spec", "text", "counts"), cases("connect_n.perft"))
def test_the_file_holds_what_the_naive_rules_count(spec, text, counts):
    board = NaiveConnectN.from_text(text, load_game(spec).n)
    counts = up_to(1500, counts)
    assert [naive_perft(board, depth) for depth in range(1, len(counts) + 1)] == counts


def test_no_ply_is_one_line_even_where_the_game_is_over(tic_tac_toe):
    position = tic_tac_toe.start()
    assert perft(position, 0) == 1
    for action in (0, 3, 1, 4, 2):
        position = position.play(action)
    assert position.is_over
    assert perft(position, 0) == 1


def test_a_finished_game_has_no_lines(tic_tac_toe):
    position = tic_tac_toe.start()
    for action in (0, 3, 1, 4, 2):
        position = position.play(action)
    assert [perft(position, depth) for depth in (1, 2, 3)] == [0, 0, 0]


def test_a_game_that_ends_at_exactly_the_depth_counts(tic_tac_toe):
    position = tic_tac_toe.start()
    for action in (0, 3, 1, 4):
        position = position.play(action)
    ending = sum(position.play(action).is_over for action in position.legal_actions)
    assert ending == 1
    assert perft(position, 1) == 5
    assert perft(position, 2) == 4 * 4


def test_perft_leaves_the_position_as_it_was(connect_four):
    position = connect_four.start()
    perft(position, 4)
    assert position == connect_four.start()
