"""Connect-N's kernels against the naive rules, on boards of one word and of many."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from naive_connect_n import NaiveConnectN

from plyground import Position, Proof, check, load_agent, load_game
from plyground.arithmetic import split
from plyground.errors import OptionError
from plyground.games.connect_n.threats import WON

THREAT_WEIGHTS = ("favourable", "unfavourable", "stacked", "zugzwang")
ENDINGS = Path(__file__).parent / "data" / "connect_four_endings.txt"

SIZES = [(7, 6), (8, 7), (9, 6), (10, 8), (16, 16), (16, 3), (3, 3), (1, 8), (8, 1)]
"""8x7 fills one word to bit 63, 9x6 takes 63 bits; 10x8 has columns that straddle two words."""


@some.composite
def boards(draw):
    width, height = draw(
        some.sampled_from(SIZES) | some.tuples(some.integers(1, 16), some.integers(3, 16))
    )
    return width, height, draw(some.integers(3, min(8, max(width, height))))


def compare(position, naive):
    assert position.is_over == naive.is_over()
    assert list(position.legal_actions) == naive.legal()
    assert position.returns == naive.returns()
    assert position.player == naive.plies % 2
    assert position.to_text() == naive.text()


def play_both(board, choices):
    """Play the same game by the kernels and by the naive rules, comparing at every ply."""
    width, height, n = board
    position = load_game("connect_n", width=width, height=height, n=n).start()
    naive = NaiveConnectN(width, height, n)
    compare(position, naive)
    for choice in choices:
        if naive.is_over():
            break
        action = naive.legal()[choice % len(naive.legal())]
        position = position.play(action)
        naive.play(action)
        compare(position, naive)
    return position, naive


@given(board=boards(), seed=some.integers(0, 2**32))
def test_random_games_go_as_the_naive_rules_say(board, seed):
    random = Random(seed)
    play_both(board, [random.randrange(16) for _ in range(board[0] * board[1])])


def test_four_abreast_are_not_eight():
    position, _ = play_both((4, 15, 8), [0, 0, 1, 1, 2, 2, 3, 3] * 2)
    assert not position.is_over


def lines_of(width, height, n):
    """List every n cells in a row, as (column, row) from the bottom left, the last one topmost."""
    lines = (
        [(x + across * step, y + step * up) for step in range(n)]
        for x in range(width)
        for y in range(height)
        for across, up in ((1, 0), (0, 1), (1, 1), (-1, 1))
    )
    return [line for line in lines if 0 <= line[-1][0] < width and line[-1][1] < height]


@pytest.mark.parametrize(
    ("width", "height", "n"),
    [(8, 7, 4), (8, 7, 7), (9, 6, 4), (16, 3, 3), (4, 15, 8), (10, 8, 5), (16, 16, 8), (3, 16, 8)],
)
def test_every_line_wins_and_with_a_gap_it_does_not(width, height, n):
    game = load_game("connect_n", width=width, height=height, n=n)
    setup, empty = game.begin(0)
    words = (len(empty) - 2) // 2

    def position(own, others):
        boards = (sum(1 << x * (height + 1) + y for x, y in cells) for cells in (own, others))
        stones = [word for board in boards for word in split(board, words)]
        # Stones in the air, and more of one side: invalid, and accepted only by this call.
        state = np.array([2 * n, 0, *stones])
        return Position._trusted(game, np.array(setup), state)

    for line in lines_of(width, height, n):
        column, row = line[-1]
        below = {(column, y) for y in range(row)} - set(line)
        assert position(line[:-1], below).play(column).returns == (1.0, -1.0), line
        gap = line[1]
        with_gap = position(set(line[:-1]) - {gap}, below | {gap}).play(column)
        assert not with_gap.is_over, line


@given(
    board=boards(),
    seed=some.integers(0, 2**32),
    weights=some.lists(some.floats(0, 1e6), min_size=1, max_size=9),
    offensiveness=some.floats(0, 1),
)
def test_the_window_heuristic_counts_as_the_naive_rules_do(board, seed, weights, offensiveness):
    random = Random(seed)
    weights = [0.0, *weights]
    choices = [random.randrange(16) for _ in range(random.randrange(board[0] * board[1]))]
    position, naive = play_both(board, choices)
    values = position.evaluate(f"windows(weights={weights}, offensiveness={offensiveness!r})")
    assert values == pytest.approx(naive.heuristic(weights, offensiveness), abs=1e-9)
    default = naive.heuristic([0, 10, 50, 5000, 1000000], 0.35)
    assert position.evaluate("windows") == pytest.approx(default, abs=1e-9)


@given(board=boards(), seed=some.integers(0, 2**32))
def test_the_threat_heuristic_counts_as_the_naive_rules_do(board, seed):
    """The random plies end no game as long as others are possible: that leaves more threats."""
    random = Random(seed)
    position, naive = play_both(board, [])
    for _ in range(random.randrange(board[0] * board[1])):
        going_on = [
            after for after in map(position.play, position.legal_actions) if not after.is_over
        ]
        if not going_on:
            break
        position = random.choice(going_on)
        naive.play(position.action)
    weights = {name: random.random() for name in THREAT_WEIGHTS}
    windows = [random.random() for _ in range(3)]
    options = ", ".join(f"{name}={weight!r}" for name, weight in weights.items())
    values = position.evaluate(f"threats({options}, half_plies=5, windows={windows})")
    expected = naive.threat_value(**weights, half_plies=5, windows=windows, won=WON)
    assert values[position.player] == pytest.approx(expected, abs=1e-9)
    assert values[0] == -values[1]


@pytest.mark.parametrize("weights", ["(7, 10, 50)", "(1000,)"])
def test_an_empty_board_is_worth_the_same_to_both(connect_four, weights):
    first, second = connect_four.start().evaluate(f"windows(weights={weights})")
    assert first == second


def test_heuristics_stay_below_a_sure_win_whatever_the_weights(connect_four):
    for value in connect_four.start().play(3).evaluate("windows(weights=(1e9, 1e9))"):
        assert -1 < value < 1
    for weight in ("1e17", "1e30", "1e308"):
        with pytest.raises(OptionError, match="out of range"):
            connect_four.evaluator(f"windows(weights=(0, {weight}))")


@pytest.mark.parametrize("size", [{"width": 0}, {"height": 0}, {"width": 99}, {"height": 17}])
def test_a_board_of_no_or_too_many_cells_is_refused(size):
    with pytest.raises(OptionError, match=r"(width|height)=\d+ is out of range; allowed: 1 to 16"):
        load_game("connect_n", **size)


@pytest.mark.parametrize("spec", ["connect_n(n=2)", "connect_n(n=9)", "connect_n(n=8)"])
def test_a_line_too_short_or_too_long_is_refused(spec):
    with pytest.raises(OptionError, match=r"n=[289]"):
        load_game(spec)


@pytest.mark.parametrize(
    "size", [{}, {"width": 8, "height": 7}, {"width": 10, "height": 8, "n": 5}]
)
def test_every_law_holds(size):
    laws = check(load_game("connect_n", **size), games=4)
    assert [law.name for law in laws if law.failure] == []


# Solved positions -------------------------------------------------------------------------------


def endings():
    lines = ENDINGS.read_text().splitlines()
    return [tuple(line.split()) for line in lines if not line.startswith("#")]


def plies_to_end(played, score):
    """Turn a score into plies: k is a win with one's own (22 - k)th stone, -k a loss likewise."""
    if score > 0:
        return 2 * (22 - score - played // 2) - 1
    if score < 0:
        return 2 * (22 + score - (played - played // 2))
    return None


@pytest.mark.parametrize(("moves", "score"), endings())
def test_an_ending_is_solved_exactly(connect_four, moves, score):
    position = connect_four.start()
    for column in moves:
        position = position.play(int(column) - 1)
    thought = load_agent("alphabeta(depth=42, evaluate=nothing)").think(position)
    score = int(score)
    assert thought.value == (score > 0) - (score < 0)
    assert thought.proof == Proof(thought.value, plies_to_end(len(moves), score))
