"""Files and numbers that are damaged or forged: refused in one line, or harmless.

`python -m benchmarks.forged` takes as many cases as one likes.
"""

import pytest

pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")

import zipfile

import numpy as np
from benchmarks.forged import FILES, visit

from plyground import load_game
from plyground.arrays import ArraysError, read_arrays
from plyground.errors import OptionError
from plyground.search.forest import Evaluation, Forest, Gumbel, Puct

CASES = {"heuristic_weights": 200, "samples": 100, "networks": 60, "network_weights": 40}
"""How many cases a door gets here, if not 100."""


@pytest.mark.parametrize("door", sorted(FILES.keys() - {"kernels"}))  # that one has a process
def test_nothing_but_a_plain_refusal_comes_out_of_a_door(door):
    found = visit(door, CASES.get(door, 100), seed=1)
    assert found.fault is None
    assert 0 < found.refused < found.cases


def test_a_small_archive_of_many_numbers_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, weights=np.zeros((2**22,), np.int16))
    assert path.stat().st_size < 20_000
    for most in (None, 2**20):
        with pytest.raises(ArraysError, match="larger than it may be"):
            read_arrays(path, {"weights": np.int16}, most)


@pytest.mark.parametrize(
    ("header", "match"),
    [
        ("{'descr': '<i2', 'fortran_order': False, 'shape': (999999999999,), }", "as many numbers"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", "of the type int16"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "not an array of plain"),
        ("{'descr': '<i2', 'fortran_order': False, 'shape': (" + "(" * 5000, "not an array"),
    ],
)
def test_an_array_that_is_not_what_it_should_be_is_refused(header, match, tmp_path):
    path, text = tmp_path / "forged.npz", f"{header}\n".encode()
    with zipfile.ZipFile(path, "w") as file:
        length = len(text).to_bytes(2, "little")
        file.writestr("weights.npy", b"\x93NUMPY\x01\x00" + length + text + bytes(8))
    with pytest.raises(ArraysError, match=match):
        read_arrays(path, {"weights": np.int16})


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("part", ["values", "logits"])
def test_numbers_that_are_not_finite_are_refused_by_a_forest(part, number, connect_four):
    forest = Forest(connect_four, 1, 4)
    forest.plant([connect_four.start()])

    def evaluate(planes, entries):
        answer = Evaluation(np.zeros((1, 2), np.float32), np.zeros((1, 7), np.float32))
        getattr(answer, part)[0, 1] = number
        return answer

    with pytest.raises(OptionError, match=f"{part} of the network: not all are finite"):
        forest.grow(evaluate)


@pytest.mark.parametrize("rule", [Gumbel(noise=0.0, value_scale=50.0), Puct(noise=0.25)])
def test_huge_logits_and_values_make_a_policy(rule, connect_four):
    """Where the likeliest action loses, no other has a prior above 0 unless care is taken."""
    forest = Forest(connect_four, 1, 32, rule)
    forest.plant([connect_four.start()])

    def evaluate(planes, entries):
        logits = np.full((1, 7), -3e38, np.float32)
        logits[0, 3] = 3e38
        stones = int((planes[0] != 0).sum())
        return Evaluation(np.array([[1e30, -1e30]], np.float32) * (-1) ** stones, logits)

    forest.grow(evaluate)
    assert np.isfinite(forest.policy).all()
    assert forest.policy.sum() == pytest.approx(1.0)
    assert abs(forest.outlooks[0]) <= 1.0


def test_a_tree_takes_values_of_games_only():
    from plyground.search.tree import Settings, Tree

    game = load_game("examples/tic_tac_toe.py")
    evaluator = game.evaluator("nothing")
    settings = Settings(select="puct", priors=True, nodes=1000)
    tree = Tree(game.start(), game.rules(evaluator), evaluator, settings, seed=1)
    tree.descend()
    with pytest.raises(OptionError, match="from -1 to 1"):
        tree.back_up([[1.1, -1.1]], np.ones((1, 9)))
    with pytest.raises(OptionError, match="priors"):
        tree.back_up([[1.0, -1.0]], np.full((1, 9), 1e308))
