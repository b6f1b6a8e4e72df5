"""Openings: random ones do not change, even ones are fair, and a run keeps its rule."""

import json
from itertools import islice
from statistics import mean, median

import pytest

from plyground import Tournament, load_agent, load_game, play_game
from plyground.arena import opening
from plyground.arena.match import start_seed
from plyground.arena.opening import EVEN, RANDOM, TRIES, default_rule, judged, open_game
from plyground.arena.plan import new_plan
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.errors import OptionError

BEFORE = [
    ("connect_n", 1, 4, (3, 1, 4, 3)),
    ("connect_n(width=4, height=4, n=3)", 5, 12, (1, 0, 2, 3, 0, 2, 0, 1)),
    ("expendibots", 7, 2, (2500, 48)),
    ("tron", 3, 4, (0, 0, 0, 2)),
    ("sheep", 2, 6, (80, 73, 50, 48, 9786, 8911)),
    ("robots", 1, 3, ()),
]
"""Random openings by seed, as before opening rules existed."""

TWO_PLAY = ("connect_n", "expendibots", "tron", "tron(simultaneous=True)", "sheep(players=2)")


def actions(position):
    return tuple(each.action for each in position.line()[1:])


def openings(spec, plies, rule, count):
    game = load_game(spec)
    return [open_game(game, start_seed(0, number), plies, rule) for number in range(count)]


@pytest.mark.parametrize(("spec", "seed", "plies", "played"), BEFORE)
def test_random_openings_are_those_of_earlier_versions(spec, seed, plies, played):
    assert actions(open_game(load_game(spec), seed, plies)) == played


def test_a_plan_without_a_rule_is_the_plan_it_was():
    plan = Tournament("connect_n", ("random", "greedy"), games=6, seed=3)
    assert plan.opening_rule == RANDOM
    assert plan.digest == "4857531598311f8cfaeca7bf026ac52e"  # from a version without opening rules
    assert plan.ruled(EVEN).digest != plan.digest
    assert plan.ruled(EVEN).changed()["opening_rule"] == EVEN


@pytest.mark.parametrize("plies", [2, 4])
def test_even_openings_lose_no_tokens(plies):
    def tokens_apart(position):
        board = position.to_text().split()[0]
        white = sum(ord(stack) - 64 for stack in board if stack.isupper())
        black = sum(ord(stack) - 96 for stack in board if stack.islower())
        return abs(white - black)

    unfair = {
        rule: sum(tokens_apart(each) >= 4 for each in openings("expendibots", plies, rule, 60))
        for rule in (RANDOM, EVEN)
    }
    assert unfair[RANDOM] >= 15
    assert unfair[EVEN] == 0


@pytest.mark.parametrize("spec", TWO_PLAY)
def test_a_deeper_search_finds_them_evener_too(spec):
    deeper = load_agent("alphabeta(depth=4, step=2, quiet=4)")
    values = {
        rule: [deeper.think(each).value for each in openings(spec, 4, rule, 30)]
        for rule in (RANDOM, EVEN)
    }
    usual = median(values[RANDOM])
    apart = {rule: mean(abs(value - usual) for value in values[rule]) for rule in values}
    assert apart[EVEN] < apart[RANDOM] / 1.5


@pytest.mark.parametrize("spec", TWO_PLAY)
def test_even_openings_are_varied_repeatable_and_of_the_length_asked_for(spec):
    found = openings(spec, 4, EVEN, 20)
    opening._even_actions.cache_clear()
    assert openings(spec, 4, EVEN, 20) == found
    assert {each.ply for each in found} == {4}
    assert len({actions(each) for each in found}) >= 12


def test_where_nothing_is_even_the_most_even_opening_is_taken(connect_four, monkeypatch):
    monkeypatch.setattr(opening, "_even_range", lambda game, plies: (0.25, -1.0))
    opening._even_actions.cache_clear()
    taken = judged(open_game(connect_four, 5, 4, EVEN))
    tried = [opening._drawn(connect_four.start(5), 4, 5, number) for number in range(TRIES)]
    assert taken in [judged(each) for each in tried]
    assert abs(taken - 0.25) == min(abs(judged(each) - 0.25) for each in tried)
    opening._even_actions.cache_clear()


def test_an_opening_longer_than_the_game_is_as_long_as_can_be(connect_four):
    for rule in (RANDOM, EVEN):
        assert not open_game(connect_four, 1, 10**9, rule).is_over
    assert open_game(connect_four, 1, 0, EVEN) == connect_four.start(1)


def test_who_is_behind_is_behind_though_it_could_repeat():
    position = load_game("expendibots").parse("aa1aa1aa/aa1aa1aa/8/8/8/8/AA5A/AA4BA w 0")
    before = judged(position)
    for text in ("a1-a2", "a8-a7", "a2-a1", "a7-a8"):
        position = position.play(position.parse(text))
    assert before < -0.1
    assert judged(position) < -0.1


