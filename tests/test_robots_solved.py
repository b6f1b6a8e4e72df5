"""Robot Reboot against 1400 positions whose shortest solutions another program has proven."""

from collections import Counter

import numpy as np
import pytest
from breadth_first import breadth_first
from solved_robots import boards, puzzles

from plyground import load_game
from plyground.games.robots.boards import assembled


def test_the_file_has_the_declared_number_of_positions():
    counts = Counter(puzzle.kind for puzzle in puzzles())
    assert counts == {"classic": 1000, "velasquez": 400}
    assert all(len(puzzle.solution) == puzzle.fewest for puzzle in puzzles())
    near = [puzzle.fewest for puzzle in puzzles() if puzzle.kind == "velasquez"]
    assert sum(near) / len(near) == pytest.approx(3.20, abs=0.01)  # as in the study's figures


def test_every_board_is_put_together_as_in_the_file():
    assert len(boards()) > 700
    for (kind, names), walls in boards().items():
        assert assembled(kind, names.split("/")).walls == walls, (kind, names)


@pytest.mark.parametrize("kind", ["classic", "velasquez"])
def test_every_house_is_one_of_its_board(kind):
    for quarters in (names for each, names in boards() if each == kind):
        board = assembled(kind, quarters.split("/"))
        owners = Counter(owner for _, owner in board.houses)
        assert [owners[letter] for letter in "ygrb"] == [4, 4, 4, 4]
        assert owners["*"] == (1 if kind == "classic" else 0)


@pytest.mark.parametrize("kind", ["classic", "velasquez"])
def test_every_solution_wins_with_its_last_move_and_not_before(kind):
    game = load_game("robots", board=kind)
    for puzzle in puzzles():
        if puzzle.kind == kind:
            position = game.parse(puzzle.text)
            assert position.to_text() == puzzle.text
            for move in puzzle.solution:
                assert not position.is_over
                assert position.evaluate("bound")[0] >= 1 - 2 * puzzle.fewest / game.cap
                position = position.play(position.parse(move))
            assert position.is_over
            assert position.returns == (1 - 2 * puzzle.fewest / 20,)
            assert game.score(position) == -puzzle.fewest


# Searched again ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fewest", range(1, 6))
def test_breadth_first_search_finds_the_proven_number(fewest):
    for kind in ("classic", "velasquez"):
        game = load_game("robots", board=kind)
        found = [each for each in puzzles() if each.kind == kind and each.fewest == fewest]
        for puzzle in found[:15]:
            assert breadth_first(game.parse(puzzle.text)) == fewest


def lengths(spec, seeds):
    game = load_game(spec)
    starts = [game.start(seed) for seed in range(seeds)]
    solver = game.solver()
    return [solver.solve(start).score for start in starts]


def test_uniform_classic_starts_are_as_hard_as_those_of_others():
    found = lengths("robots(board=classic, starts=uniform)", 200)
    assert np.mean(found) == pytest.approx(5.97, abs=0.5)  # 50,000 positions of another program
    assert np.std(found) == pytest.approx(2.46, abs=0.5)


def test_near_starts_are_as_easy_as_the_seeds():
    found = lengths("robots", 200)
    assert np.mean(found) == pytest.approx(3.20, abs=0.5)
    assert found.count(1) / len(found) == pytest.approx(183 / 400, abs=0.1)
