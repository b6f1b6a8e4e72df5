"""Benchmarks: a program beside the solvers, records, points, levels and revisions."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path

import peer_solver
import pytest
from benchmarks import overrun, ratings, revisions
from benchmarks.levels import rows_of_pairs
from benchmarks.points import COMMANDS as POINTS_COMMANDS
from benchmarks.points import compared, points_of, recorded
from benchmarks.puzzles import connect_four
from benchmarks.record import COMMANDS, PROGRAM_HEADINGS, TITLES, add, command_of, section
from benchmarks.solvers import peer_row
from solved_connect_four import solved_sets

from plyground.export.report import Report, Table


@pytest.fixture(scope="module")
def late():
    """Return the five positions of a set that have the most stones."""
    rows = sorted(solved_sets()["L3_R1"], key=lambda row: len(row[0]))
    return [connect_four(*row) for row in rows[-5:]]


@pytest.fixture
def peer(tmp_path):
    """Return the path of a program that solves Connect Four in plain Python."""
    path = tmp_path / "c4solver"
    path.write_text(f"#!{sys.executable}\n{Path(peer_solver.__file__).read_text()}")
    path.chmod(0o755)
    return str(path)


def test_another_program_is_measured_and_its_errors_are_counted(peer, late):
    task, program, count, wrong, mean, *_ = peer_row("L3_R1", peer, late)
    assert (task, program, count, wrong) == ("L3_R1", "c4solver", 5, 0)
    assert mean > 0
    first, *others = late
    mistaken = [first._replace(score=first.score + 1), *others]
    assert peer_row("L3_R1", peer, mistaken)[3] == 1


def test_a_section_of_the_record_is_replaced_and_the_others_stay(tmp_path):
    def program_rows(mean):
        times = mean, mean, mean, mean, mean
        return [
            ("near", "solver", 5, 0, *times, 10.0, 1.0),
            ("near", "other", 5, 1, *[4 * time for time in times], 10.0, 1.0),
        ]

    robots = section("robots", PROGRAM_HEADINGS, program_rows(1.23456))
    empty = section("empty", ("score", "nodes"), [(1, 94)])
    add(tmp_path, None, robots, "first", 10)
    add(tmp_path, None, empty, "second", 20)
    add(tmp_path, None, section("robots", PROGRAM_HEADINGS, program_rows(2.0)), "third", 30)
    record = Report.from_json((tmp_path / "solvers.json").read_text())
    assert (tmp_path / "solvers.md").read_text() == record.page()
    assert [table.title for table in record.tables] == [TITLES["robots"], TITLES["empty"], COMMANDS]
    assert robots.rows[0][4] == 1.235
    assert record.tables[0].rows[0][4] == 2.0
    assert record.tables[1] == empty
    assert [row[1:] for row in record.tables[2].rows] == [("`third`", 30), ("`second`", 20)]
    assert record.seconds == 50
    assert record.remarks == (
        "Robot Reboot, near: other takes 4.0 (mean), 4.0 (median), 4.0 (p99) times as long as the "
        "solver.",
    )


def test_the_command_of_a_section_has_the_options_that_were_given():
    parser = ArgumentParser(prog="python -m benchmarks.solvers")
    parser.add_argument("sections", nargs="*")
    parser.add_argument("--book-plies", type=int, default=8)
    parser.add_argument("--hard", type=int, default=30)
    parser.add_argument("--out")
    given = parser.parse_args(["deals", "robots", "--hard", "5", "--out", "docs"])
    assert command_of(parser, given, "robots") == "python -m benchmarks.solvers robots --hard 5"


def test_points_by_place_are_compared_game_by_game():
    agents = ["old", "new", "old", "new"]
    games = [
        {"agents": agents, "returns": [1.0, 0.1, -0.3, -0.8]},  # 5, 3, 2 and 1 points
        {"agents": agents, "returns": [-0.8, 1.0, -0.3, 0.1]},
        {"agents": agents, "returns": [0.0, 0.0, -0.3, 0.0]},
    ]
    points = points_of(
        {"game": "sheep", "entrants": [{"agent": a} for a in agents], "games": games}
    )
    assert points["old"] == [3.5, 1.5, pytest.approx((10 / 3 + 1) / 2)]
    assert points["new"] == [2.0, 4.0, pytest.approx(10 / 3)]
    table = compared("test", points)
    assert table.rows[0] == ("`old`", 2.39, "", "", 3)
    assert table.rows[1] == ("`new`", 3.11, "+0.72", "-1.58 to +3.03", 3)
    first = recorded(None, table, "plyground tournament", "rejected", 2.0)
    again = recorded(first, table, "plyground tournament", "accepted", 3.0)
    assert [each.title for each in again.tables] == ["test", POINTS_COMMANDS]
    assert again.tables[1].rows == (("test", "`plyground tournament`", "accepted"),)
    assert again.seconds == 5.0


def test_levels_that_were_measured_before_are_kept(tic_tac_toe):
    specs = ["random", "mcts(simulations=20)", "mcts(simulations=50)"]
    *_, rows = rows_of_pairs(tic_tac_toe, specs, (), 8, 0.1)
    assert [row[0] for row in rows] == [1, 2, 3]
    assert rows[1][3] > 0
    assert rows[2][2] == round(rows[1][3] + rows[2][3])
    kept = [(*row[:3], 1000, *row[4:]) for row in rows]
    *_, again = rows_of_pairs(tic_tac_toe, [*specs[:2], "random"], kept, 8, 0.1)
    assert again[1][3] == 1000
    assert again[2][3] < 1000


def test_a_result_against_an_earlier_revision_replaces_the_one_before():
    headings = ("game", "agent", "opponent", "games")

    def added(before, game, games):
        row = (game, "new", "old", games)
        return revisions.with_result(before, Table("0.1 s", headings, (row,)), 1.0)

    report = added(added(added(None, "tron", 10), "sheep", 20), "tron", 30)
    (table,) = report.tables
    assert table.rows == (("sheep", "new", "old", 20), ("tron", "new", "old", 30))
    assert report.seconds == 3.0


def test_ratings_of_many_agents_are_measured(monkeypatch, capsys):
    options = "--agents 12 --games 300 --dense 20 --json"
    monkeypatch.setattr(sys, "argv", ["ratings", *options.split()])
    ratings.main()
    rows = json.loads(capsys.readouterr().out)
    assert all(value > 0 for value in rows.values())
    assert "dense / by pairs, 20 agents" in rows


def test_searches_that_are_late_are_shown_and_end_the_command_with_an_error(capsys):
    found = list(overrun.searches("connect_n", "mcts", 0.01, moves=3, seed=1, cpu=True))
    assert [search.first for search in found] == [True, False, False]
    in_time = [search._replace(wall=-1.0, own=-1.0) for search in found]
    assert not overrun.report(in_time)
    assert overrun.report([*in_time, found[0]._replace(own=overrun.BOUND + 1)])
    assert "6.00 ms" in capsys.readouterr().out
