"""Self-play: whole games by the rules, the same with any number of threads."""

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from naive_search import network, uniform

from plyground import load_game
from plyground.arithmetic import derive_seed
from plyground.errors import GameError, OptionError
from plyground.inference.cache import EvaluationCache
from plyground.learn.selfplay import SelfPlay
from plyground.learn.starts import Starts
from plyground.registry import load_file
from plyground.search.forest import Gumbel, Puct

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")

GAMES = [
    load_game("connect_n(width=4, height=4, n=3)"),
    load_game("robots(board=maze, width=5, height=5, robots=2, cap=6)"),  # one player
    load_game("robots(board=maze, width=5, height=5, robots=2, cap=4, rounds=2)"),  # hidden draws
    load_game("sheep(hidden=true, players=4, size=6, cells=24, sheep=3)"),
    load_game("sheep(teams=true, size=6, cells=24, sheep=3)"),
    load_game("tron(map=small_room, simultaneous=True)"),
    SMALL.Race(players=3, heap=5),
    SMALL.Secret(),
    SMALL.Ring(),  # ended by repetition
]


def play(game, positions=60, evaluate=None, **more):
    settings = {"games": 8, "simulations": 6, "seed": 3} | more
    return SelfPlay(game, evaluate or network(game), **settings).play(positions)


def by_game(samples):
    """Yield the rows of each game."""
    for number in range(len(samples.setups)):
        yield np.flatnonzero(samples.game == number)


def last_action(position, after):
    """Return the actions that lead from a position to a state."""
    return [
        action
        for action in position.legal_actions
        if np.array_equal(position.play(action).state, after)
    ]


# What is played -----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("rule", [Gumbel(), Puct(noise=0.25, drawn=4)], ids=["gumbel", "puct"])
def test_samples_are_whole_games_by_the_rules(game, rule):
    samples = play(game, rule=rule)
    assert len(samples.game) >= 60
    for rows in by_game(samples):
        position = game._trusted(samples.setups[samples.game[rows[0]]], samples.states[rows[0]])
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            assert np.array_equal(position.state, samples.states[row])
            assert samples.players[row] == position.player
            count = len(position.legal_actions)
            assert samples.actions[row, :count].tolist() == list(position.legal_actions)
            assert (samples.actions[row, count:] == -1).all()
            assert samples.policy[row].sum() == pytest.approx(1.0)
            assert not samples.policy[row, count:].any()
            if following is not None:
                (action,) = last_action(position, samples.states[following])
                position = position.play(action)
        ends = [position.play(action) for action in position.legal_actions]
        got = tuple(samples.values[rows[0]].tolist())
        assert got in [pytest.approx(end.returns) for end in ends if end.is_over]
        assert (samples.values[rows] == samples.values[rows[0]]).all()


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_threads_change_nothing(game):
    one, two = (play(game, threads=threads, groups=4) for threads in (1, 3))
    for name, left, right in zip(one._fields, one, two, strict=True):
        assert np.array_equal(left, right), name
    other = play(game, seed=4)
    assert len(other.game) != len(one.game) or (other.policy != one.policy).any()


@pytest.mark.parametrize("memory", [2**20, 0], ids=["roomy", "full"])
@pytest.mark.parametrize("game", GAMES[:5], ids=str)
def test_a_table_of_evaluations_changes_no_game(game, memory):
    cache = EvaluationCache(network(game), memory)
    plain, cached = play(game), play(game, evaluate=cache)
    for name, left, right in zip(plain._fields, plain, cached, strict=True):
        assert np.array_equal(left, right), name


def test_equal_inputs_are_evaluated_once():
    game, seen = GAMES[0], []

    def evaluate(planes, entries):
        seen.extend(row.tobytes() for row in planes)
        return network(game)(planes, entries)

    cache = EvaluationCache(evaluate)
    playing = SelfPlay(game, cache, games=8, simulations=6, groups=1)
    playing.play_out(60)
    assert len(seen) == len(set(seen)) == cache.evaluated < playing.evaluations / 2


def test_games_that_are_played_out_are_all_there():
    """Also the long ones: the games are the first ones of their seeds, none is missing."""
    game = GAMES[0]
    playing = SelfPlay(game, network(game), games=8, simulations=4, seed=3)
    samples = playing.play_out(100)
    assert samples.size >= 100
    assert playing.games == len(samples.seeds) == len(set(samples.seeds.tolist()))
    dealt = [derive_seed(derive_seed(3, -1), number) for number in range(len(samples.seeds))]
    assert sorted(samples.seeds.tolist()) == sorted(dealt)
    assert playing.evaluations < 5 * samples.size + 8 * 5  # nothing is asked about empty places


