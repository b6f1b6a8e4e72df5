"""Learning: gradient descent on sums equals that on the examples, and SARSA learns."""

import numpy as np
import pytest

from plyground import load_agent, load_game
from plyground.arena.match import play_match
from plyground.games.tron.senses import senses
from plyground.learn.regression import Averages, descend
from plyground.learn.sarsa import Sarsa

# Regression -------------------------------------------------------------------------------------


@pytest.fixture
def examples():
    random = np.random.default_rng(1)
    numbers = random.integers(0, 2, (5000, 6)).astype(np.float32)
    return numbers, np.sign(numbers @ [1, -2, 0.5, 0, 0, 1] + random.normal(size=5000))


def test_averages_give_the_error_and_the_steps_of_the_examples(examples):
    numbers, labels = examples
    averages = Averages.of(numbers, labels)
    weights = np.zeros(6)
    for found in descend(averages, 0.1, 50):
        assert found == pytest.approx(weights)
        assert averages.error(found) == pytest.approx(np.mean((numbers @ weights - labels) ** 2))
        weights = weights - 0.1 * numbers.T @ (numbers @ weights - labels) / len(labels)


def test_views_are_averaged_as_if_each_were_an_example(examples):
    numbers, labels = examples
    views = [
        (np.arange(6), np.ones(6), 1),
        (np.arange(6)[::-1], np.array([1, 1, 1, -1, -1, -1]), -1),
    ]
    seen = Averages.of(numbers, labels).seen_as(views)
    rows = np.concatenate([numbers[:, order] * signs for order, signs, _ in views])
    plain = Averages.of(rows, np.concatenate([labels * label for *_, label in views]))
    assert seen.examples == plain.examples
    assert seen.squares == pytest.approx(plain.squares)
    assert seen.products == pytest.approx(plain.products)
    assert seen.labels == plain.labels


def test_descent_tends_to_the_least_squares(examples):
    numbers, labels = examples
    *_, last = descend(Averages.of(numbers, labels), 0.3, 2000)
    assert last == pytest.approx(np.linalg.lstsq(numbers, labels)[0], abs=1e-4)


def test_descent_climbs_above_the_highest_rate_only(examples):
    averages = Averages.of(*examples)
    for share, falls in ((0.98, True), (1.05, False)):
        *_, last = descend(averages, share * averages.fastest, 400)
        assert (averages.error(last) < 1) == falls


# SARSA ------------------------------------------------------------------------------------------


def test_an_error_reaches_earlier_actions_fainter():
    rider = Sarsa(senses, rate=0.5, decay=0.5, explore=0.0)
    traces = {}
    rider._update(traces, ("first", 0), 0.0)
    rider._update(traces, ("second", 1), 0.0)
    rider._update(traces, ("third", 2), 1.0)
    assert rider.values == {("first", 0): 0.125, ("second", 1): 0.25, ("third", 2): 0.5}
    rider._update({}, ("third", 2), 1.0)
    assert rider.values["third", 2] == 0.75


def test_a_learner_that_crashes_tries_another_action_next_time():
    game = load_game("tron(map=room, width=7, height=3)")
    rider, opponent = Sarsa(senses, explore=0.0), load_agent("rule(by=safe)")
    for episode in range(8):
        rider.learn(game, [opponent], range(episode, episode + 1), seed=0)
    start = game.parse("#######/#1...2#/####### 1")
    assert start.format(rider.agent().think(start).action) == "R"
    assert all(-1 <= value <= 1 for value in rider.values.values())


def test_a_rider_learns_to_beat_chance_and_the_same_for_a_seed():
    game, chance = load_game("tron(map=small_room)"), load_agent("random")

    def taught(episodes):
        rider = Sarsa(senses, explore=0.05)
        rider.learn(game, [chance], range(episodes), seed=2)
        return rider

    def wins(rider):
        records = play_match(game, [rider.agent(), chance], 40, opening=0)
        return sum(record.returns[record.entrants.index(0)] > 0 for record in records)

    rider = taught(400)
    assert wins(taught(0)) <= 24
    assert wins(rider) >= 30
    assert taught(50).values == taught(50).values
    assert len(rider.values) < 1000
