"""What networks need of a game: images, planes in batches, entries of a policy head."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from lines import random_position

from plyground import load_game
from plyground.errors import GameError, OptionError
from plyground.game.planes import encode_states, network_inputs
from plyground.registry import load_file

GAMES = (
    "connect_n",
    "tron",
    "tron(map=divider)",
    "robots",
    "robots(rounds=3)",
    "sheep",
    "sheep(hidden=true, hex=true)",
    "expendibots",
)


def positions(game, count=6):
    return [random_position(game, seed, 5 * seed) for seed in range(count)]


# Images -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", GAMES)
def test_a_position_is_its_first_image_and_the_others_are_as_many_as_declared(spec):
    game = load_game(spec)
    for position in positions(game, 3):
        (itself, same), *others = position.images()
        assert itself is position
        assert same.tolist() == list(range(game.facts.actions))
        assert len(others) == game.facts.symmetries - 1
        for image, actions in others:
            assert image.game is game
            assert image.ply == position.ply
            assert image.previous is None
            after = image.play(actions[position.legal_actions[-1]])
            assert after.player == position.play(position.legal_actions[-1]).player


def test_the_image_of_connect_four_is_its_mirror(connect_four):
    position = connect_four.parse("7/7/7/7/o6/xx5")
    _, (image, actions) = position.images()
    assert image.to_text() == "7/7/7/7/6o/5xx"
    assert actions.tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_images_do_not_change(connect_four):
    for image, actions in connect_four.start().images():
        for words in (image.setup, image.state, actions):
            with pytest.raises(ValueError, match="read-only"):
                words[0] = 1


def test_the_images_of_a_view_are_views_of_the_same_player():
    game = load_game("sheep(hidden=true)")
    view = random_position(game, 1, 12).observe(2)
    for image, _ in view.images():
        assert image.observer == 2
        assert image.to_text().count("?") == view.to_text().count("?") > 0


def test_a_game_without_symmetries_has_itself_as_its_image(tic_tac_toe):
    position = tic_tac_toe.start().play(4)
    ((image, actions),) = position.images()
    assert image is position
    assert actions.tolist() == list(range(9))


# Planes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", GAMES)
def test_many_positions_are_encoded_as_each_alone(spec):
    game = load_game(spec)
    line = positions(game)
    planes = game.encode(line)
    assert planes.shape == (len(line), *game.facts.planes)
    assert planes.dtype == np.float32
    for position, seen in zip(line, planes, strict=True):
        assert np.array_equal(seen, position.observe(position.player).encode())
    assert len({each.tobytes() for each in planes}) == len(set(line))


def test_no_positions_are_no_planes(connect_four):
    assert connect_four.encode([]).shape == (0, 2, 6, 7)
    setup = connect_four.start().setup
    states = np.zeros((0, 4), np.int64)
    assert connect_four.encode_states(setup, states).shape == (0, 2, 6, 7)


def test_states_share_a_setup_and_are_seen_by_the_given_players(connect_four):
    line = [position for seed in range(4) for position in [random_position(connect_four, seed, 9)]]
    states = np.stack([position.state for position in line])
    for players in ([0] * 4, np.array([0, 1, 1, 0], np.uint8)):
        planes = connect_four.encode_states(line[0].setup, states, players)
        for position, player, seen in zip(line, players, planes, strict=True):
            assert np.array_equal(seen, position.encode(int(player)))
    by_mover = connect_four.encode_states(line[0].setup, states)
    assert np.array_equal(by_mover, connect_four.encode(line))


def test_states_with_gaps_between_their_words_are_read_right(connect_four):
    line = [random_position(connect_four, seed, 9) for seed in range(4)]
    states = np.repeat(np.stack([position.state for position in line]), 2, axis=1)[:, ::2]
    assert not states.flags.c_contiguous
    assert np.array_equal(
        connect_four.encode_states(line[0].setup, states), connect_four.encode(line)
    )


def test_a_game_without_planes_of_its_own_is_seen_as_its_words(tic_tac_toe):
    assert tic_tac_toe.plane_shape == (65 * 4 + 2, 1, 1)
    position = tic_tac_toe.start().play(4).play(0).play(8)
    planes = tic_tac_toe.encode([position]).reshape(-1)
    for word, number in enumerate(position.state.tolist()):
        size, bits = planes[65 * word], planes[65 * word + 1 : 65 * (word + 1)]
        assert size == pytest.approx(np.log1p(number))
        assert sum(1 << at for at in np.flatnonzero(bits)) == number
    assert planes[-2:].tolist() == [0.0, 1.0]  # the second player is to move, and looks
    assert np.array_equal(position.encode(0).reshape(-1)[:-2], planes[:-2])


def test_words_that_are_hidden_are_not_shown():
    game = load_file(Path(__file__).parent / "games" / "small_games.py").Secret()
    first, second = (game.start().play(number) for number in (0, 2))
    assert np.array_equal(first.encode(1), second.encode(1))
    assert not np.array_equal(first.encode(0), second.encode(0))


def from_bits(planes):
    return (planes.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("spec", GAMES)
def test_inputs_are_planes_in_half_the_bits_and_the_actions_entries(spec):
    game = load_game(spec)
    line = positions(game)
    setups, states = (np.stack([getattr(p, words) for p in line]) for words in ("setup", "state"))
    inputs = network_inputs(game, setups, states)
    assert from_bits(inputs.planes) == pytest.approx(game.encode(line), rel=2**-8)
    for row, position in enumerate(line):
        count = len(position.legal_actions)
        assert inputs.counts[row] == count
        assert inputs.players[row] == position.player
        assert inputs.actions[row, :count].tolist() == list(position.legal_actions)
        assert (inputs.actions[row, count:] == -1).all()
        assert np.array_equal(inputs.entries[row, :count], game.policy_indices(position))
        assert not inputs.entries[row, count:].any()


@pytest.mark.parametrize("spec", GAMES)
def test_inputs_of_images_keep_the_order_of_the_positions_own_actions(spec):
    game = load_game(spec)
    line = positions(game)
    setups, states = (np.stack([getattr(p, words) for p in line]) for words in ("setup", "state"))
    symmetries = np.arange(len(line)) % game.facts.symmetries
    inputs = network_inputs(game, setups, states, symmetries)
    images = [p.images()[symmetry] for p, symmetry in zip(line, symmetries, strict=True)]
    planes = game.encode([image.position for image in images])
    assert from_bits(inputs.planes) == pytest.approx(planes, rel=2**-8)
    for row, (position, image) in enumerate(zip(line, images, strict=True)):
        count = len(position.legal_actions)
        assert inputs.actions[row, :count].tolist() == list(position.legal_actions)
        entries, legal = game.policy_indices(image.position), image.position.legal_actions
        order = [legal.index(image.actions[action]) for action in position.legal_actions]
        assert np.array_equal(inputs.entries[row, :count], entries[order])


def test_symmetries_that_a_game_does_not_have_are_refused(connect_four):
    position = connect_four.start()
    for wrong in ([2], [-1], [0, 1]):
        with pytest.raises(OptionError, match="must have a symmetry from 0 to 1"):
            network_inputs(connect_four, position.setup, position.state[np.newaxis], wrong)


def test_numbers_are_rounded_to_the_nearest_and_to_even(tic_tac_toe):
    states = np.zeros((2000, 4), np.int64)
    states[:, 2] = np.random.default_rng(0).integers(1 << 62, size=2000)
    states[1000:, 2] //= 1 << 50
    setup = tic_tac_toe.start().setup
    exact = encode_states(tic_tac_toe, setup, states).reshape(2000, -1)
    rounded = from_bits(network_inputs(tic_tac_toe, setup, states).planes).reshape(2000, -1)
    below = exact.view(np.uint32) >> 16
    lower, upper = (from_bits(bits).astype(np.float64) for bits in (below, below + 1))
    down, up = exact - lower, upper - exact
    nearest = np.where((down < up) | ((down == up) & (below % 2 == 0)), lower, upper)
    assert np.array_equal(rounded, nearest)
    assert (rounded < exact).any()
    assert (rounded > exact).any()


def test_a_game_that_is_over_has_no_actions(connect_four):
    position = connect_four.parse("7/7/7/7/ooo4/xxxx3")
    inputs = network_inputs(connect_four, position.setup, position.state[np.newaxis])
    assert inputs.counts.tolist() == [0]
    assert (inputs.actions == -1).all()


# Policy heads -----------------------------------------------------------------------------------


def entries(position):
    """Return each legal action's entries as (plane, row, column), by the action's text."""
    game = position.game
    return {
        position.format(action): [
            tuple(map(int, np.unravel_index(at, game.facts.policy))) for at in row
        ]
        for action, row in zip(position.legal_actions, game.policy_indices(position), strict=True)
    }


def test_a_game_without_a_policy_of_its_own_has_an_entry_for_each_action(tic_tac_toe):
    assert tic_tac_toe.facts.policy == (9, 1, 1)
    position = tic_tac_toe.start().play(4).play(0)
    assert tic_tac_toe.policy_indices(position).tolist() == [[1], [2], [3], [5], [6], [7], [8]]


def test_a_head_without_a_kernel_is_refused(tic_tac_toe):
    class Headless(type(tic_tac_toe)):
        name = "headless"

        def measure(self):
            facts = super().measure()
            return type(facts)(facts.players, 9, 9, 9, policy=(1, 3, 3))

    with pytest.raises(GameError, match="declares a policy head but has no kernel 'policy'"):
        Headless().prepare()


def test_a_stone_is_its_cell():
    position = load_game("connect_n(width=4, height=4)").parse("4/x3/o3/xo2")
    assert entries(position) == {
        "1": [(0, 0, 0)], "2": [(0, 2, 1)], "3": [(0, 3, 2)], "4": [(0, 3, 3)],
    }  # fmt: skip


def test_a_rider_is_asked_where_its_head_is():
    position = load_game("tron(map=small_room)").parse(
        "#######/#1....#/#.....#/#..2..#/#.....#/#.....#/####### 2"
    )
    assert entries(position) == {way: [(plane, 3, 3)] for plane, way in enumerate("UDLR")}


def test_a_robot_is_asked_where_it_is():
    game = load_game("robots(board=maze, width=5, height=4, robots=2)")
    position = game.parse("91113/80002/80002/c4446 yA1 gD4 g>B3 0")
    assert entries(position) == {
        "yE": [(1, 0, 0)], "yS": [(2, 0, 0)],
        "gN": [(0, 3, 3)], "gE": [(1, 3, 3)], "gW": [(3, 3, 3)],
    }  # fmt: skip


def test_sheep_are_asked_for_the_way_where_they_leave_and_for_the_number_where_they_stop():
    game = load_game("sheep(players=2, sheep=4, size=3, cells=7)")
    assert game.facts.policy == (13, 3, 3)
    placing = entries(game.parse("#../.../..# a"))
    assert placing["0,1"] == [(0, 1, 0), (12, 1, 0)]  # all four sheep
    moving = entries(game.parse("#../a3.b4/a.# a"))
    assert moving["0,1>6:2"] == [(5, 1, 0), (10, 1, 1)]
    assert moving["0,1>3:1"] == [(3, 1, 0), (9, 0, 1)]


def test_tokens_are_asked_for_the_move_where_they_leave_and_for_the_number_where_they_arrive():
    game = load_game("expendibots")
    assert game.facts.policy == (42, 8, 8)
    found = entries(game.parse("8/8/8/8/8/2C5/8/7a w 0"))
    boom, tokens = 0, 1 + 4 * 7
    assert found["boom-c3"] == [(boom, 5, 2), (tokens, 5, 2)]
    assert found["c3-b3"] == [(1, 5, 2), (tokens + 1, 5, 1)]
    assert found["2c3-f3"] == [(7 + 3, 5, 2), (tokens + 2, 5, 5)]
    assert found["3c3-c1"] == [(14 + 2, 5, 2), (tokens + 3, 7, 2)]
    assert found["c3-c6"] == [(21 + 3, 5, 2), (tokens + 1, 2, 2)]


@pytest.mark.parametrize("spec", GAMES)
def test_any_action_can_be_the_most_likely(spec):
    game = load_game(spec)
    for position in positions(game):
        rows = game.policy_indices(position)
        assert rows.shape == (len(position.legal_actions), game.facts.policy_parts)
        for number in Random(position.ply).sample(range(len(rows)), min(8, len(rows))):
            head = np.zeros(np.prod(game.facts.policy))
            head[rows[number]] = 1.0
            logits = head[rows].sum(axis=1)
            assert np.flatnonzero(logits == logits.max()).tolist() == [number]


def test_heads_are_much_smaller_than_the_actions_are_many():
    for spec in ("sheep", "expendibots"):
        facts = load_game(spec).facts
        assert 4 * np.prod(facts.policy) < facts.actions
