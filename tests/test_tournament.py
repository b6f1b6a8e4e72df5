"""Tournaments: every group meets, the table adds up, and the stronger agent comes out on top."""

from math import sqrt
from pathlib import Path

import pytest

from plyground import PlygroundError, load_agent, play_match
from plyground.arena.tournament import Standing, round_robin, standings
from plyground.options import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


def agents(*specs):
    return [load_agent(spec) for spec in specs]


def test_a_round_robin_seats_every_group(connect_four):
    count, played = round_robin(connect_four, agents("random", "greedy", "random", "random"), 2)
    tables = [tuple(sorted(record.entrants)) for record in played]
    assert count == len(tables) == 12
    assert {table: tables.count(table) for table in tables} == {
        (0, 1): 2, (0, 2): 2, (0, 3): 2, (1, 2): 2, (1, 3): 2, (2, 3): 2,
    }  # fmt: skip
    count, played = round_robin(SMALL.Race(), agents("random", "random", "random", "greedy"), 3)
    assert count == len(list(played)) == 12
    with pytest.raises(PlygroundError, match="give as many agents"):
        round_robin(connect_four, agents("random"), 2)


def test_standings_add_up(connect_four):
    players = agents("random", "greedy", "alphabeta(depth=2)")
    records = list(round_robin(connect_four, players, 4, seed=3)[1])
    table = standings(players, records)
    assert [row.score for row in table] == sorted((row.score for row in table), reverse=True)
    assert sum(row.total for row in table) == 0
    assert sum(row.wins for row in table) == sum(row.losses for row in table)
    assert all(row.games == 8 for row in table)
    assert sum(row.moves for row in table) == sum(
        len(record.actions) - record.opening for record in records
    )
    by_hand = [
        record.returns[record.entrants.index(0)] for record in records if 0 in record.entrants
    ]
    (row,) = (row for row in table if row.agent == "random")
    assert row.total == sum(by_hand)
    assert (row.wins, row.draws, row.losses) == tuple(map(by_hand.count, (1, 0, -1)))


def test_the_score_and_its_interval():
    row = Standing("x", wins=6, draws=2, losses=2, total=4.0)
    assert row.score == 0.7
    low, high = row.interval
    for bound in (low, high):  # Wilson: the score lies just 1.96 deviations from either bound
        assert abs(0.7 - bound) == pytest.approx(1.96 * sqrt(bound * (1 - bound) / 10))
    assert Standing("x").interval == (0.0, 1.0)
    assert Standing("x", wins=10, total=10.0).interval[1] == 1.0


def test_searching_beats_not_searching(connect_four):
    strong = agents("mcts(simulations=300)", "random")
    table = standings(strong, play_match(connect_four, strong, 20, seed=1))
    assert table[0].agent == "mcts(simulations=300)"
    assert table[0].score > 0.8
    deep = agents("alphabeta(depth=4)", "greedy")
    table = standings(deep, play_match(connect_four, deep, 20, seed=1, opening=4))
    assert table[0].agent == "alphabeta(depth=4)"
    assert table[0].score > 0.6
