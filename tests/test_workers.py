"""Workers play the same games, and a worker's death costs a game only if the agent caused it."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from plyground import Tournament
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Here, Processes
from plyground.errors import CannotPlayError

AGENTS = Path(__file__).parent / "agents"
SLOW, DEADLY = str(AGENTS / "slow.py"), str(AGENTS / "deadly.py")


def timeless(records):
    return sorted(
        (replace(each, seconds=(0.0,) * len(each.actions)) for each in records),
        key=lambda each: each.number,
    )


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_processes_play_the_same_games_as_one():
    plan = Tournament(game="connect_n", agents=("random", "mcts(simulations=9)", "greedy"), games=8)
    swiss = Tournament(**plan.changed() | {"format": "swiss"})
    crews = set()
    with Processes(2) as pool:
        for each in (plan, swiss, plan):
            records = list(play_tournament(each, pool))
            crews.add(tuple(worker.process.pid for worker in pool._workers))
            assert len(records) == each.total
            assert timeless(records) == timeless(play_tournament(each, Here()))
    (pids,) = crews
    assert len(pids) == 2
    assert not any(map(alive, pids))


def test_an_interrupted_worker_does_not_play_old_games():
    slow = Tournament(game="connect_n", agents=(f"{SLOW}(seconds=0.05)", "random"), games=40)
    plan = Tournament(game="connect_n", agents=("greedy", "random"), games=40)
    with Processes(2) as pool:
        games = play_tournament(slow, pool)
        next(games)
        with pytest.raises(RuntimeError, match="still play other games"):
            next(play_tournament(plan, pool))
        games.close()
        records = list(play_tournament(plan, pool))
    assert timeless(records) == timeless(play_tournament(plan))


def test_a_worker_that_is_killed_costs_nothing():
    plan = Tournament(game="connect_n", agents=(f"{SLOW}(seconds=0.001)", "random"), games=60)
    records = []
    with Processes(2) as pool:
        for record in play_tournament(plan, pool):
            records.append(record)
            if len(records) in (5, 20):
                os.kill(pool._workers[0].process.pid, signal.SIGKILL)
    assert len(records) == 60
    assert timeless(records) == timeless(play_tournament(plan))


def test_a_game_that_kills_its_workers_is_lost_by_the_player_to_move():
    plan = Tournament(game="connect_n", agents=(DEADLY, "random", "greedy"), games=2)
    with Processes(2) as pool:
        records = {record.number: record for record in play_tournament(plan, pool)}
    assert len(records) == 6
    for record in records.values():
        if DEADLY in record.agents:
            assert record.ending == "failed"
            assert record.agents[record.fault] == DEADLY
            assert record.reason == "3 processes died of this game"
            assert sum(record.returns) == 0
        else:
            assert record.ending == "finished"


def test_unplayable_games_are_reported_before_a_process_is_started():
    plan = Tournament(game="connect_n", agents=("random", "shortest"))
    with pytest.raises(CannotPlayError):
        next(play_tournament(plan, pool := Processes(2)))
    assert not pool._workers


def test_breaking_off_ends_the_workers():
    plan = Tournament(game="connect_n", agents=(f"{SLOW}(seconds=30.0)", "random"), games=4)
    with Processes(2) as pool:
        playing = pool.play(plan, plan.pairings(0, []))
        assert next(playing) == []
        pids = [worker.process.pid for worker in pool._workers]
        assert all(map(alive, pids))
    assert not any(map(alive, pids))
