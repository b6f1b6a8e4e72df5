"""No public call passes words to compiled code that do not belong to a valid position."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lines import played, random_position

from plyground import Position, load_agent, load_game, perft
from plyground.errors import GameError, IllegalActionError, OptionError, StateError, TextError
from plyground.game.advice import order, unwise
from plyground.game.symmetry import image, image_actions
from plyground.games.sheep.evaluate import Outlook
from plyground.search.playout import play_outs

ROOT = Path(__file__).parents[1]
GAMES = {
    "connect_n": ("connect_n", "connect_n(width=16, height=16, n=5)", "connect_n(width=1)"),
    "tron": ("tron", "tron(map=divider)", "tron(map=small_room, simultaneous=True)"),
    "sheep": (
        "sheep", "sheep(hidden=True)", "sheep(hex=True, teams=True)",
        "sheep(hidden=True, players=3, size=3, cells=9, sheep=4)",
    ),
    "robots": (
        "robots", "robots(board=maze, width=4, height=5, robots=2)",
        "robots(board=maze, width=32, height=6, robots=8)",
        "robots(rounds=3, board=maze, width=5, height=5, robots=2, cap=4)", "robots(rounds=2)",
    ),
    "expendibots": ("expendibots",),
}  # fmt: skip


@pytest.mark.parametrize(("plain", "count"), [("0", 20), ("1", 3)])
@pytest.mark.parametrize("name", GAMES)
def test_what_is_forged_is_refused_or_harmless(name, plain, count):
    done = subprocess.run(
        [
            sys.executable, "-m", "benchmarks.forged_positions", str(count), *GAMES[name],
        ],
        env=os.environ | {"NUMBA_DISABLE_JIT": plain}, cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stderr[-2000:]}"
    for door, (refused, accepted) in json.loads(done.stdout).items():
        assert refused + accepted == count, door
        few = plain == "1" or not door.startswith("words")
        assert few or (refused > 0 and accepted > 0), door


@pytest.mark.parametrize("name", GAMES)
def test_arrays_of_the_wrong_size_are_refused_also_by_the_constructor(name):
    position = load_game(name).start()
    for setup, state in ((position.setup, position.state[:-1]), ([1], position.state)):
        with pytest.raises(StateError, match=r"has \d+ words?, this game needs \d+"):
            Position(position.game, setup, state)
    assert Position(position.game, position.setup, position.state) == position


@pytest.mark.parametrize(
    ("spec", "part", "word", "value", "match"),
    [
        ("connect_n", "setup", 0, 2**40, "word 0 of the setup is 1099511627776; .* be 7"),
        (
            "connect_n",
            "state",
            0,
            9,
            "word 0 of the state is 9; given the other words it must be 0",
        ),
        ("connect_n", "state", 2, 2, "no stone below the one at"),
        ("tron", "setup", 6, 10**6, "word 6 of the setup is 1000000"),
        ("tron", "state", 2, 0, "there is no '1'|border must be"),
        ("tron", "state", 4, 99, "not those of a position"),
        ("sheep", "setup", 12, 0, "word 12 of the setup is 0"),
        ("sheep", "state", 0, 3, "a is to place"),
        ("robots", "setup", 3, 9, "not those of a position"),
        ("robots", "state", 0, -(2**63), "moves '-9223372036854775808'"),
        ("robots", "state", 1, 5000, "is not on the board|is not a place"),
        ("expendibots", "state", 6, -1, "word 6 of the state is -1; .* be 1"),
        ("expendibots", "state", 7, 2**62, "plies played; allowed: 0 to 500"),
    ],
)
def test_an_error_says_which_word_is_wrong_and_what_is_allowed(spec, part, word, value, match):
    game = load_game(spec)
    words = dict(zip(("setup", "state"), map(list, game.begin(0)), strict=True))
    words[part][word] = value
    with pytest.raises(StateError, match=match):
        game.position(**words)


# A game of one's own ----------------------------------------------------------------------------


def test_a_games_own_check_is_asked(tic_tac_toe):
    class Strict(type(tic_tac_toe)):
        name = "strict"

        def check_words(self, setup, state):
            if setup.tolist() != [3, 3, 3] or state[2] & state[3]:
                raise StateError("strict: another board, or two marks in one cell")

    game = Strict()
    assert game.position([3, 3, 3], [2, 0, 1, 2]).legal_actions[0] == 2
    for setup, state in (([3, 3, 3], [2, 0, 1, 1]), ([2, 3, 3], [2, 0, 1, 2])):
        with pytest.raises(StateError, match="two marks in one cell"):
            game.position(setup, state)


def test_a_text_that_needs_the_rules_cannot_check_words(tic_tac_toe):
    class Chatty(type(tic_tac_toe)):
        name = "chatty"

        def write(self, position):
            return f"{position.state} {position.player}"

        def read(self, text):
            return self.begin(0)

    with pytest.raises(GameError, match="`write` may use only setup and state"):
        Chatty().position([3, 3, 3], [0, 0, 0, 0])


# Other calls ------------------------------------------------------------------------------------


def test_a_line_is_packed_as_its_first_words_and_its_actions(connect_four):
    last = played(connect_four, 3, 3, 2)
    again = pickle.loads(pickle.dumps(last))
    assert again == last
    assert [each.action for each in again.line()] == [None, 3, 3, 2]
    assert again.ply == 3
    make, packed = last.__reduce__()
    _, (setup, state, *of), actions = packed
    with pytest.raises(StateError):
        make(connect_four, (setup, state[:-1], *of), actions)
    with pytest.raises(IllegalActionError):
        make(connect_four, packed[1], [3, 99])
    with pytest.raises(OptionError, match="player 7"):
        make(connect_four, (setup, state, 7, 0), actions)


def test_a_view_knows_whose_it_is_however_it_came():
    game = load_game("sheep(hidden=True)")
    position = random_position(game, 1, plies=9)
    view = position.observe(position.player)
    for again in (
        game.parse(view.to_text()),
        game.position(view.setup, view.state),
        pickle.loads(pickle.dumps(view)),
    ):
        assert (again, again.observer) == (view, position.player)
        assert load_agent("mcts(simulations=50)").think(again).action in position.legal_actions
        play_outs(again, 5)
    with pytest.raises(OptionError, match=f"the view of player {position.player}"):
        view.observe(position.player ^ 1)
    at_once = load_game("tron(map=small_room, simultaneous=True)").start().play(0)
    assert at_once.game.parse(at_once.observe(1).to_text()).observer == 1
    assert at_once.game.parse(at_once.to_text()).observer is None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a?b?/.. a", "no player's counts are known"),
        ("a4b4/c?. a", "only one player's may be known"),
    ],
)
def test_counts_that_no_observer_can_see_are_refused(text, match):
    players = 3 if "c" in text else 2
    game = load_game("sheep", players=players, size=2, cells=4, sheep=4, hidden=True)
    with pytest.raises(TextError, match=match):
        game.parse(text)


def test_a_heuristic_of_another_game_is_refused(connect_four):
    with pytest.raises(OptionError, match="not an evaluator of connect_n"):
        connect_four.start().evaluate(Outlook())
    own = connect_four.evaluator("windows(offensiveness=0.5)")
    assert connect_four.start().evaluate(own) == (0.0, 0.0)


@pytest.mark.parametrize("player", [-1, 2, 2**63, 0.5, "0"])
def test_a_player_who_does_not_exist_is_refused(connect_four, player):
    with pytest.raises(OptionError, match="has players 0 to 1"):
        connect_four.start().encode(player)


@pytest.mark.parametrize("number", [-1, 2, 10**9, 0.5])
def test_a_symmetry_that_does_not_exist_is_refused(connect_four, number):
    position = connect_four.start()
    with pytest.raises(OptionError, match="has symmetries 0 to 1"):
        image(position, number)
    with pytest.raises(OptionError, match="has symmetries 0 to 1"):
        image_actions(position, number)


MATRIX = np.zeros((3, 4), np.int64)
"""Three states of Connect Four, as its kernels could have made them."""


@pytest.mark.parametrize(
    "states",
    [
        MATRIX[0], MATRIX[:, :3], np.zeros((3, 5), np.int64), MATRIX[np.newaxis],
        MATRIX.astype(np.int32), MATRIX.astype(np.float64), MATRIX.astype(">i8"),
        [["a"] * 4], [[0] * 4, [0]], None,
    ],
)  # fmt: skip
def test_states_of_another_shape_are_refused(connect_four, states):
    setup = connect_four.start().setup
    with pytest.raises(StateError, match=r"must be (a matrix|matrices) of int64"):
        connect_four.encode_states(setup, states)


@pytest.mark.parametrize("rows", [0, 2, 4])
def test_as_many_setups_as_states_or_one(connect_four, rows):
    setup = connect_four.start().setup
    with pytest.raises(StateError, match=f"the setups must be a matrix of int64, 1 x {len(setup)}"):
        connect_four.encode_states(np.tile(setup, (rows, 1)), MATRIX)
    with pytest.raises(StateError, match="the setups must be a matrix of int64"):
        connect_four.encode_states(setup[:-1], MATRIX)


@pytest.mark.parametrize(
    "players", [[0, 1], [0, 1, 2], [0, 1, -1], [0.0, 1.0, 0.0], [[0], [1, 0], [1]], 0, "abc"]
)
def test_players_of_states_who_do_not_exist_are_refused(connect_four, players):
    with pytest.raises(
        OptionError, match=r"one player for each of the 3 states|has players 0 to 1"
    ):
        connect_four.encode_states(connect_four.start().setup, MATRIX, players)


def test_positions_of_another_game_are_refused(connect_four):
    other = load_game("connect_n", width=8).start()
    with pytest.raises(OptionError, match=r"this is a position of connect_n\(width=8\), not of"):
        connect_four.encode([connect_four.start(), other])
    with pytest.raises(OptionError, match="this is a position of"):
        connect_four.policy_indices(other)


def test_advice_on_an_action_that_is_not_legal_is_refused():
    position = load_game("sheep").start()
    for action in (-1, 10**9):
        with pytest.raises(IllegalActionError, match="is not legal in"):
            unwise(position, action)
    with pytest.raises(IllegalActionError):
        order(load_game("connect_n").start(), 10**9)


def test_perft_knows_how_long_a_game_can_be(tic_tac_toe):
    assert perft(tic_tac_toe.start(), 10**9) == 0
    with pytest.raises(OptionError, match="depth=-1"):
        perft(tic_tac_toe.start(), -1)


def test_words_with_gaps_between_them_are_copied(connect_four):
    wide = np.zeros(2 * len(connect_four.start().state), np.int64)
    assert connect_four.position(connect_four.start().setup, wide[::2]) == connect_four.start()
