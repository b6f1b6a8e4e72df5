"""The optional parts of the contract: hidden information, planes, repetition."""

from pathlib import Path

import numpy as np
import pytest
from lines import played, random_position
from naive_connect_n import NaiveConnectN

from plyground import load_game
from plyground.errors import PlygroundError
from plyground.registry import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


# Secrets ----------------------------------------------------------------------------------------


def test_an_observer_sees_no_more_than_it_may():
    for number in range(3):
        position = played(SMALL.Secret(), number)
        assert position.observe(0).state.tolist() == [1, number, -1]
        assert position.observe(1).state.tolist() == [1, -1, -1]
        assert position.observe(1).previous is None, "the past would tell"
        assert position.state.tolist() == [1, number, -1]


def test_guesses_fit_what_is_seen_and_follow_the_seed():
    seen = played(SMALL.Secret(), 2).observe(1)
    guesses = [seen.determinize(seed) for seed in range(30)]
    assert {guess.state.tolist()[1] for guess in guesses} == {0, 1, 2}
    assert all(guess.observe(1) == seen for guess in guesses)
    assert seen.determinize(7) == seen.determinize(7)


def test_where_nothing_is_hidden_all_is_seen(connect_four):
    position = played(connect_four, 3)
    assert position.observe(0) is position
    assert position.determinize(1) is position


# Planes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(7, 6, 4), (8, 7, 4), (10, 8, 5), (16, 16, 8)])
def test_planes_show_ones_own_stones_and_the_others(size):
    width, height, n = size
    game = load_game("connect_n", width=width, height=height, n=n)
    for seed in range(5):
        position = random_position(game, seed, plies=10 * seed)
        naive = NaiveConnectN.from_text(position.to_text(), n)
        rows = [[naive.cell(x, y) for x in range(width)] for y in reversed(range(height))]
        board = np.array(rows)
        for player in (0, 1):
            planes = position.encode(player)
            assert planes.dtype == np.float32
            assert (planes[0] == (board == 1 + player)).all()
            assert (planes[1] == (board == 2 - player)).all()
        assert (position.encode() == position.encode(position.player)).all()


def test_a_game_without_planes_is_seen_as_the_words_of_its_state(tic_tac_toe):
    planes = tic_tac_toe.start().encode()
    assert planes.shape == tic_tac_toe.plane_shape
    assert planes.shape[1:] == (1, 1)


@pytest.mark.parametrize("player", [-1, 2])
def test_planes_of_a_player_who_does_not_exist_are_refused(connect_four, player):
    with pytest.raises(PlygroundError):
        connect_four.start().encode(player)


# Repetition -------------------------------------------------------------------------------------


def test_a_position_that_comes_a_third_time_ends_the_game():
    position = SMALL.Ring().start()
    for action in (0, 1, 0):
        position = position.play(action)
        assert not position.is_over
    position = position.play(1)
    assert position.is_over
    assert position.legal_actions == ()
    assert position.returns == (0.0, 0.0)


def test_a_counter_towards_the_end_is_not_part_of_the_key():
    start = SMALL.Ring().start()
    again = start.play(0).play(1)
    assert again.key == start.key
    assert again != start
