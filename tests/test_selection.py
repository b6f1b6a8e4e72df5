"""Trainings: which network is kept, and what a kill, Ctrl-C or a wrong command leaves behind."""

import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp
from test_training import (  # noqa: F401 (few_games is a fixture)
    SLOW,
    SMALL_GAME,
    TAUGHT,
    TINY,
    few_games,
    press_ctrl_c,
)

from plyground import load_game
from plyground.errors import OptionError, PlygroundError
from plyground.learn import selection
from plyground.learn.assess import play_alone
from plyground.learn.curve import read_curve
from plyground.learn.learner import Learner
from plyground.learn.network import Shape, new_network
from plyground.learn.onnx import save_onnx
from plyground.learn.presets import PRESETS
from plyground.learn.recipe import Limit, Recipe
from plyground.learn.selection import BEST, LATEST, STARTS, Selection, write_network
from plyground.learn.sources import InThisProcess
from plyground.learn.training import _CtrlC as CtrlC
from plyground.learn.training import train
from plyground.search.forest import Evaluation

PUZZLE = "robots(board='maze', width=5, height=5, robots=2)"


def learned(learner, steps):
    """Let a learner have made so many steps."""
    learner.state = learner.state._replace(step=jnp.array(steps, jnp.int32))


@pytest.mark.parametrize("game", [SMALL_GAME, PUZZLE])
def test_a_network_that_is_as_good_is_kept_if_it_has_learned_longer(game, tmp_path):
    compared = Selection(Recipe((game,)), tmp_path, InThisProcess())
    learner = Learner(Shape.of(load_game(game), 8, 1))
    assert compared.compare(learner).kept  # there is no other
    compared.keep()
    assert compared.best_step == 0
    assert not compared.compare(learner).kept
    learned(learner, 7)
    assert compared.compare(learner).kept
    again = Selection(Recipe((game,)), tmp_path, InThisProcess())  # as after a kill
    again.settle(-1)
    assert again.best_step == 0
    again.settle(7)
    assert again.best_step == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == [LATEST, BEST]


def test_a_network_that_is_shown_to_be_worse_is_not_kept(tmp_path):
    compared = Selection(Recipe((PUZZLE,)), tmp_path, InThisProcess())
    learner = Learner(Shape.of(load_game(PUZZLE), 8, 1))
    best = {"returns": [0.8] * STARTS}
    write_network(learner, compared.recipe, tmp_path / BEST, best)
    learned(learner, 7)
    verdict = compared.compare(learner)
    assert verdict.high < 0.8
    assert not verdict.kept


def compared_rows(folder):
    """Return step, score and verdict of the networks of a training that were compared."""
    rows = read_curve(folder)
    return [(row["step"], row["score"], row["kept"]) for row in rows if row["score"] is not None]


class Killed(OSError):
    """The training ends without another word."""


def test_a_comparison_is_repeated_with_the_same_network_after_a_kill(tmp_path):
    recipe = replace(TAUGHT, rate=0.05)
    train(recipe, tmp_path / "whole", Limit(steps=8))

    def end(progress, _):
        if progress.step == 4:
            raise Killed

    killed = tmp_path / "killed"
    with pytest.raises(PlygroundError):
        train(recipe, killed, Limit(steps=8), report=end)
    assert Selection(recipe, killed, InThisProcess()).best_step == 2
    train(recipe, killed, Limit(steps=8), resume=True)
    whole, repeated = compared_rows(tmp_path / "whole"), compared_rows(killed)
    assert whole == repeated
    assert [step for step, *_ in whole] == [2, 4, 6, 8]
    assert len({score for _, score, _ in whole}) > 1


def test_ctrl_c_ends_a_comparison_which_is_made_up_for_later(tmp_path, monkeypatch):
    monkeypatch.setattr(selection, "GAMES", 5000)
    latest = tmp_path / LATEST

    def compared_again():
        best = tmp_path / BEST
        return best.exists() and latest.read_bytes() != best.read_bytes()

    press_ctrl_c(compared_again)
    with pytest.raises(KeyboardInterrupt):
        train(TAUGHT, tmp_path, Limit(steps=2))
    assert [row["step"] for row in read_curve(tmp_path)] == [1]
    monkeypatch.setattr(selection, "GAMES", 4)
    assert train(TAUGHT, tmp_path, Limit(steps=2), resume=True).steps == 2
    rows = read_curve(tmp_path)
    assert [(row["step"], row["score"] is None) for row in rows] == [(1, False), (2, False)]
    assert rows[1]["policy"] > 0.0


