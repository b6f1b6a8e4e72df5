"""The sequential test: its error rates, its length, and ratios known from elsewhere."""

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from plyground import PlygroundError
from plyground.arena.sprt import (
    SCORES,
    UNSEEN,
    Sprt,
    Trial,
    _likelihood,
    difference,
    expected,
    run_trial,
)

RUNS = 1000


class Played(NamedTuple):
    number: int
    entrants: tuple[int, int]
    returns: tuple[float, float]


def pair_chances(elo, draws, first_seat):
    """Return the probabilities of the five results if games depend only on who moves first."""
    chances = np.zeros(5)
    games = []
    for lean in (first_seat, -first_seat):
        score = expected(elo) + lean
        games.append([1 - score - draws / 2, draws, score - draws / 2])
    for one, chance in enumerate(games[0]):
        for two, other in enumerate(games[1]):
            chances[one + two] += chance * other
    assert chances @ SCORES == pytest.approx(expected(elo))
    return chances


def simulated(sprt, chances, random):
    """Simulate tests in parallel; return the share that accept H1 and their numbers of pairs."""
    counts, pairs, accepted = np.zeros((RUNS, 5)), np.zeros(RUNS), np.zeros(RUNS, bool)
    lower, upper = sprt.bounds
    going = np.arange(RUNS)
    while len(going):
        counts[going, random.choice(5, len(going), p=chances)] += 1
        pairs[going] += 1
        ratio = sprt.ratio(counts[going])
        accepted[going[ratio >= upper]] = True
        going = going[(lower < ratio) & (ratio < upper)]
    return accepted.mean(), pairs.mean()


SHAPES = [(0.0, 0.0), (0.4, 0.0), (0.1, 0.35)]
"""The share of draws, and the first seat's advantage in score."""


@pytest.mark.parametrize(("draws", "first_seat"), SHAPES)
@pytest.mark.parametrize("true", ["elo0", "elo1"])
def test_errors_are_as_rare_and_tests_as_long_as_promised(true, draws, first_seat):
    sprt = Sprt(0, 60, alpha=0.05, beta=0.1)
    chances = pair_chances(getattr(sprt, true), draws, first_seat)
    accepted, pairs = simulated(sprt, chances, np.random.default_rng(7))
    wrong, allowed = (accepted, 0.05) if true == "elo0" else (1 - accepted, 0.1)
    assert wrong <= allowed + 2.5 * np.sqrt(allowed * (1 - allowed) / RUNS)
    assert wrong > allowed / 5  # a test that is never wrong plays too long
    score = chances @ SCORES
    wald = sprt.expected_pairs(score, chances @ (SCORES - score) ** 2)
    # Wald's figure ignores by how much the last pair passes the bound.
    assert 0.9 < pairs / wald < 1.25


def test_pairs_need_fewer_games_where_the_first_seat_decides():
    sprt = Sprt(0, 20)
    lengths = []
    for first_seat in (0.0, 0.45):
        chances = pair_chances(0, 0.0, first_seat)
        lengths.append(sprt.expected_pairs(0.5, chances @ (SCORES - 0.5) ** 2))
    assert lengths[1] < lengths[0] / 4


def test_the_ratio_of_won_and_lost_games_alone_is_walds():
    """With two results the mean determines the probabilities."""
    sprt = Sprt(0, 50)
    won, lost = 70, 55
    score = expected(50)
    classic = won * np.log(score / 0.5) + lost * np.log((1 - score) / 0.5)
    assert sprt.ratio(np.array([lost, 0, 0, 0, won])) == pytest.approx(classic, abs=0.01)


def test_the_ratio_agrees_with_the_normal_approximation_on_many_pairs():
    counts = np.array([100, 2000, 5000, 2500, 200])
    pairs, shares = counts.sum(), counts / counts.sum()
    score = shares @ SCORES
    low, high = expected(0), expected(3)
    normal = pairs * (high - low) * (2 * score - low - high) / (shares @ (SCORES - score) ** 2) / 2
    assert Sprt(0, 3).ratio(counts) == pytest.approx(normal, rel=0.01)


COUNTS = some.lists(some.integers(0, 2000), min_size=5, max_size=5).map(np.array)


