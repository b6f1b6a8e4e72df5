"""Tron's learned heuristic: its input numbers and its values."""

import json
from importlib.resources import files
from math import tanh

import numpy as np
import pytest

from plyground import load_agent, load_game
from plyground.games.tron.learned import PLANE, SIDE, has_blocks, numbers
from plyground.games.tron.senses import ALONG, BLOCKED, DEAD_END, OPEN, senses
from plyground.learn.regression import Averages
from plyground.studies.tron_regression import views

WEIGHTS = np.array(
    json.loads(files("plyground.games.tron").joinpath("learned.json").read_text())["weights"]
)


def middle_game(spec, plies):
    agent, position = load_agent("rule"), load_game(spec).start(plies)
    for ply in range(plies):
        position = position.play(agent.think(position, seed=ply).action)
    return position


def test_numbers_are_taken_cells_and_heads():
    position = load_game("tron").parse(
        "/".join(["#" * 13, "#1x" + "." * 9 + "#", *["#" + "." * 11 + "#"] * 9,
                  "#" + "." * 10 + "2#", "#" * 13]) + " 1"
    )  # fmt: skip
    taken, heads = np.split(numbers(position), 2)
    assert taken.sum() == 4 * SIDE - 4 + 3
    assert [taken[SIDE + 1], taken[SIDE + 2], taken[SIDE + 3]] == [1, 1, 0]
    assert np.flatnonzero(heads).tolist() == [SIDE + 1, PLANE - SIDE - 2]
    assert [heads[SIDE + 1], heads[PLANE - SIDE - 2]] == [1, -1]


def test_a_larger_board_is_averaged():
    found = numbers(load_game("tron(map=room, width=26, height=26)").start(1))
    assert found[:PLANE].reshape(SIDE, SIDE)[0, 1:-1] == pytest.approx(0.5)
    assert found[0] == 0.75


@pytest.mark.parametrize(
    "spec",
    ["tron", "tron(map=center_block)", "tron(map=pillars)", "tron(map=room, width=8, height=9)"],
)
def test_the_kernel_weighs_the_same_numbers(spec):
    position = middle_game(spec, 14)
    expected = min(1.0, max(-1.0, float(numbers(position)[PLANE:] @ WEIGHTS)))
    voronoi = position.evaluate("voronoi")[0]
    value = position.evaluate("learned(share=0.5, hug=0)")
    assert value == pytest.approx((tanh(voronoi + 0.5 * expected), -tanh(voronoi + 0.5 * expected)))
    chambers = position.evaluate("chambers")[0]
    value = position.evaluate("learned_chambers(share=0.5, hug=0)")
    assert value[0] == pytest.approx(tanh(chambers + 0.5 * expected))


def test_walls_are_hugged_on_maps_with_blocks_only():
    rows = ["#" * 7, "#1....#", *["#.....#"] * 2, "#..2..#", "#.....#", "#" * 7]
    assert not has_blocks(load_game("tron(map=small_room)"))
    assert has_blocks(load_game("tron(map=diagonal_blocks)"))
    bare = load_game("tron(map=small_room)").parse("/".join(rows) + " 1")
    room = load_game("tron(map=room, width=7, height=7, obstacles=10)").parse("/".join(rows) + " 1")
    plain = bare.evaluate("learned(share=0, hug=0.1)")[0]
    assert plain == pytest.approx(tanh(bare.evaluate("voronoi")[0]))
    hugging = room.evaluate("learned(share=0, hug=0.1)")[0]
    assert hugging == pytest.approx(tanh(bare.evaluate("voronoi")[0] + 0.1 * (4 - 2)))


def test_the_shipped_weights_have_learned_that_the_middle_is_better():
    heads = WEIGHTS.reshape(SIDE, SIDE)
    assert (heads == heads.T).all()
    assert (heads == heads[::-1]).all()
    assert (
        heads[5:8, 5:8].mean()
        > heads[1:-1, 1:-1].mean()
        > heads[[1, 1, -2, -2], [1, -2, 1, -2]].mean()
    )


def test_with_symmetric_copies_taken_cells_have_no_weight():
    random = np.random.default_rng(1)
    numbers, labels = random.normal(size=(500, 2 * PLANE)), random.choice([-1.0, 1.0], 500)
    seen = Averages.of(numbers, labels).seen_as(views())
    assert seen.examples == 16 * 500
    assert seen.products[:PLANE] == pytest.approx(0, abs=1e-12)
    assert seen.squares[:PLANE, PLANE:] == pytest.approx(0, abs=1e-12)
    heads = seen.products[PLANE:].reshape(SIDE, SIDE)
    assert heads == pytest.approx(heads.T)
    assert heads == pytest.approx(heads[::-1])


def test_senses_by_hand():
    rows = "#######/#.x...#/#x1...#/#.....#/#.....#/#....2#/####### 1"
    position = load_game("tron(map=small_room)").parse(rows)
    assert senses(position) == (BLOCKED, OPEN, BLOCKED, OPEN, 1, 1)
    rows = "#######/#1..x.#/#.x...#/#x....#/#.....#/#....2#/####### 1"
    assert senses(load_game("tron(map=small_room)").parse(rows)) == (
        BLOCKED, DEAD_END, BLOCKED, ALONG, 1, 1,
    )  # fmt: skip
