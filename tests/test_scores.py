"""One score for tables, reports, cross tables, sequential tests, tuning and ratings."""

import csv
import io
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from rich.console import Console

from plyground import Tournament, load_game
from plyground.arena.match import rotated
from plyground.arena.plan import Pairing
from plyground.arena.ratings import rate
from plyground.arena.record import Record
from plyground.arena.scores import (
    count_sides,
    first_shares,
    game_points,
    rank_points,
    score,
    score_against,
)
from plyground.arena.sprt import FINER, Sprt, expected, run_trial
from plyground.arena.tournament import Standings
from plyground.cli import terminal
from plyground.export.standings import Result, as_csv, as_html

SEEDED = np.random.default_rng(4)

GAMES = {
    "two": "tron",
    "three": "sheep(players=3)",
    "four": "sheep",
    "teams": "sheep(teams=True)",
}


def graded(game):
    """Draw returns that add up to 0; some are level, as in drawn games."""
    facts = load_game(game).facts
    sides = facts.teams or tuple(range(facts.players))
    drawn = SEEDED.choice([-0.9, -0.4, 0.0, 0.1, 0.2, 0.7], len(set(sides)))
    drawn = drawn - drawn.mean()
    drawn = drawn / max(1.0, abs(drawn).max())
    return tuple(float(drawn[side]) for side in sides)


def record_of(game, names, entrants, number, returns):
    return Record(game, tuple(names[each] for each in entrants), entrants, number, number, "", 0,
                  (), (), (), (), returns, "finished", "", None, "")  # fmt: skip


def tournament(game, agents, rounds):
    """Return names and records of a round robin in which every table is played in every seat."""
    names = [f"mcts(simulations={each})" for each in range(1, agents + 1)]
    players = load_game(game).facts.players
    tables = [
        rotated(table, turn)
        for _ in range(rounds)
        for table in combinations(range(agents), players)
        for turn in range(players)
    ]
    return names, [
        record_of(game, names, table, number, graded(game)) for number, table in enumerate(tables)
    ]


def shown(rows, sides):
    console = Console(width=200, file=io.StringIO())
    console.print(terminal.standings_table(rows, "", sides))
    return console.file.getvalue()


@pytest.mark.parametrize("kind", GAMES)
def test_every_table_shows_the_same_score(kind, monkeypatch):
    monkeypatch.setattr(terminal, "console", Console(width=200, file=io.StringIO()))
    game = GAMES[kind]
    names, records = tournament(game, 6 if kind == "two" else 5, 2)
    table = Standings(names)
    for record in records:
        table.add(record)
    rows = table.rows()
    gained = {
        name: [
            record.returns[record.agents.index(name)] for record in records if name in record.agents
        ]
        for name in names
    }
    by_hand = {name: (np.mean(got) + 1) / 2 for name, got in gained.items()}
    assert [row.agent for row in rows] == sorted(names, key=by_hand.__getitem__, reverse=True)
    plan = Tournament(game=game, agents=names, games=4)
    result = Result("", rows, names, [], [], plan=plan, records=records)
    sheet = list(csv.DictReader(io.StringIO(as_csv(result))))
    percents = [f"{row.score:.1%}" for row in rows]
    assert re.findall(r"\d+\.\d%", shown(rows, table.sides)) == percents
    assert re.findall(r">(\d+\.\d%)<", as_html(result)) == percents
    for row, cells in zip(rows, sheet, strict=True):
        assert row.score == pytest.approx(by_hand[row.agent])
        assert cells["bot"] == row.agent
        assert float(cells["score"]) == pytest.approx(row.score, abs=0.0005)
        assert float(cells["points/game"]) == pytest.approx(row.mean_points, abs=0.0005)
        assert float(cells["points"]) == pytest.approx(row.points, abs=0.0005)
        assert row.wins + row.draws + row.losses == row.games == int(cells["games"])
        assert row.firsts >= row.wins
    assert sum(row.firsts for row in rows) == pytest.approx(
        len(records) * (2 if kind == "teams" else 1)
    )
    ratings = rate(records, teams=load_game(game).facts.teams)
    by_name = {row.agent: row for row in ratings.rows}
    for row in rows:
        assert by_name[row.agent].score == pytest.approx(row.score)
        assert by_name[row.agent].games == row.games
    meetings = result.cross_table()
    order = [names.index(row.agent) for row in ratings.rows]
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            met = meetings.get((one, other))
            assert ratings.games[row, column] == (met.games if met else 0)
            assert ratings.scores[row, column] == pytest.approx(met.points if met else 0)
    if kind == "two":  # all met equally often
        assert [row.agent for row in ratings.rows] == [row.agent for row in rows]
    if table.sides == 2:
        for row in rows:
            assert row.points == pytest.approx(row.score * row.games)
            of_row = [each for (one, _), each in meetings.items() if one == row.entrant]
            met = sum(each.games for each in of_row)
            assert sum(each.points for each in of_row) / met == pytest.approx(row.score)
    else:
        places = load_game(game).facts.places
        assert sum(row.points for row in rows) == pytest.approx(sum(places) * len(records))