@given(COUNTS.filter(np.any), some.integers(0, 2**32), some.floats(-300, 300))
def test_no_chances_with_the_given_mean_are_likelier(counts, seed, elo):
    counts = np.maximum(counts, UNSEEN)
    (best,) = _likelihood(counts, [expected(elo)]) + counts @ np.log(counts / counts.sum())
    chances = np.random.default_rng(seed).dirichlet(np.ones(5), 20)
    for other in chances:
        end = 0 if other @ SCORES > expected(elo) else 4  # towards which its mean must move
        share = (expected(elo) - SCORES[end]) / (other @ SCORES - SCORES[end])
        other = share * other + (1 - share) * np.eye(5)[end]
        assert other @ SCORES == pytest.approx(expected(elo))
        assert np.sum(counts * np.log(other)) <= best + 1e-6


@given(COUNTS)
def test_who_is_a_and_who_is_b_makes_no_difference(counts):
    ratio = Sprt(-10, 40).ratio(counts)
    assert ratio == pytest.approx(-Sprt(-40, 10).ratio(counts[::-1]), abs=1e-6)


def games(numbers, results):
    """Return games in which A scores these half points, 0 to 2; A moves first in even ones."""
    for number in numbers:
        gained = results[number] - 1.0
        seats = (0, 1) if number % 2 == 0 else (1, 0)
        yield Played(number, seats, (gained, -gained) if seats[0] == 0 else (-gained, gained))


def test_pairs_are_counted_in_the_order_of_their_numbers():
    random = np.random.default_rng(1)
    results = random.choice(3, 400, p=[0.2, 0.3, 0.5])
    sprt = Sprt(0, 60)
    in_turn = list(run_trial(sprt, games(range(400), results)))
    assert in_turn[-1].verdict == "H1"
    assert all(trial.verdict is None for trial in in_turn[:-1])
    assert [trial.pairs for trial in in_turn] == list(range(1, len(in_turn) + 1))
    by_hand = np.bincount(results[: 2 * len(in_turn)].reshape(-1, 2).sum(1), minlength=5)
    assert list(in_turn[-1].counts) == by_hand.tolist()
    mixed = np.concatenate([random.permutation(np.arange(at, at + 40)) for at in range(0, 400, 40)])
    assert list(run_trial(sprt, games(mixed, results))) == in_turn


def test_a_test_that_runs_out_of_games_has_no_verdict():
    trials = list(run_trial(Sprt(0, 5), games(range(21), [2, 0, 1] * 7)))
    assert len(trials) == 10
    assert trials[-1].verdict is None
    assert trials[-1].games_left > 100
    assert list(run_trial(Sprt(), [])) == []


def test_a_trial_tells_score_and_elo():
    trial = Trial(Sprt(0, 10), (10, 20, 30, 60, 80))
    assert trial.score == pytest.approx((5 + 15 + 45 + 80) / 200)
    low, middle, high = trial.elo
    assert middle == pytest.approx(difference(trial.score))
    reach = 1.96 * np.sqrt(trial.variance / 200)
    assert expected(high) - trial.score == pytest.approx(reach)
    assert trial.score - expected(low) == pytest.approx(reach)
    output = json.loads(json.dumps(Trial(Sprt(), (0, 0, 0, 0, 9)).to_json(), allow_nan=False))
    assert output["elo"][1] is None
    assert output["games"] == 18


def test_elo_and_score_convert_into_each_other():
    assert expected(0) == 0.5
    assert expected(400) == pytest.approx(10 / 11)
    assert difference(0.75) == pytest.approx(190.85, abs=0.01)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"elo0": 5, "elo1": 5}, r"elo0 \(5\) must be below elo1 \(5\)"),
        ({"elo0": 0, "elo1": float("nan")}, "must be below"),
        ({"elo0": 0, "elo1": float("inf")}, "must be below"),
        ({"alpha": 0}, "alpha must be between 0 and 0.5, not 0"),
        ({"beta": 0.7}, "beta must be"),
    ],
)
def test_senseless_tests_are_refused(options, complaint):
    with pytest.raises(PlygroundError, match=complaint):
        Sprt(**options)
