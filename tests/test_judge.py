"""The commands that say who is stronger, as a person or a script meets them."""

import json

import pytest


def test_a_sequential_test_stops_by_itself(run):
    code, out, err = run("sprt", "connect_n", "greedy", "random", "--elo1", "100")
    assert (code, err) == (0, "")
    assert "A = greedy, B = random" in out
    assert "accepted: A is 100 Elo stronger, rather than 0" in out
    _, out, _ = run("sprt", "connect_n", "random", "greedy", "--elo1", "100")
    assert "accepted: A is 0 Elo stronger, rather than 100" in out


def test_a_sequential_test_is_told_to_machines_and_can_be_repeated(run):
    command = ("sprt", "connect_n", "greedy", "random", "--elo0=50", "--elo1=150", "--seed=3")
    told = [json.loads(run(*command, "--json")[1]) for _ in range(2)]
    assert told[0] == told[1]
    assert told[0]["verdict"] == "H1"
    assert told[0]["games"] == 2 * sum(told[0]["pairs"])
    assert told[0]["ratio"] >= told[0]["bounds"][1]
    assert told[0]["agents"] == ["greedy", "random"]


def test_a_sequential_test_gives_up(run):
    code, out, _ = run("sprt", "connect_n", "random", "random", "--max-games", "7")
    assert code == 0
    assert "not decided" in out


def test_few_starts_are_pointed_out(run):
    players = "alphabeta(depth=1)", "alphabeta(depth=2)"
    limits = "--opening", "1", "--max-games", "60", "--elo1", "1"
    _, _, err = run("sprt", "connect_n", *players, *limits)
    assert "of the games repeat an earlier one" in err
    assert "--opening of more than 1 plies" in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("robots", "random", "random"), "robots is played by 1; a test of A and B needs two"),
        (("sheep", "random", "random"), "sheep is played by 4; a test of A and B needs two"),
        (("tron", "random", "random", "--elo1", "-5"), "elo0 (0.0) must be below elo1 (-5.0)"),
        (("tron", "random", "random", "--alpha", "2"), "alpha must lie between 0 and 0.5"),
        (("tron", "random", "radnom"), "did you mean 'random'"),
    ],
)
def test_senseless_tests_are_refused_in_one_line(run, arguments, complaint):
    code, out, err = run("sprt", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