def test_more_games_won_narrowly_are_fewer_points():
    """A wins 6 of 10 games by a little and loses 4 by much: B is ahead everywhere."""
    names = ["a", "b"]
    results = [0.1] * 6 + [-0.6] * 4
    records = [
        record_of("tron", names, (0, 1), number, (gained, -gained))
        for number, gained in enumerate(results)
    ]
    table = Standings(names)
    for record in records:
        table.add(record)
    first, second = table.rows()
    assert (first.agent, second.agent) == ("b", "a")
    assert second.score == pytest.approx((6 * 0.55 + 4 * 0.2) / 10)
    assert second.points == pytest.approx(10 * second.score)
    assert (second.wins, second.draws, second.losses) == (6, 0, 4)
    sheet = as_csv(Result("", table.rows(), names, [], []))
    assert sheet.splitlines()[2].startswith("2,a,10,6,0,4,6,0,0,4.1,0.41,0.410,")
    *_, trial = run_trial(Sprt(), records)
    assert trial.score == pytest.approx(second.score)


def test_a_swiss_round_pairs_by_score():
    """Two narrow winners and two narrow losers have about half a point; the others do not."""
    plan = Tournament(game="tron", agents=["random"] * 8, format="swiss", games=1)
    pairings = list(plan.pairings(0, []))
    assert all(isinstance(each, Pairing) for each in pairings)
    margins = dict(zip(range(4), (0.1, 0.1, 1.0, 1.0), strict=True))
    records = [
        record_of("tron", ["random"] * 8, each.entrants, each.number,
                  (margins[each.number], -margins[each.number]))
        for each in pairings
    ]  # fmt: skip
    narrow = {each for pairing in pairings[:2] for each in pairing.entrants}
    winners = {pairing.entrants[0] for pairing in pairings[2:]}
    for pairing in plan.pairings(1, records):
        met = set(pairing.entrants)
        assert met <= narrow or met == winners or not met & (narrow | winners)


def test_scores_of_a_game():
    assert [score(gained) for gained in (1, 0, -1, 0.5)] == [1, 0.5, 0, 0.75]
    assert score_against(0.2, -0.2, 2) == pytest.approx(score(0.2))
    assert [score_against(0.2, other, 3) for other in (-0.1, 0.2, 0.3)] == [1, 0.5, 0]
    assert score_against(np.array([0.2, 0.5]), np.array([0.3, 0.5]), 4).tolist() == [0, 0.5]
    assert count_sides(4, (0, 1, 0, 1)) == 2
    assert count_sides(4, ()) == 4


def test_first_places_are_shared_by_sides():
    assert first_shares((0.5, -0.5)) == [1, 0]
    assert first_shares((0.3, 0.3, -0.6)) == [0.5, 0.5, 0]
    assert first_shares((1.0, 1 / 9, -1 / 3, -7 / 9)) == [1, 0, 0, 0]  # no win for the second
    assert first_shares((1.0, -1.0, 1.0, -1.0), (0, 1, 0, 1)) == [1, 0, 1, 0]
    assert first_shares((0.0,) * 4, (0, 1, 0, 1)) == [0.5] * 4


