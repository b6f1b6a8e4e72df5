"""Measurements of networks: each runs on a small game, and its figures can be checked by hand."""

import subprocess

import pytest

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
pytest.importorskip("onnx", reason="the package onnx is not installed")

from benchmarks import networks, stages, strength
from tiny_networks import save, tiny_network

from plyground import load_game
from plyground.arena.workers import Here
from plyground.inference import shipped

SMALL = "connect_n(width=4, height=4, n=3)"


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "small.onnx"
    return f"alphazero(weights={save(tiny_network(load_game(SMALL)), path)!r}, evaluations=16)"


def test_moves_are_judged_by_the_exact_solver(agent):
    (perfect,) = strength.judged_moves(SMALL, "perfect", 6, 3, seed=1).rows
    (tiny,) = strength.judged_moves(SMALL, agent, 6, 3, seed=1).rows
    assert perfect[1].startswith("100.00% (")
    assert perfect[2].startswith("100.00% (")
    kept, best = (int(cell.split("(")[1].split()[0]) for cell in tiny[1:3])
    assert 0 < best <= kept
    assert not tiny[2].startswith("100.00%")


def test_agents_are_judged_in_the_same_positions(agent):
    specs = ("perfect", agent, "random")
    perfect, tiny, by_chance = strength.judged_agents(specs, SMALL, "alphabeta(depth=2)", 6, 3, 1)
    assert perfect.kept == perfect.best == perfect.positions == tiny.positions
    assert 0 < by_chance.best <= by_chance.kept < perfect.kept
    assert 0 < tiny.best <= tiny.kept


@pytest.mark.parametrize("name", stages.STAGES)
def test_the_last_stage_of_a_network_is_the_shipped_one(name, tmp_path):
    *_, last = measured = stages.STAGES[name]
    assert measured == tuple(sorted(measured))
    page = (networks.PAGES / f"{name}-stages.md").read_text()
    assert all(stage.revision in page for stage in measured)
    known = ["git", "-C", str(networks.ROOT), "cat-file", "-e", f"{last.revision}^{{commit}}"]
    if subprocess.run(known, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this checkout has no history")
    weights = stages.weights_of(name, last.revision, tmp_path)
    assert weights.read_bytes() == shipped(name).read_bytes()


def test_pairs_of_games_are_counted(agent):
    (row,) = strength.opening_pairs(SMALL, "perfect", agent, 4, 3, 1, Here()).rows
    assert row[2:4] == (4, 0)
    assert sum(map(int, row[4].split())) == 4
    (row,) = strength.opening_pairs(SMALL, "random", "perfect", 4, 1, 1, Here()).rows
    assert row[3] > 0


def test_agents_are_compared_at_equal_time(agent):
    (row,) = strength.equal_time(SMALL, agent, "random", 0.02, 6, 2, 1, Here()).rows
    assert row[2] == 6
    assert float(row[3].rstrip("%")) > 50


def test_points_are_compared_with_the_mean_of_the_opponents():
    game = "sheep(players=3, sheep=6, size=5, cells=20)"
    (row,) = strength.points_difference(game, "greedy", "random", 0.02, 6, 0, 1, Here()).rows
    low, high = (float(bound) for bound in row[4].split(" to "))
    assert low <= float(row[3]) <= high
    assert float(row[3]) > 0


def test_every_shipped_network_has_an_entry_and_a_page():
    assert set(networks.shipped_names()) == set(networks.TRAININGS)
    for name, training in networks.TRAININGS.items():
        assert training.game in networks.MEASURES
        page = (networks.PAGES / f"{name}.md").read_text()
        assert training.command in page