def test_first_plies_differ_from_game_to_game():
    game = load_game("connect_n")
    samples = play(game, 2000, uniform(game), games=64, simulations=8)
    sixth = [samples.states[rows[6]] for rows in by_game(samples) if len(rows) > 6]
    assert len(np.unique(sixth, axis=0)) > 0.9 * len(sixth)


def test_play_goes_on_where_it_stopped():
    game = GAMES[0]
    whole, parts = (SelfPlay(game, network(game), games=8, simulations=4) for _ in range(2))
    first, then = parts.play(40), parts.play(40)
    again = whole.play(len(first.game) + len(then.game))
    assert np.array_equal(again.states, np.concatenate([first.states, then.states]))
    assert parts.games == whole.games == len(again.setups)
    assert parts.evaluations == whole.evaluations > 5 * len(again.game)


def test_every_game_has_a_start_of_its_own_or_the_given_one():
    game = load_game("robots(board=maze, width=5, height=5, robots=2, cap=6)")
    samples = play(game, 100)
    assert len(np.unique(samples.setups, axis=0)) > len(samples.setups) / 2
    start = game.start(17)
    samples = play(game, 100, start=lambda seed: start)
    assert (samples.setups == start.setup).all()
    for rows in by_game(samples):
        assert np.array_equal(samples.states[rows[0]], start.state)


def test_it_does_not_matter_who_deals_the_starts():
    game = load_game("robots(board=maze, width=5, height=5, robots=2, cap=6)")
    alone = play(game, 300)
    with ProcessPoolExecutor(2, get_context("spawn")) as dealers:
        helped = play(game, 300, dealers=dealers)
    for name, left, right in zip(alone._fields, alone, helped, strict=True):
        assert np.array_equal(left, right), name


def test_starts_come_in_order_however_many_are_taken():
    game = load_game("robots(board=maze, width=5, height=5, robots=2)")
    wanted = [game.start(derive_seed(9, number)) for number in range(90)]
    with ThreadPoolExecutor(2) as dealers:
        for starts in (Starts(game, 9), Starts(game, 9, None, dealers, ahead=40)):
            taken = [starts.take(count) for count in (1, 0, 50, 39)]
            states = np.concatenate([dealt.states for dealt in taken])
            assert np.array_equal(states, [position.state for position in wanted])
            setups = np.concatenate([dealt.setups for dealt in taken])
            assert np.array_equal(setups, [position.setup for position in wanted])


def test_hidden_games_are_searched_in_guesses():
    """The second player cannot know the first one's number, so it guesses each as often."""
    game = SMALL.Secret()
    samples = play(game, 4000, uniform(game), games=64, simulations=32)
    guesses = samples.policy[samples.players == 1].mean(0)
    assert guesses == pytest.approx(1 / 3, abs=0.05)
    won = samples.values[samples.players == 1][:, 1] > 0
    assert won.mean() == pytest.approx(1 / 3, abs=0.06)


def test_search_improves_on_a_network_that_knows_nothing():
    game = load_game("robots(board=maze, width=5, height=5, robots=2, cap=6)")
    results = []
    for simulations in (0, 8):
        samples = play(game, 1000, uniform(game), games=64, simulations=simulations)
        results.append(np.mean([samples.values[rows[0], 0] for rows in by_game(samples)]))
    assert results[1] > results[0] + 0.15


PLAIN = """
from test_selfplay import GAMES, play

samples = play(GAMES[0], 10, games=4, simulations=4)
print(samples.states.tolist(), samples.policy.tolist())
"""


def test_without_the_compiler_the_same_is_played(fresh_python):
    samples = play(GAMES[0], 10, games=4, simulations=4)
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    plain = fresh_python(PLAIN, NUMBA_DISABLE_JIT="1", PYTHONPATH=paths)
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == f"{samples.states.tolist()} {samples.policy.tolist()}\n"


# What is refused ----------------------------------------------------------------------------------


def test_a_game_that_is_longer_than_it_says_is_refused():
    class Endless(SMALL.Race):
        name = "endless"

        def measure(self):
            return type(super().measure())(players=self.players, actions=3, branching=3, longest=2)

    with pytest.raises(GameError, match="more than its longest=2 plies"):
        play(Endless(players=2, heap=30), simulations=0)


def test_what_does_not_fit_is_refused():
    game = GAMES[0]
    for games in (0, 3):
        with pytest.raises(OptionError, match=f"games={games}: a multiple of the 2 groups"):
            SelfPlay(game, network(game), games=games)
    with pytest.raises(OptionError, match="is no first position of"):
        play(game, start=load_game("connect_n").start)