def test_a_game_from_an_even_opening_is_the_same_again(connect_four):
    """Players that keep trees must not use those of an earlier game."""
    agents = [load_agent("mcts(simulations=50)"), load_agent("mcts(simulations=60)")]
    plan = {"seed": 9, "opening": 2, "opening_rule": EVEN}
    first = [play_game(connect_four, agents, number=number, **plan).actions for number in (0, 1)]
    fresh = [load_agent(repr(agent)) for agent in agents]
    assert play_game(connect_four, fresh, number=1, **plan).actions == first[1]


def test_the_rule_follows_from_players_and_heuristics(tic_tac_toe):
    assert [default_rule(load_game(spec)) for spec in TWO_PLAY] == [EVEN] * len(TWO_PLAY)
    assert [default_rule(load_game(spec)) for spec in ("robots", "sheep")] == [RANDOM] * 2
    assert default_rule(tic_tac_toe) == RANDOM
    agents = ("random", "greedy")
    assert new_plan({"game": "tron", "agents": agents}).opening_rule == EVEN
    assert new_plan({"game": repr(tic_tac_toe), "agents": agents}).opening_rule == RANDOM
    assert new_plan({"game": "tron", "agents": agents, "opening_rule": RANDOM}) == Tournament(
        "tron", agents
    )
    for spec, complaint in ((repr(tic_tac_toe), "no heuristic"), ("sheep", "has 4 players")):
        with pytest.raises(OptionError, match=complaint):
            Tournament(spec, ("random",) * 4, opening_rule=EVEN)


COMMAND = ("match", "connect_n", "random", "greedy", "--games", "6", "--workers", "1")
OLD = Tournament("connect_n", ("random", "greedy"), games=6)


def begun(store, plan, games):
    """Store the first games of a plan's run."""
    with Store(store) as opened:
        run = opened.begin(plan)
        opened.add(run, list(islice(play_tournament(plan), games)))


def lines(store, run=1):
    with Store(store) as opened:
        return [each.actions for each in opened.records(run)]


def test_a_new_run_records_its_rule(run, tmp_path):
    store = str(tmp_path / "games.sqlite")
    assert run(*COMMAND, "--store", store)[0] == 0
    assert run(*COMMAND, "--store", store, "--opening-rule", "random")[0] == 0
    output = json.loads(run("runs", "list", "--store", store, "--json")[1])
    assert [each["tournament"].get("opening_rule") for each in output] == [EVEN, None]
    assert lines(store) == [each.actions for each in play_tournament(OLD.ruled(EVEN))]
    assert lines(store, 2) == [each.actions for each in play_tournament(OLD)]


def test_an_old_run_is_resumed_with_the_old_rule(run, tmp_path):
    store = str(tmp_path / "games.sqlite")
    begun(store, OLD, 2)
    code, out, err = run(*COMMAND, "--store", store, "--resume")
    assert code == 0
    assert "6 games, run 1" in out
    assert err == "run 1 was started with random openings and keeps them\n"
    assert lines(store) == [each.actions for each in play_tournament(OLD)]


def test_a_rule_that_is_named_is_kept_to(run, tmp_path):
    store = str(tmp_path / "games.sqlite")
    begun(store, OLD, 2)
    code, _, err = run(*COMMAND, "--store", store, "--resume", "--opening-rule", "even")
    assert (code, err.count("\n")) == (2, 1)
    assert "has no run of this plan" in err
    _, _, err = run(*COMMAND, "--store", store)
    assert "run 1 of this plan has 2 of 6 games" in err
    _, out, err = run(*COMMAND, "--store", store, "--resume")
    assert "6 games, run 2" in out
    assert err == ""
    code, _, err = run(*COMMAND, "--opening-rule", "fair")
    assert (code, err.count("\n")) == (2, 1)
    assert "known: random, even" in err


def test_sequential_tests_and_searches_take_the_rule(run, tmp_path):
    for command in (
        ("sprt", "connect_n", "random", "random", "--max-games", "2"),
        ("tune", "connect_n", "alphabeta(depth=1)", "--over", "depth=1..2", "--trials", "2",
         "--population", "2", "--games", "2", "--max-games", "2"),
    ):  # fmt: skip
        store = str(tmp_path / f"{command[0]}.sqlite")
        more = ("--store", store, "--workers", "1")
        assert run(*command, *more, "--opening-rule", "random")[0] == 0
        with Store(store) as opened:
            old = len(opened.runs())
            assert {"opening_rule" in each.tournament for each in opened.runs()} == {False}
        assert run(*command, *more, "--resume")[0] == 0
        with Store(store) as opened:
            assert len(opened.runs()) == old
        assert run(*command, *more)[0] == 0
        with Store(store) as opened:
            new = opened.runs()[old:]
            assert {each.tournament["opening_rule"] for each in new} == {EVEN}
