"""Learned evaluations inside searches: their inputs, their values, their files, their training."""

from importlib.resources import files

import numpy as np
import pytest

from plyground import load_agent, load_game
from plyground.errors import OptionError
from plyground.game.neural import SCALE, UNITS, save_weights
from plyground.games.expendibots import evaluate_neural as expendibots
from plyground.games.tron import evaluate_neural as tron
from plyground.learn.evaluation import Lesson, Recipe, train
from plyground.learn.examples import Examples, play_examples

MODULES = {"expendibots": expendibots, "tron": tron, "tron(simultaneous=True)": tron}
TEACHERS = {
    "expendibots": "alphabeta(depth=1, unwise=suicides)",
    "tron": "alphabeta(depth=2, evaluate=voronoi, unwise=crashes)",
    "tron(simultaneous=True)": "alphabeta(depth=2, evaluate=voronoi, unwise=crashes)",
}
NETWORKS = {"expendibots": "neural(endings=False)"}
"""Where the heuristic is more than its network, the network alone."""


@pytest.fixture(scope="module", params=MODULES)
def lesson(request):
    game, agent = load_game(request.param), load_agent(TEACHERS[request.param])
    return Lesson(game, play_examples(game, agent, 600, seed=3, longest=80))


def inputs_of(lesson, rows, symmetry=0):
    evaluator = MODULES[str(lesson.game)].Neural
    return lesson.inputs(evaluator, rows, np.full(len(rows), symmetry, np.int64))


def test_examples_are_labelled_for_the_player_to_move(lesson):
    examples = lesson.examples
    assert len(examples.states) >= 600
    setups = examples.setups[examples.game]
    pairs = zip(setups, examples.states, strict=True)
    seats = np.array([lesson.game.position(*words).player for words in pairs])
    first = np.where(seats == 0, examples.results, -examples.results)
    for number in range(len(examples.setups)):
        assert len(set(first[examples.game == number].tolist())) <= 1  # a game has one result
    assert np.abs(examples.values).max() <= 1
    proved = np.abs(examples.values) == 1
    assert (examples.values == examples.results)[proved].mean() > 0.6  # later moves may be random


def test_the_same_seed_plays_the_same_games(lesson):
    agent = load_agent(TEACHERS[str(lesson.game)])
    again = play_examples(lesson.game, agent, 200, seed=3, longest=80)
    count = len(again.states)
    assert np.array_equal(again.states, lesson.examples.states[:count])
    assert np.array_equal(again.values, lesson.examples.values[:count])


def test_a_kernel_computes_what_the_network_does(lesson):
    module = MODULES[str(lesson.game)]
    lesson = lesson.valued(module.Neural)
    folder = files(module.__package__)
    with np.load(folder.joinpath("neural.npz")) as file:
        output, constant, *rows = file["weights"] / SCALE
    chosen = np.arange(0, len(lesson.examples.states), 7)
    sums = inputs_of(lesson, chosen) @ np.array(rows) + constant
    expected = np.tanh(sums[:, 0] + np.clip(sums[:, 1:], 0, 1) @ output[1:])
    for row, value in zip(chosen, expected, strict=True):
        setup = lesson.examples.setups[lesson.examples.game[row]]
        position = lesson.game.position(setup, lesson.examples.states[row])
        values = position.evaluate(NETWORKS.get(str(lesson.game), "neural"))
        assert values[position.player] == pytest.approx(value, abs=1e-5)
        assert values[1 - position.player] == -values[position.player]


def test_positions_that_no_network_values_are_not_learned(lesson):
    left = lesson.valued(MODULES[str(lesson.game)].Neural).examples
    kept = {state.tobytes() for state in left.states}
    out = [row for row, state in enumerate(lesson.examples.states) if state.tobytes() not in kept]
    assert len(left.states) > 100
    assert (len(out) > 50) == (lesson.game.name == "tron")  # riders who cannot meet
    for row in out:
        setup = lesson.examples.setups[lesson.examples.game[row]]
        position = lesson.game.position(setup, lesson.examples.states[row])
        expected = pytest.approx(position.evaluate("chambers"), abs=1e-8)
        assert position.evaluate("neural") == expected


def test_symmetric_positions_are_seen_alike(lesson):
    begin = 0 if lesson.game.name == "tron" else expendibots.MATERIAL  # all but the squares
    rows = np.arange(100)
    for symmetry in (1, 6):
        seen = inputs_of(lesson, rows, symmetry)[:, begin:]
        assert seen == pytest.approx(inputs_of(lesson, rows)[:, begin:])


def test_expendibots_inputs_by_hand():
    game = load_game("expendibots")
    # White: 2 on a1, 1 on h8; Black: 1 on b2, which touches a1, and 5 on h1
    position = game.parse("7A/8/8/8/8/8/1a6/B6e b 0")
    words = position.setup[np.newaxis], np.zeros(1, np.int32), position.state[np.newaxis]
    lesson = Lesson(game, Examples(*words, *(np.zeros(1, np.float32),) * 2))
    own, enemy = 0, expendibots.CLASSES * 64
    cases = [expendibots.CASES + 13 * number for number in range(expendibots.NUMBERS)]
    components, largest = (2, 2), (5, 2)
    gain, loss, gap = 1, 0, 1
    numbers = [
        own + 9, own + 4 * 64 + 7, enemy + 64, enemy + 63,
        expendibots.MATERIAL + 13 * 6 + 3,
        *(case + number for case, number in
          zip(cases, (*components, *largest, gain, loss, gap), strict=True)),
    ]  # fmt: skip
    found = lesson.inputs(expendibots.Neural, np.zeros(1, np.int64), np.zeros(1, np.int64))[0]
    assert np.flatnonzero(found).tolist() == sorted(numbers)


def test_colours_do_not_matter():
    game = load_game("expendibots")
    white = game.parse("7A/8/8/3b4/8/8/1a6/B7 w 0").evaluate("neural")
    black = game.parse("7a/8/8/3B4/8/8/1A6/b7 b 0").evaluate("neural")
    assert white == (black[1], black[0])


def test_wrong_files_of_weights_are_refused(tmp_path):
    game, position = load_game("tron"), load_game("tron").start()
    text, shape = tmp_path / "text.npz", tmp_path / "shape.npz"
    text.write_text("no weights")
    save_weights(shape, np.zeros((5, UNITS)))
    for path, reason in (
        (tmp_path / "none.npz", "there is no file"),
        (text, "is not a file of weights"),
        (shape, r"must be int16 of shape \(\d+, 32\), not int16 of shape \(5, 32\)"),
    ):
        with pytest.raises(OptionError, match=reason):
            position.evaluate(game.evaluator(f"neural(weights='{path}')"))


def test_a_network_learns_from_examples():
    game, agent = load_game("tron"), load_agent(TEACHERS["tron"])
    lesson = Lesson(game, play_examples(game, agent, 12_000, seed=1)).valued(tron.Neural)
    progress = []
    recipe = Recipe(epochs=4, batch=512, search_share=0.3)
    weights = train([lesson], tron.Neural, recipe, progress.append)
    assert progress[-1].test < 0.9 * np.square(lesson.examples.results).mean()
    hardly = Recipe(epochs=1, batch=512, rate=1e-9, search_share=0.3)
    again = train([lesson], tron.Neural, hardly, progress.append, start=weights)
    assert again == pytest.approx(weights, abs=1e-4)
