"""Positions are immutable, compared by value, and raise clear errors."""

from dataclasses import FrozenInstanceError
from itertools import pairwise

import pytest
from lines import played

from plyground import load_game
from plyground.errors import IllegalActionError, OptionError, UnknownNameError


def finished(tic_tac_toe):
    return played(tic_tac_toe, 0, 3, 1, 4, 2)


# A line of positions ----------------------------------------------------------------------------


def test_playing_gives_a_new_position_and_keeps_the_old(connect_four):
    before = connect_four.start()
    words = before.state.tolist()
    after = before.play(3)
    assert before.state.tolist() == words
    assert after != before
    assert (before.player, after.player) == (0, 1)


def test_a_line_leads_back_to_its_beginning(connect_four):
    last = played(connect_four, 3, 3, 2)
    line = last.line()
    assert [position.ply for position in line] == [0, 1, 2, 3]
    assert [position.action for position in line] == [None, 3, 3, 2]
    assert line[-1] is last
    assert line[0].previous is None
    assert all(after.previous is before for before, after in pairwise(line))


def test_words_of_a_position_cannot_be_written(connect_four):
    for position in (connect_four.start(), played(connect_four, 3)):
        for words in (position.setup, position.state):
            with pytest.raises(ValueError, match="read-only"):
                words[0] = 1


def test_words_given_for_a_position_are_not_changed(connect_four):
    start = connect_four.start()
    state = start.state.copy()
    position = connect_four.position(start.setup, state)
    state[0] = 1
    assert position == start


def test_attributes_of_a_position_cannot_be_set(connect_four):
    position = connect_four.start()
    with pytest.raises(AttributeError):
        position.player = 1


def test_options_of_a_game_cannot_be_set(connect_four):
    with pytest.raises(FrozenInstanceError):
        connect_four.width = 8


def test_a_finished_game_has_returns_and_no_actions(tic_tac_toe):
    position = finished(tic_tac_toe)
    assert position.is_over
    assert position.legal_actions == ()
    assert position.returns == (1.0, -1.0)
    assert position.previous.returns == (0.0, 0.0)


# Equality ---------------------------------------------------------------------------------------


def test_positions_are_equal_by_value_not_by_history(connect_four):
    one, other = played(connect_four, 0, 1, 2, 3), played(connect_four, 2, 3, 0, 1)
    assert one == other
    assert hash(one) == hash(other)
    assert one.key == other.key
    assert len({one, other, connect_four.start()}) == 2


def test_positions_of_games_with_other_options_differ():
    wide, five = load_game("connect_n(width=9)"), load_game("connect_n(width=9, n=5)")
    assert wide.start() != five.start()
    assert wide.start() != "9/9/9/9/9/9"
    assert wide == load_game("connect_n", width=9)


# Errors -----------------------------------------------------------------------------------------


def test_an_illegal_action_quotes_the_position_and_what_is_legal(tic_tac_toe):
    position = played(tic_tac_toe, 4)
    with pytest.raises(IllegalActionError) as caught:
        position.play(4)
    assert str(caught.value) == (
        f"action 4 is not legal in {tic_tac_toe} at 'start: 4'; legal: 0, 1, 2, 3, 5, 6, 7, 8"
    )


def test_an_illegal_text_among_many_actions_gets_a_suggestion(example):
    position = load_game(f"{example}(width=6, height=6)").start()
    with pytest.raises(IllegalActionError, match="did you mean '35'"):
        position.parse("355")


@pytest.mark.parametrize("action", [-1, 9, 10**30, 2.5, None, "ninth"])
def test_values_that_are_no_actions_are_illegal(tic_tac_toe, action):
    with pytest.raises(IllegalActionError):
        tic_tac_toe.start().play(action)


def test_a_text_is_what_a_person_types_and_an_integer_the_actions_number(connect_four):
    assert connect_four.start().play("4") == connect_four.start().play(3)
    with pytest.raises(
        IllegalActionError, match=r"'9' is not legal in .* legal: 1, 2, 3, 4, 5, 6, 7"
    ):
        connect_four.start().play("9")
    with pytest.raises(
        IllegalActionError, match=r"action 7 is not legal in .* legal: 0, 1, 2, 3, 4, 5"
    ):
        connect_four.start().play(7)


def test_nothing_is_legal_once_the_game_is_over(tic_tac_toe):
    with pytest.raises(IllegalActionError, match="the game is over"):
        finished(tic_tac_toe).play(8)


def test_actions_are_read_as_they_are_written(connect_four):
    position = connect_four.start()
    assert [position.format(action) for action in position.legal_actions] == list("1234567")
    assert position.parse(" 4 ") == 3
    with pytest.raises(IllegalActionError, match="legal: 1, 2, 3"):
        position.parse("0")


# Evaluators -------------------------------------------------------------------------------------


def test_the_first_evaluator_is_the_default_and_nothing_is_always_there(connect_four, tic_tac_toe):
    assert connect_four.evaluator() == connect_four.evaluator("threats")
    assert tic_tac_toe.evaluator() == tic_tac_toe.evaluator("nothing")
    assert tic_tac_toe.start().evaluate() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("spec", "kind", "part"),
    [
        ("window", UnknownNameError, "evaluator of connect_n 'window'; did you mean 'windows'?"),
        ("windows(weight=1)", UnknownNameError, "did you mean 'weights'?"),
        ("windows(offensiveness=2)", OptionError, "out of range"),
        ("windows(weights=5)", OptionError, "must be a list"),
        ("windows(weights=())", OptionError, "weights"),
    ],
)
def test_a_wrong_evaluator_is_refused(connect_four, spec, kind, part):
    with pytest.raises(kind) as caught:
        connect_four.start().evaluate(spec)
    assert part in str(caught.value)
