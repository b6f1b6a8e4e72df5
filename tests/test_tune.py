"""Tuning: which numbers can be tuned, searches that find better ones, and resuming."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from plyground import load_agent, load_game
from plyground.arena.sprt import Sprt, run_trial
from plyground.arena.tournament import play_tournament
from plyground.errors import PlygroundError
from plyground.tune.dials import read_parameter
from plyground.tune.tuning import FINALISTS, Tuning, confirmation, final, search

SPOILT = (
    "alphabeta(depth=1, evaluate='windows(weights=(0.0, 100.0, 10.0, 1.0), offensiveness=0.9)')"
)
OVER = ("evaluate.offensiveness=0..1", "evaluate.weights[3]=1..10000,log")
SMALL = {
    "game": "connect_n",
    "agent": SPOILT,
    "over": OVER,
    "trials": 30,
    "population": 6,
    "games": 12,
    "opening": 6,
}

FOUR = {"game": "sheep", "agent": "greedy", "over": ("evaluate.spread=0..9",), "games": 8}
THREE = FOUR | {"game": "sheep(players=3, cells=30)", "games": 6, "trials": 6, "population": 3}


@pytest.mark.parametrize(
    ("text", "agent", "low", "high", "turned"),
    [
        ("depth=2..8", "alphabeta", 2, 8, "alphabeta(depth=2)"),
        ("exploration = 0.1 .. 3", "mcts", 0.1, 3, "mcts(exploration=0.1)"),
        ("table_bits=4..1.6e1,log", "alphabeta", 4, 16, "alphabeta(table_bits=4)"),
        ("stages[1]=1..6", "alphabeta(stages=(0.5, 2))", 1, 6, "alphabeta(stages=(0.5, 1.0))"),
        (
            "evaluate.weights[2]=.5..7,log",
            "greedy(evaluate=windows(weights=[1,2,3]))",
            0.5,
            7,
            "greedy(evaluate='windows(weights=(1.0, 2.0, 0.5))')",
        ),
        ("table_bits", "alphabeta", 1, 28, "alphabeta(table_bits=1)"),
        ("evaluate.zugzwang", "greedy", 0, 10, "greedy(evaluate='threats(zugzwang=0.0)')"),
        (
            "then.evaluate.zugzwang=.5..1",
            "relay(first=random, then=greedy)",
            0.5,
            1,
            "relay(then=\"greedy(evaluate='threats(zugzwang=0.5)')\")",
        ),
    ],
)
def test_a_number_is_named_and_turned(text, agent, low, high, turned):
    game, read = load_game("connect_n"), load_agent(agent)
    parameter = read_parameter(text, game, read)
    assert (parameter.low, parameter.high, parameter.logarithmic) == (
        low,
        high,
        text.endswith("log"),
    )
    again = parameter.set(game, read, int(low) if parameter.whole else low)
    assert repr(again) == turned
    assert parameter.get(game, again) == low


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"over": ("depth=2-8",)}, "cannot read 'depth=2-8'; write NAME, NAME=LOW..HIGH or"),
        ({"over": ("depth=a..b",)}, "cannot read 'depth=a..b'"),
        ({"over": ("depth=1..2,lin",)}, "cannot read 'depth=1..2,lin'"),
        ({"over": ("depth=1..2..3",)}, "cannot read 'depth=1..2..3'"),
        ({"over": ("evaluate.weights[0]=1..inf",)}, "must be a finite number"),
        ({"over": ("evaluate.weights[0]=nan..1",)}, "a range must go up"),
        ({"over": ("play.depth=1..2",)}, "unknown nested option of alphabeta 'play'"),
        ({"over": ("evaluate..depth=1..2",)}, "cannot read 'evaluate..depth=1..2'"),
        ({"agent": "mcts", "over": ("exploration",)}, "has no range of its own (at least 0)"),
        ({"over": ("dept=2..8",)}, "unknown number of alphabeta 'dept'; did you mean 'depth'?"),
        ({"over": ("order=2..8",)}, "unknown number of alphabeta 'order'"),
        ({"over": ("evaluate.offensivness=0..1",)}, "did you mean 'offensiveness'?"),
        ({"over": ("evaluate.offensiveness=0..2",)}, "offensiveness=2.0 is out of range"),
        ({"over": ("evaluate.weights=0..2",)}, "is a list of 4, counted from 0"),
        ({"over": ("evaluate.weights[4]=0..2",)}, "is a list of 4, counted from 0"),
        ({"over": ("depth[0]=1..2",)}, "is one number"),
        ({"over": ("depth=8..2",)}, "a range must go up from low to high, not 8..2"),
        ({"over": ("depth=1..2.5",)}, "depth is a whole number"),
        ({"over": ("evaluate.offensiveness=0..1,log",)}, "must begin above 0, not at 0"),
        ({"over": ("depth=1..2", "depth=1..3")}, "depth is named twice"),
        ({"over": ()}, "nothing to tune"),
        ({"over": ("depth=1..2",), "sampler": "cmaes"}, "two or more numbers"),
        (
            {"agent": "random", "over": ("evaluate.depth=1..2",)},
            "nested option of random",
        ),
        ({"sampler": "genetics"}, "did you mean 'genetic'?"),
        ({"opponents": ("radnom",)}, "did you mean 'random'?"),
        ({"games": 3}, "games must be a multiple of 2"),
        ({"tournament": "robin"}, "did you mean 'round_robin'?"),
        ({"game": "robots", "agent": "mcts"}, "needs a game of two or more players; robots has 1"),
        (FOUR | {"tournament": "swiss"}, "tournament swiss needs a game of two players"),
        (FOUR | {"games": 6}, "games must be a multiple of 4"),
        (FOUR | {"opponents": ("random",) * 4}, "sheep has seats for 3 opponents at most"),
    ],
)
def test_senseless_searches_are_refused_in_one_line(changed, complaint):
    with pytest.raises(PlygroundError) as refused:
        Tuning.make(SMALL | changed)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_candidate_is_a_spec_and_tells_its_numbers():
    tuning = Tuning.make(SMALL)
    values = {"evaluate.offensiveness": 0.25, "evaluate.weights[3]": 1234.0}
    candidate = tuning.candidate(values)
    assert tuning.values(candidate) == values
    assert repr(load_agent(candidate)) == candidate


@pytest.mark.parametrize(("tournament", "games"), [("round_robin", 4), ("swiss", 8)])
def test_a_generation_may_play_each_other(tournament, games):
    tuning = Tuning.make(
        SMALL | {"tournament": tournament, "games": games, "trials": 24, "population": 8}
    )
    generations = list(search(tuning, play_tournament))
    (plan,) = tuning.plans(0, [each.agent for each in generations[0]], games)
    assert plan.agents[0] == tuning.agent
    assert plan.format == tournament
    known = {each.agent: each.score for each in generations[0]}
    alone = Tuning.make(SMALL | {"games": 60})
    best, worst = (pick(known, key=known.__getitem__) for pick in (max, min))
    again = {each.agent: each.score for each in alone.compared([best, worst], play_tournament)}
    assert again[best] > again[worst]
    assert known[best] == pytest.approx(again[best], abs=0.25)
    everyone = [each for generation in generations for each in generation]
    assert final(tuning, everyone, play_tournament)[0].score > 0.6


@pytest.mark.parametrize("sampler", ["genetic", "cmaes"])
def test_a_spoilt_agent_is_mended(sampler):
    tuning = Tuning.make(SMALL | {"sampler": sampler})
    generations = list(search(tuning, play_tournament))
    assert [len(generation) for generation in generations] == [6] * 5
    assert all(each.games == 12 for generation in generations for each in generation)
    everyone = [each for generation in generations for each in generation]
    ranked = final(tuning, everyone, play_tournament)
    assert len(ranked) == FINALISTS
    assert ranked[0].score == max(each.score for each in ranked)
    games = play_tournament(confirmation(tuning, ranked[0].agent, 1000))
    *_, trial = run_trial(Sprt(0, 100), games)
    assert trial.verdict == "H1"


def test_candidates_of_later_generations_descend_from_the_best():
    tuning = Tuning.make(SMALL | {"trials": 60, "population": 10, "opponents": ("greedy",)})
    scores = [[each.score for each in gen] for gen in search(tuning, play_tournament)]
    assert sum(scores[-1]) > sum(scores[0])


def test_candidates_meet_every_opponent_from_the_same_starts():
    tuning = Tuning.make(SMALL | {"opponents": ("random", "greedy"), "trials": 4, "population": 2})
    played = []

    def play(tournament):
        for record in play_tournament(tournament):
            played.append(record)
            yield record

    list(search(tuning, play))
    assert len(played) == 2 * 4 * 12
    openings = {record.actions[:6] for record in played}
    assert len(openings) == 6
    assert {record.agents[record.entrants.index(0)] for record in played} == {"random", "greedy"}


def test_in_games_of_more_players_opponents_have_the_other_seats():
    tuning = Tuning.make(THREE | {"opponents": ("random", "rule(by=herding)")})
    played = []

    def play(tournament):
        for record in play_tournament(tournament):
            played.append(record)
            yield record

    generations = list(search(tuning, play))
    for candidate in (each for generation in generations for each in generation):
        games = [record for record in played if candidate.agent in record.agents]
        assert candidate.games == len(games) == 6
        assert {record.entrants for record in games} == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
        assert all(set(record.agents) == {candidate.agent, *tuning.opponents} for record in games)
        gained = [record.returns[record.entrants.index(0)] for record in games]
        assert candidate.score == pytest.approx((sum(gained) / 6 + 1) / 2)
    assert len({record.start for record in played}) == 2
    everyone = [each for generation in generations for each in generation]
    ranked = final(tuning, everyone, play)
    assert [row.games for row in ranked] == [30] * FINALISTS
    assert ranked[0].score > 0.6


COMMAND = (
    "tune", "connect_n", SPOILT, "--over", OVER[0], "--over", OVER[1], "--games", "6",
    "--trials", "8", "--population", "4", "--opening", "6", "--max-games", "40", "--workers", "1",
)  # fmt: skip


def test_a_finished_search_is_found_again_and_tells_machines(run, tmp_path):
    kept = str(tmp_path / "kept.sqlite")
    code, out, _ = run(*COMMAND, "--json", "--store", kept)
    output = json.loads(out)
    assert code == 0
    assert [len(generation) for generation in output["generations"]] == [4, 4]
    assert output["winner"] == output["finalists"][0]["agent"]
    assert output["test"]["elo1"] == 20
    assert json.loads(run(*COMMAND, "--json", "--store", "none")[1]) == output
    assert json.loads(run(*COMMAND, "--json", "--store", kept, "--resume")[1]) == output


def test_people_see_the_final_and_the_test_and_get_a_page(run, tmp_path):
    code, out, err = run(*COMMAND, "--store", "none", "--out", str(tmp_path))
    assert code == 0
    assert "The final, 30 games each from fresh starts" in out
    assert "SPRT, 0 or 20 Elo" in out
    assert "The winner: `alphabeta(depth=1" in out
    assert "written to" in err
    page = (tmp_path / "tuning.md").read_text()
    assert "(tuning-0.svg)" in page
    (command,) = re.findall("Made by `plyground (.*)` in", page)
    assert run(*shlex.split(command), "--store", "none", "--workers", "1")[1] == out
    assert (tmp_path / "tuning-0.svg").exists()


def test_with_more_than_two_players_the_final_decides(run, tmp_path):
    words = ("tune", THREE["game"], "greedy", "--over", THREE["over"][0], "--games", "3")
    more = ("--trials", "4", "--population", "2", "--opening", "0", "--workers", "1")
    kept = ("--store", str(tmp_path / "kept.sqlite"))
    code, out, err = run(*words, *more, *kept, "--out", str(tmp_path), "--name", "sheep-tuning")
    assert code == 0
    assert "The final, 15 games each from fresh starts" in out
    assert "SPRT" not in out
    assert "4 candidates; 12 games in the search, 60 in the final." in out
    assert re.findall(r"^generation (\d): mean ", err, re.M) == ["1", "2"]
    assert "(sheep-tuning-0.svg)" in (tmp_path / "sheep-tuning.md").read_text()
    output = json.loads(run(*words, *more, *kept, "--json", "--resume")[1])
    assert output["test"] is None
    assert f"The winner: `{output['winner']}`" in out.replace("\n", "")


@pytest.mark.parametrize(("over", "alike"), [("table_bits=8..16", True), (OVER[0], False)])
def test_numbers_that_change_no_move_are_noticed(run, over, alike):
    words = ("tune", "connect_n", SPOILT, "--over", over, "--games", "6")
    more = ("--trials", "4", "--population", "2", "--max-games", "4", "--workers", "1")
    code, out, _ = run(*words, *more, "--store", "none")
    found = re.findall(r"From (\d+)% of the starts of the search and the final", out)
    assert code == 0
    assert (found == ["100"]) == alike


def test_the_name_of_a_record_stays_in_its_folder(run, tmp_path):
    code, out, err = run(*COMMAND, "--out", str(tmp_path), "--name", "../tuning")
    assert (code, out) == (2, "")
    assert "--name: '../tuning' must be letters" in err


def test_a_missing_run_to_resume_is_reported(run, tmp_path):
    for store, complaint in (
        ("none", "nothing was kept, as the store is 'none'"),
        (str(tmp_path / "new.sqlite"), "new.sqlite has no games of this search"),
    ):
        code, out, err = run(*COMMAND, "--store", store, "--resume")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert complaint in err


def test_a_search_broken_off_goes_on_as_if_undisturbed(run, tmp_path):
    more = [*COMMAND, "--trials", "40", "--json"]
    kept = str(tmp_path / "kept.sqlite")
    command = [sys.executable, "-m", "plyground", *more, "--store", kept]
    process = subprocess.Popen(
        command, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not _games(kept):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command with --resume continues from here" in err
    resumed = json.loads(run(*more, "--store", kept, "--resume")[1])
    assert resumed == json.loads(run(*more, "--store", "none")[1])


def _games(path):
    """Count the games that a store holds."""
    from plyground.arena.store import Store

    if not os.path.exists(path):
        return 0
    with Store(path) as store:
        return sum(each.kept for each in store.runs())
