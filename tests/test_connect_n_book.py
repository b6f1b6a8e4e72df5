"""The opening book is built in steps, looked up by position, and used by the solver."""

import numpy as np
import pytest
from lines import played, random_position

from plyground import load_game
from plyground.errors import TextError
from plyground.games.connect_n import openings
from plyground.games.connect_n.book import build, positions_at, read_journal
from plyground.games.connect_n.openings import Book, key_of, shipped_book
from plyground.games.connect_n.solve import ConnectNSolver

PLIES = 4
COUNTS = [1, 4, 25, 121, 568, 2144]
"""Positions of Connect Four by ply, mirror images once."""


@pytest.fixture(scope="module")
def game():
    return load_game("connect_n(width=5, height=4)")


@pytest.fixture(scope="module")
def built(game, tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    heard = []
    path = build(game, folder, PLIES, 2, progress=lambda *counts: heard.append(counts))
    return Book.load(path), folder, heard


def test_positions_are_listed_once(connect_four):
    for plies, wanted in enumerate(COUNTS):
        keys = [key for key, _ in positions_at(connect_four, plies)]
        assert len(keys) == len(set(keys)) == wanted


def test_a_key_is_shared_with_the_mirror_image_alone(connect_four):
    assert key_of(played(connect_four, 0, 1, 1)) == key_of(played(connect_four, 6, 5, 5))
    assert key_of(played(connect_four, 0, 1)) != key_of(played(connect_four, 1, 0))


def test_a_book_has_the_scores_that_the_solver_finds(game, built):
    book, _, _ = built
    solver = ConnectNSolver(game, 19, use_book=False)
    found = 0
    for plies in range(PLIES + 1):
        for key, moves in positions_at(game, plies):
            position = played(game, *moves)
            score = book.find(position)
            solution = solver.solve(position)
            if score is None:  # decided at once: the last two stones at most
                assert solution.plies <= 2
            else:
                assert score == solution.score
                assert key in book.keys
                found += 1
    assert found == len(book.keys)
    assert book.find(random_position(game, 1, PLIES + 1)) is None


def test_a_book_is_read_as_it_was_written(built):
    book, folder, heard = built
    again = Book.load(folder / "book.npz")
    assert (again.width, again.height, again.n, again.plies) == (5, 4, 4, PLIES)
    assert np.array_equal(again.keys, book.keys)
    assert np.array_equal(again.scores, book.scores)
    solved, count = heard[-1]
    assert solved == count


def test_a_build_goes_on_where_it_was_broken_off(game, built, tmp_path):
    book, folder, _ = built
    (journal,) = folder.glob("*.txt")
    lines = journal.read_text().splitlines(keepends=True)
    half = tmp_path / journal.name
    half.write_text("".join(lines[: len(lines) // 2]) + "123")  # the last line was cut short
    assert len(read_journal(half)) == len(lines) // 2
    assert build(game, tmp_path, PLIES, 1, seconds=0) is None
    heard = []
    path = build(game, tmp_path, PLIES, 1, progress=lambda *counts: heard.append(counts))
    assert heard[0] == (len(lines) // 2, len(lines))
    assert np.array_equal(Book.load(path).scores, book.scores)
    assert read_journal(half) == read_journal(journal)
    half.write_text("12 x\n")
    with pytest.raises(TextError, match=r":1: '12 x' is not a key and a score"):
        read_journal(half)


def test_the_solver_uses_the_book(game, built, monkeypatch):
    _, folder, _ = built
    monkeypatch.setattr(openings, "SHIPPED", folder / "book.npz")
    shipped_book.cache_clear()
    try:
        solver = ConnectNSolver(game, 19)
        assert ConnectNSolver(load_game("connect_n"), 19).book is None
    finally:
        shipped_book.cache_clear()
    alone = ConnectNSolver(game, 19, use_book=False)
    for plies in (0, 2, 4, 6):
        position = random_position(game, plies, plies)
        by_book, by_search = solver.solve(position), alone.solve(position)
        assert by_book.score == by_search.score
        assert len(by_book.line) == by_book.plies == by_search.plies
        end = position
        for action in by_book.line:
            end = end.play(action)
        assert end.is_over
        assert end.returns[position.player] == by_book.value
    assert solver.solve(game.start(), weak=True).nodes == 0


def test_in_the_opening_no_search_is_needed(game, built):
    _, folder, _ = built
    solver = ConnectNSolver(game, 19, use_book=False)
    alone = ConnectNSolver(game, 19, use_book=False)
    solver.book = Book.load(folder / "book.npz")
    for plies in range(PLIES):
        position = random_position(game, plies, plies)
        best, values = solver.best(position), solver.values(position)
        assert best.nodes == sum(solution.nodes for solution in values.values()) == 0
        assert best.line[0] in values
        for action, solution in values.items():
            assert solution.score == -alone.solve(position.play(action)).score
            assert solution.line[0] == action
        assert values[best.line[0]].score == best.score == alone.solve(position).score