def test_ctrl_c_ends_a_comparison_of_puzzles(tmp_path, monkeypatch):
    """All that is under way in threads ends with the next answer of the network."""
    asked, main = [], threading.main_thread().ident
    compared = Selection(Recipe((PUZZLE,)), tmp_path, InThisProcess())
    learner = Learner(Shape.of(load_game(PUZZLE), 8, 1))

    def evaluate(planes, entries):
        asked.append(len(planes))
        if len(asked) == 2:
            signal.pthread_kill(main, signal.SIGINT)
        if len(asked) >= 2:
            time.sleep(0.1)
        return Evaluation(np.zeros((len(planes), 1)), np.zeros(entries.shape[:2]))

    monkeypatch.setattr(learner, "evaluate", evaluate)
    with pytest.raises(KeyboardInterrupt):
        compared.compare(learner)
    assert len(asked) < load_game(PUZZLE).facts.longest


@pytest.mark.parametrize("existed", [False, True])
def test_a_start_that_fails_leaves_nothing_behind(existed, tmp_path, run):
    folder = tmp_path / "q1"
    if existed:
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
    for source in ("alphabeta(depth=two)", "nosuch", "perfect"):
        code, _, err = run("train", "tron", "--from", source, "--out", str(folder), "--steps", "1")
        assert (code, err.count("\n")) == (2, 1)
        assert folder.exists() == existed
        assert not existed or [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_a_network_that_agents_could_not_run_is_refused_at_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr("plyground.inference.file.MOST_PRODUCTS", 2**20)
    with pytest.raises(OptionError, match="more than 1,048,576 multiplications"):
        train(TAUGHT, tmp_path / "training", Limit(steps=1))
    assert not (tmp_path / "training").exists()


def test_ctrl_c_ends_the_game_by_which_a_teacher_is_compiled(tmp_path):
    folder = tmp_path / "training"
    slow = replace(SLOW, source="mcts(simulations=1000000000, solve=False)")
    press_ctrl_c((folder / "curve.jsonl").exists)
    with pytest.raises(KeyboardInterrupt):
        train(slow, folder, Limit(steps=9))
    assert not folder.exists()


def test_ctrl_c_ends_a_wait_even_if_it_is_pressed_in_a_destructor():
    """Python drops exceptions there; JAX has such a function in every collection of garbage."""

    class Pressed:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    with CtrlC() as ctrl_c:
        assert ctrl_c.unless_pressed(lambda: [Pressed() and None, time.sleep(60)]) is None
        assert ctrl_c.pressed


def test_a_training_takes_the_size_of_the_weights_it_begins_with(tmp_path, run, monkeypatch):
    monkeypatch.setitem(PRESETS, "small", replace(TINY, games=()))
    path, folder = tmp_path / "first.onnx", tmp_path / "training"
    save_onnx(new_network(Shape.of(load_game(SMALL_GAME), 4, 2)), path, {})
    command = "train", SMALL_GAME, "--weights", str(path), "--out", str(folder), "--workers", "1"
    code, _, err = run(*command, "--steps", "1", "--channels", "8")
    assert (code, err.count("\n")) == (2, 1)
    assert "has channels 4 where this training needs 8" in err
    assert not folder.exists()
    code, _, err = run(*command, "--steps", "1")
    assert code == 0, err
    assert "4 channels x 2 blocks" in (folder / "training.md").read_text()


@pytest.mark.parametrize(
    ("about", "match"),
    [
        ({}, "does not say how large"),
        ({"channels": 10**6}, "not the size that it says"),
        ({"blocks": True}, "not the size that it says"),
        ({"more": 1}, "does not say how large"),
    ],
)
def test_weights_that_lie_about_their_size_are_refused(about, match, tmp_path, run):
    shape = Shape.of(load_game(SMALL_GAME), 4, 1)
    path, forged = tmp_path / "first.onnx", shape.to_json() | about
    if not about:
        del forged["players"]
    network = new_network(shape)
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patched:
        patched.setattr(Shape, "to_json", lambda _: forged)
        save_onnx(network, path, {})
    with pytest.raises(OptionError, match=match):
        train(replace(TINY, weights=str(path), channels=4), tmp_path / "x", Limit(steps=1))


def test_a_puzzle_that_is_solved_on_the_last_move_is_solved():
    game = load_game("robots(cap=3)")
    solver = game.solver()
    start, line = next(
        (start, solution.line)
        for start in map(game.start, range(200))
        if (solution := solver.solve(start)).score == 3
    )

    def evaluate(planes, entries):
        """Prefer the actions of the solution, in their order."""
        logits = np.full(entries.shape[:2], -100.0)
        legal = position[0].legal_actions
        logits[0, legal.index(line[position[0].ply])] = 0.0
        position[0] = position[0].play(line[position[0].ply])
        return Evaluation(np.zeros((1, 1)), logits)

    position = [start]
    played = play_alone(evaluate, [start])
    assert played.plies == (3,)
    assert played.solved == 1.0
    lost = start
    while not lost.is_over:
        lost = lost.play(lost.legal_actions[0])
    assert -1.0 == lost.returns[0] < played.returns[0] < 1.0 - 2.0 * 2 / 3
    assert solver.solve(start).value == played.returns[0]
