"""Hidden counts: a player's view does not reveal them, and guesses fit the view."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from naive_sheep import NaiveSheep

from plyground import Agent, Player, Thought, load_agent, load_game, play_game
from plyground.game.check import random_game
from plyground.games.sheep.notation import board_of

GAMES = [
    "sheep(hidden=True)",
    "sheep(hidden=True, teams=True, hex=True, size=8, cells=30, sheep=9)",
    "sheep(hidden=True, size=15, cells=100, sheep=32, players=3)",
]


def after(spec, seed, plies):
    """Return the position after so many random plies, or the end of the game."""
    line = list(random_game(load_game(spec), seed))
    return line[min(plies, len(line) - 1)]


some_hidden = some.builds(
    after,
    some.sampled_from(GAMES),
    some.integers(0, 999),
    some.integers(0, 90),
)


def stacks(position, player):
    """List a player's counts in reading order."""
    cells = (cell for row in board_of(position.setup, position.state) for cell in row)
    return [sheep for owner, sheep in cells if owner == player + 1]


def handed(view):
    """List all properties of the view that an agent gets."""
    return (
        view.state.tobytes(), view.setup.tobytes(), view.key, view.player, view.is_over,
        view.legal_actions, view.returns, view.to_text(), str(view), repr(view),
        view._repr_svg_(), view.previous, view.action, view.ply, len(view.line()),
        [view.encode(seat).tobytes() for seat in range(view.game.players)],
        [view.evaluate(each.name) for each in view.game.evaluators],
    )  # fmt: skip


@settings(max_examples=30)
@given(position=some_hidden, seed=some.integers(0, 2**32))
def test_positions_that_differ_in_hidden_counts_only_look_the_same(position, seed):
    for player in range(position.game.players):
        view = position.observe(player)
        other = view.determinize(seed)
        assert handed(other.observe(player)) == handed(view)


def test_the_positions_compared_do_differ():
    position = after(GAMES[0], 3, 30)
    view = position.observe(position.player)
    guesses = {view.determinize(seed).state.tobytes() for seed in range(50)}
    assert len(guesses) > 40


@given(position=some_hidden)
def test_own_counts_are_seen_and_no_others(position):
    for player in range(position.game.players):
        view = position.observe(player)
        for other in range(position.game.players):
            shown = stacks(view, other)
            assert shown == stacks(position, other) if other == player else not any(shown)
            text = view.to_text().split(" ")[0]
            letter = "abcd"[other]
            assert text.count(f"{letter}?") == (0 if other == player else text.count(letter))


@given(position=some_hidden)
def test_planes_show_a_seat_no_more_than_its_view_does(position):
    for player in range(position.game.players):
        whole, seen = position.encode(player), position.observe(player).encode(player)
        assert whole.tobytes() == seen.tobytes()
        assert not seen[3 : 2 * position.game.players : 2].any()


def test_in_a_match_agents_are_handed_views_only():
    seen = []

    class Listener(Player):
        def think(self, position, limit=None, seed=None):
            seen.append(position)
            return super().think(position, limit, seed)

    class Spy(Agent):
        """Keep the views that it gets, and play at random."""

        name = "spy"

        def player(self, game, seat, seed, *, ponder):
            return Listener(self, game, seat, seed)

        def choose(self, position, limit, seed):
            assert 0 not in stacks(position, position.player)
            return Thought(Random(seed).choice(position.legal_actions))

    record = play_game(load_game(GAMES[0]), [Spy()] * 4, seed=5)
    assert record.ending == "finished"
    assert len(seen) == len(record.actions)
    for view in seen:
        others = [player for player in range(4) if player != view.player]
        assert not any(sheep for player in others for sheep in stacks(view, player))
        assert view.previous is None


@pytest.mark.parametrize("spec", GAMES)
def test_every_agent_plays_with_hidden_counts(spec):
    agents = [load_agent("random"), load_agent("greedy"), load_agent("mcts(simulations=20)")]
    players = load_game(spec).players
    record = play_game(load_game(spec), [*agents, agents[0]][:players], seed=2)
    assert record.ending == "finished"


# Guesses ----------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(position=some_hidden, seed=some.integers(0, 2**32))
def test_a_guess_is_a_position_that_could_be(position, seed):
    game = position.game
    for player in range(game.players):
        guess = position.observe(player).determinize(seed)
        assert guess.player == position.player
        assert guess.is_over == position.is_over
        assert stacks(guess, player) == stacks(position, player)
        for other in range(game.players):
            counts = stacks(guess, other)
            assert len(counts) == len(stacks(position, other))
            assert not counts or (sum(counts) == game.sheep and min(counts) >= 1)
        assert guess.is_over or guess.legal_actions
        assert game.parse(guess.to_text()) == guess


@settings(max_examples=30)
@given(spec=some.sampled_from(GAMES), seed=some.integers(0, 2**32))
def test_a_guess_can_be_played_to_the_end(spec, seed):
    position = after(spec, seed, seed % 50)
    position = position.observe(seed % position.game.players).determinize(seed)
    random = Random(seed)
    while not position.is_over:
        position = position.play(random.choice(position.legal_actions))
    assert position.ply <= position.game.facts.longest


def test_who_has_passed_is_guessed_to_be_stuck():
    """Everyone sees who passes; such a player cannot move again, so guesses give it no move."""
    found = 0
    for seed in range(25):
        line = list(random_game(load_game(GAMES[0]), seed))
        passed = set()
        for before, position in pairwise(line[3:]):
            step = before.player
            while not position.is_over and (step := (step + 1) % 4) != position.player:
                passed.add(step)
            naive = NaiveSheep.from_text(
                position.observe(position.player).determinize(seed).to_text(), position.game
            )
            assert all(not naive.moves(player) for player in passed)
            found += len(passed)
    assert found > 100


def test_every_way_to_spread_the_sheep_is_as_likely_as_the_others():
    """There are 6 ways to place 5 sheep on 3 cells; it is a's turn, and b's counts are guessed."""
    game = load_game("sheep(hidden=True, players=2, size=4, cells=16, sheep=5)")
    view = game.parse("a3.../a..b/..b./a..b3 a").observe(0)
    ways = Counter(tuple(stacks(view.determinize(seed), 1)) for seed in range(6000))
    assert len(ways) == 6
    assert all(850 < times < 1150 for times in ways.values())


def test_before_the_first_split_there_is_nothing_to_guess():
    position = load_game(GAMES[0]).start(1)
    while position.ply < 4:
        position = position.play(position.legal_actions[0])
        for player in range(4):
            assert position.observe(player).determinize(9) == position


def test_open_games_hide_nothing_and_keep_their_past():
    position = after("sheep", 1, 9)
    assert position.observe(0) is position
    assert position.observe(0).previous is not None


def test_a_view_reads_back_from_its_text():
    for position in random_game(load_game(GAMES[1]), 4):
        for player in range(4):
            view = position.observe(player)
            assert position.game.parse(view.to_text()) == view