def test_points_are_by_place_only_among_more_than_two_sides():
    assert game_points((0.1, -0.1), load_game("tron").facts) == pytest.approx([0.55, 0.45])
    assert game_points((1.0, -1.0) * 2, load_game("sheep(teams=True)").facts) == [1, 0, 1, 0]
    assert game_points((0.1, 0.9, -0.5, 0.0), load_game("sheep").facts) == [3, 5, 1, 2]


def test_points_by_place_are_shared_by_those_who_tie():
    assert rank_points((1.0, -1.0)) == [1, 0]
    assert rank_points((0.0, 0.0)) == [0.5, 0.5]
    assert rank_points((1.0, 0.5, 0.0)) == [1, 0.5, 0]
    assert rank_points((0.5, 0.5, -1.0)) == [0.75, 0.75, 0]
    assert rank_points((1.0,)) == [1]
    course = load_game("sheep").facts.places
    assert rank_points((0.1, 0.9, -0.5, 0.0), course) == [3, 5, 1, 2]
    tied = rank_points((0.5, 0.5, -1.0, 0.5), course)
    assert tied == pytest.approx([10 / 3, 10 / 3, 1, 10 / 3])
    assert load_game("sheep(players=3)").facts.places == (5, 3, 2)
    assert load_game("sheep(players=2)").facts.places == ()


def test_graded_pairs_of_a_sequential_test_keep_mean_and_spread():
    """Equal on average: a count of who won would accept H1 at once."""
    random = np.random.default_rng(2)
    gained = np.where(random.random(400) < 0.75, 0.2, -0.6)
    records = [
        record_of("tron", "ab", (0, 1) if number % 2 == 0 else (1, 0), number,
                  (float(own), -float(own)) if number % 2 == 0 else (-float(own), float(own)))
        for number, own in enumerate(gained)
    ]  # fmt: skip
    trials = list(run_trial(Sprt(0, 10), records))
    trial = trials[-1]
    pairs = (gained.reshape(-1, 2).mean(1) + 1)[: trial.pairs] / 2
    assert trial.score == pytest.approx(pairs.mean())
    assert trial.variance == pytest.approx(pairs.var(), abs=0.002)
    assert sum(trial.quarters) == trial.pairs == len(trials)
    assert len(trial.counts) == 4 * FINER + 1
    assert trial.verdict != "H1"


def test_errors_of_graded_sequential_tests_are_as_rare_as_promised():
    sprt, runs = Sprt(0, 150), 100
    random = np.random.default_rng(8)
    for elo, wrong in ((sprt.elo0, "H1"), (sprt.elo1, "H0")):
        verdicts = []
        for _ in range(runs):
            own = 2 * np.clip(random.normal(expected(elo), 0.2, 200), 0, 1) - 1
            games = (
                record_of("tron", "ab", (0, 1), number, (gained, -gained))
                for number, gained in enumerate(own.tolist())
            )
            *_, trial = run_trial(sprt, games)
            verdicts.append(trial.verdict)
        assert None not in verdicts
        assert verdicts.count(wrong) / runs < 0.1


def test_entrants_of_one_name_keep_their_own_rows_and_cells():
    names = ["random", "random", "greedy"]
    plan = Tournament(game="tron", agents=names, games=2)
    records = [
        record_of("tron", names, entrants, number, (gained, -gained))
        for number, (*entrants, gained) in enumerate([(0, 1, 1.0), (1, 2, -0.5), (2, 0, 0.2)])
    ]
    records = [replace(each, entrants=tuple(each.entrants)) for each in records]
    table = Standings(names, plan)
    for record in records:
        table.add(record)
    result = Result("", table.rows(), names, [], [], plan=plan, records=records)
    assert {pair: each.points for pair, each in result.cross_table().items()} == pytest.approx(
        {(0, 1): 1, (1, 0): 0, (1, 2): 0.25, (2, 1): 0.75, (0, 2): 0.4, (2, 0): 0.6}
    )
    page = as_html(result)
    for cell in ("1/1", "0.25/1", "0.75/1", "0.4/1", "0.6/1"):
        assert f">{cell}<" in page
