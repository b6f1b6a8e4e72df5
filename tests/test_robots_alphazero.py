"""The original study's AlphaZero for Robot Reboot: its search, its planes, its iterations."""

from math import log, sqrt

import jax
import numpy as np
import pytest

from plyground import load_game
from plyground.games.robots.sliding import FIRST, HOUSE, STRIDE, TARGET
from plyground.learn.starts import Starts
from plyground.studies import _robots_network as networks
from plyground.studies._robots_iterations import Iterations, Sizes, split
from plyground.studies._robots_search import play_all, search_all

GAME = load_game("robots(cap=6)")


@pytest.fixture(scope="module")
def starts():
    return Starts(GAME, 5).take(8)[1:]


def guess(states):
    """Return a p for every action that depends on the robots' cells."""
    mixed = states[:, FIRST:].astype(np.float32) @ np.float32([[0.37], [0.11], [0.53], [0.71]])
    return np.sin(mixed + 1.7 * np.arange(16, dtype=np.float32)) / 2


def naive_search(position, playouts, guided):
    """Return the value of every action, searched as the study describes it, state by state."""
    visits, wins, predicted = {}, {}, {}
    values = np.zeros(16)
    for action in position.legal_actions:
        won = 0
        for _ in range(playouts):
            at, path = position.play(action), []
            while not at.is_over:
                key = tuple(at.state[FIRST:].tolist())
                if key not in visits:
                    visits[key], wins[key] = [0] * 16, [0] * 16
                    predicted[key] = guess(at.state[np.newaxis])[0] if guided else np.zeros(16)
                spread = sqrt(log(len(visits)))

                def value(action, key=key, spread=spread):
                    n = visits[key][action]
                    mean = wins[key][action] / n if n else 0.0
                    bound = mean + 0.4 * spread / sqrt(n or 1e-5)
                    return float(predicted[key][action]) + 0.35 * bound

                best = max(reversed(at.legal_actions), key=value)
                visits[key][best] += 1
                path.append((key, best))
                at = at.play(best)
            result = at.returns[0] > -1
            won += result
            for key, best in path:
                wins[key][best] += result
        values[action] = won / playouts
    return values


@pytest.mark.parametrize("guided", [False, True])
def test_the_search_is_the_one_that_the_study_describes(starts, guided):
    setups, states = starts
    evaluate = (lambda games, states: guess(states)) if guided else None
    values = search_all(GAME, setups, states, 6, evaluate, rows=2, threads=2)
    for setup, state, found in zip(setups, states, values, strict=True):
        assert found == pytest.approx(naive_search(GAME.position(setup, state), 6, guided))
    assert 0 < values.mean() < 1


def test_uct_solves_about_as_many_near_starts_as_the_original():
    game = load_game("robots")
    _, setups, states = Starts(game, 0).take(40)
    scores = play_all(
        game, setups, states, lambda games, states: search_all(game, setups[games], states, 50)
    )
    assert 18 <= (scores > -20).sum() <= 31  # 37 of 60 were; this is the 95% interval for 40


def test_planes_show_walls_robots_and_the_house(starts):
    setups, states = starts
    games = np.array([3, 0])
    boards = networks.boards_of(setups)
    robots = networks.robots_of(states[games])
    planes = np.asarray(jax.jit(networks.planes_of)(boards, games, robots))
    assert planes.shape == (2, 31, 31, 9)
    for game, drawn in zip(games, planes, strict=True):
        north, _, _, west = GAME.encode([GAME.position(setups[game], states[game])])[0, :4]
        assert np.array_equal(drawn[1::2, ::2, 0], north[1:])
        assert np.array_equal(drawn[::2, 1::2, 0], west[:, 1:])
        assert not drawn[1::2, 1::2].any()
        for robot in range(4):
            row, column = divmod(states[game, FIRST + robot], STRIDE)
            assert np.argwhere(drawn[..., 1 + 2 * robot]).tolist() == [[2 * row, 2 * column]]
            row, column = divmod(setups[game, HOUSE], STRIDE)
            house = [[2 * row, 2 * column]] * int(robot == setups[game, TARGET])
            assert np.argwhere(drawn[..., 2 + 2 * robot]).tolist() == house


def test_the_split_is_that_of_the_original():
    wins = np.arange(5000) < 1001
    training, validation = split(wins, seed=0)
    assert sorted([*training, *validation]) == list(range(5000))
    assert [wins[part].sum() for part in (training, validation)] == [701, 300]
    assert [len(part) for part in (training, validation)] == [2799 + 701, 1200 + 300]


class Stopped(Exception):
    """Raised where a run is to be interrupted."""


def test_an_interrupted_run_goes_on_to_the_same_end(starts, tmp_path):
    sizes = Sizes(samples=8, playouts=1, epochs=3, batch=4, iterations=2)
    made = []

    def stop(text):
        made.append(text)
        if text.startswith("f2, epoch 2"):
            raise Stopped

    with pytest.raises(Stopped):
        Iterations(GAME, *starts, sizes, folder=tmp_path, progress=stop).run()
    again = Iterations(GAME, *starts, sizes, folder=tmp_path, progress=made.append)
    made.clear()
    again.run()
    assert not any(text.startswith("f1") or "searched" in text for text in made)
    whole = Iterations(GAME, *starts, sizes)
    whole.run()
    assert again.rounds == whole.rounds
    assert again.play_searching("UCT", None) == whole.play_searching("UCT", None)
    assert not list(tmp_path.glob("samples-*"))
