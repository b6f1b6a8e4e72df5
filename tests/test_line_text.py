"""Games without a text of their own: positions are written as start and actions, and replayed."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from lines import played

from plyground import Facts, Position, load_game
from plyground.errors import PlygroundError, StateError, TextError
from plyground.interop.vector import GameVectorEnv
from plyground.registry import load_file
from plyground.search.playout import play_outs

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")
UNCHECKED = "has neither `read` nor `check_words`"


class Seeded(SMALL.Race):
    """A heap whose size is drawn at the start; a referee may take a turn away."""

    name = "seeded"

    def begin(self, seed):
        return [self.players, 0], [5 + seed % 4, 0, -1]

    def measure(self):
        return Facts(players=self.players, actions=3, branching=3, longest=8)

    def skip(self, position):
        heap, player, last = position.state.tolist()
        return [heap, (player + 1) % self.players, last]


class Checking(SMALL.Race):
    """Checks words, and has no text of its own."""

    name = "checking"

    def check_words(self, setup, state):
        heap, player, last = state.tolist()
        seats = range(self.players)
        if (
            setup.tolist() != [self.players, 0]
            or not 0 <= heap <= self.heap
            or player not in seats
            or last not in (-1, *seats)
        ):
            raise StateError("checking: allowed: heap, player, who took last")


def test_a_line_is_written_as_its_start_and_its_actions(tic_tac_toe):
    position = played(tic_tac_toe, 4, 0)
    assert position.to_text() == "start: 4 0"
    assert repr(position) == f"<{tic_tac_toe} 'start: 4 0'>"
    assert str(position) == "3 3 3 | 2 0 16 1"
    assert tic_tac_toe.start(5).to_text() == "start"  # the same start as that of seed 0
    again = tic_tac_toe.parse(" start :  4 0 ")
    assert (again, [each.action for each in again.line()]) == (position, [None, 4, 0])
    assert tic_tac_toe.parse("start:") == tic_tac_toe.start()


def test_a_start_that_is_not_the_first_is_written_by_its_seed():
    game = Seeded()
    assert game.start(4).to_text() == "start"
    position = game.start(3).play(1).replay(-1).play(2)
    assert position.to_text() == "start 3: 1 skip 2"
    for again in (game.parse(position.to_text()), pickle.loads(pickle.dumps(position))):
        assert again == position
        assert [each.action for each in again.line()] == [None, 1, -1, 2]


def test_a_text_keeps_the_line_that_ended_a_game_by_repetition():
    game = SMALL.Ring()
    position = played(game, 0, 1, 0, 1)
    assert position.is_over
    assert game.parse(position.to_text()).is_over
    assert pickle.loads(pickle.dumps(position)).is_over


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "write a position as 'start: ACTION ACTION ...', or as 'start SEED: ...', not ''"),
        ("begin: 4", "write a position as"),
        ("start x: 4", "write a position as"),
        ("start " + "9" * 30, "write a position as"),
        ("start 4 0", "write a position as"),
        ("start: 4 4", "'4' is not legal in .* at 'start: 4'"),
        ("start: 4 nine", "'nine' is not legal"),
        ("start: skip", "a move cannot be skipped"),
        ("start: 0 3 1 4 2 5", "the game is over"),
        ("3 3 3 | 0 0 x 0", "write words as 'SETUP | STATE'"),
        ("3 3 3 | 0 0 0 0 | 1", "write words as 'SETUP | STATE'"),
        ("3 3 3 | 1 0 16 0", UNCHECKED),
        ("100000 100000 3 | 0 0 0 0", UNCHECKED),
    ],
)
def test_other_texts_are_refused_and_the_error_says_what_is_allowed(tic_tac_toe, text, match):
    with pytest.raises(TextError, match=match):
        tic_tac_toe.parse(text)


@given(text=some.text() | some.text("start: |0123456789"))
def test_no_text_breaks_the_reader(tic_tac_toe, text):
    try:
        position = tic_tac_toe.parse(text)
    except PlygroundError:
        return
    assert tic_tac_toe.parse(position.to_text()) == position


def test_no_door_passes_words_that_nobody_checks(tic_tac_toe):
    """Each of these words made kernels read or write outside their memory."""
    setup, state = [10**6, 10**6, 3], [0, 0, 0, 0]
    setups, states = np.array([setup]), np.array([state])
    made = tic_tac_toe.start().__reduce__()[0]
    for door in (
        lambda: tic_tac_toe.position(setup, state),
        lambda: Position(tic_tac_toe, setup, state),
        lambda: tic_tac_toe.encode_states(setups, states),
        lambda: made(tic_tac_toe, (setup, state, None, 0), []),
        lambda: pickle.loads(pickle.dumps(tic_tac_toe.start().without_line())),
    ):
        with pytest.raises(StateError, match=UNCHECKED):
            door()


def test_every_row_of_words_to_encode_is_checked(connect_four):
    line = played(connect_four, 3, 3).line()
    setup, states = line[0].setup, np.stack([position.state for position in line])
    assert np.array_equal(connect_four.encode_states(setup, states), connect_four.encode(line))
    states[2, 2] = 2  # a stone in the air
    with pytest.raises(StateError, match="no stone below"):
        connect_four.encode_states(setup, states)
    with pytest.raises(StateError, match="word 0 of the setup"):
        connect_four.encode_states(np.stack([setup, setup + 1, setup]), states)


def test_words_that_a_game_checks_are_read_by_every_door():
    game = Checking()
    position = game.position([3, 0], [4, 2, 1])
    assert position.to_text() == "3 0 | 4 2 1"
    assert game.parse("3 0 | 4 2 1") == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert pickle.loads(pickle.dumps(position.play(1))).line() == position.play(1).line()
    assert position.play(1).to_text() == "3 0 | 2 0 2"
    assert game.start().play(1).to_text() == "start: 1"
    assert game.encode_states(position.setup, position.state[np.newaxis]).shape[0] == 1
    for text in ("3 0 | 4 9 1", "3 0 | 4 2", f"3 0 | {2**64} 0 0"):
        with pytest.raises(TextError):
            game.parse(text)


def test_a_games_own_check_of_words_is_asked_about_a_text_too(tic_tac_toe):
    class Strict(load_game("examples/othello.py").__class__):
        name = "strict"

        def check_words(self, setup, state):
            super().check_words(setup, state)
            if state[0] == 1:
                raise StateError("strict: white is not to move")

    game = Strict()
    assert game.parse(game.start().to_text()) == game.start()
    with pytest.raises(TextError, match="white is not to move"):
        game.parse(game.start().play(game.start().legal_actions[0]).to_text())


def test_a_view_is_written_as_what_its_observer_sees():
    view = SMALL.Secret().start().play(2).observe(1)
    assert view.to_text() == "0 | 1 -1 -1"
    with pytest.raises(TextError, match=UNCHECKED):
        view.game.parse(view.to_text())


def test_positions_of_an_environment_are_its_own_words(tic_tac_toe):
    games = GameVectorEnv(tic_tac_toe, 4)
    games.reset(seed=1)
    games.step([4, 0, 1, 2])
    position = games.position(0)
    assert position == played(tic_tac_toe, 4)
    assert play_outs(position.play(0), 10)[1] > 0
