"""Networks: their shapes, their files, the learner, training that can be killed and resumed."""

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp
from flax import nnx

from plyground import load_agent, load_game
from plyground.agents.agent import Limit as MoveLimit
from plyground.errors import OptionError, PlygroundError, TextError, UnknownNameError
from plyground.game.planes import network_inputs
from plyground.games.connect_n.rules import PLIES
from plyground.inference import Inference
from plyground.inference.file import NetworkFile
from plyground.learn import checkpoint, selection
from plyground.learn.curve import CURVE, Progress, open_curve, read_curve
from plyground.learn.exact import labelled
from plyground.learn.learner import Learner
from plyground.learn.network import (
    Shape,
    expectation,
    from_bits,
    logits_of,
    new_network,
    two_points,
)
from plyground.learn.onnx import save_onnx
from plyground.learn.presets import PRESETS, SMALL, recipe_of
from plyground.learn.recipe import Limit, Recipe, SelfPlaySettings
from plyground.learn.report import training_report
from plyground.learn.samples import joined, make_batch
from plyground.learn.selection import write_network
from plyground.learn.selfplay import SelfPlay
from plyground.learn.sources import InThisProcess, SelfPlaySource, play_file, read_file, teach_file
from plyground.learn.starts import start_any
from plyground.learn.teacher import lesson, make_teacher
from plyground.learn.training import CHECKPOINTS, train
from plyground.learn.transport import pack, unpack
from plyground.search.forest import Evaluation

GAMES = (
    "connect_n", "tron", "tron(simultaneous=True)", "sheep", "robots", "expendibots",
    "examples/tic_tac_toe.py",
)  # fmt: skip
SMALL_GAME = "connect_n(width=4, height=4, n=3)"
TINY = Recipe(
    (SMALL_GAME,), channels=8, blocks=1, batch=32, shard=128, first=1, reuse=4.0,
    selfplay=SelfPlaySettings(games=16, simulations=4),
)  # fmt: skip
TAUGHT = replace(TINY, source="alphabeta(depth=2)")


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    """Compare networks in few games: who plays better does not matter here."""
    monkeypatch.setattr(selection, "GAMES", 4)


def positions(game, count):
    """Return positions after a few plies, whose games are not over."""
    drawn = np.random.default_rng(1)
    found = []
    while len(found) < count:
        position = game.start(int(drawn.integers(1000)))
        for _ in range(drawn.integers(4)):
            position = position.play(int(drawn.choice(position.legal_actions)))
            if position.is_over:
                break
        else:
            found.append(position)
    return found


def taught(spec, seed, teacher="random"):
    """Return the samples of one game by a teacher."""
    game = load_game(spec)
    return lesson(make_teacher(game, teacher), game.start(seed), seed)


@partial(nnx.jit, static_argnums=1)
def ask(network, shape, planes, entries):
    head, points = network(from_bits(planes).astype(jnp.float32))
    return expectation(points, shape), logits_of(head, entries)


@pytest.mark.parametrize("spec", GAMES)
def test_an_onnx_file_says_what_the_network_says(spec, tmp_path):
    game = load_game(spec)
    shape = Shape.of(game, channels=8, blocks=1)
    network = new_network(shape, 3)
    save_onnx(network, tmp_path / "network.onnx", {})
    inference = Inference(game, str(tmp_path / "network.onnx"))
    asked = positions(game, 6)
    inputs = network_inputs(
        game, np.stack([each.setup for each in asked]), np.stack([each.state for each in asked])
    )
    answer = inference.evaluate(inputs.planes, inputs.entries)
    values, logits = map(np.asarray, ask(network, shape, inputs.planes, inputs.entries))
    assert np.abs(answer.values - values).max() < 1e-3
    for row, position in enumerate(asked):
        count = len(position.legal_actions)
        ours, theirs = (np.exp(each[row, :count]) for each in (answer.logits, logits))
        assert np.abs(ours / ours.sum() - theirs / theirs.sum()).max() < 1e-3


def test_a_value_is_a_distribution_over_points():
    points = two_points(jnp.array([-1.0, 0.25, 1.0]), 5)
    assert points.tolist() == [[1, 0, 0, 0, 0], [0, 0, 0.5, 0.5, 0], [0, 0, 0, 0, 1]]


@pytest.mark.parametrize("spec", ["connect_n", "robots", "sheep", "expendibots"])
def test_a_batch_under_a_symmetry_is_that_of_the_image(spec):
    game = load_game(spec)
    samples = taught(spec, 5)
    rows = np.arange(min(3, samples.size))
    for symmetry in range(game.facts.symmetries):
        batch = make_batch(game, samples, rows, np.full(len(rows), symmetry))
        for row in rows:
            setup, state = samples.setups[samples.game[row]], samples.states[row]
            image = game.position(setup, state).images()[symmetry]
            expected = network_inputs(game, image.position.setup, image.position.state[np.newaxis])
            assert np.array_equal(batch.planes[row], expected.planes[0])
            of_action = dict(
                zip(image.position.legal_actions, expected.entries[0].tolist(), strict=False)
            )
            for column, action in enumerate(samples.actions[row]):
                if action >= 0:
                    entry = of_action[int(image.actions[action])]
                    assert batch.entries[row, column].tolist() == entry


@pytest.mark.parametrize("spec", ["connect_n", "robots"])
def test_samples_are_read_back_and_a_damaged_file_is_refused_by_name(spec, tmp_path):
    samples = joined(taught(spec, seed) for seed in range(3))
    path = tmp_path / "x.samples.npz"
    samples.save(path)
    again = read_file(TINY, (spec,), path).samples
    assert all(np.array_equal(a, b) for a, b in zip(samples, again, strict=True))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(TextError, match=r"x\.samples\.npz"):
        read_file(TINY, (spec,), path)


@pytest.mark.parametrize(
    ("field", "change", "match"),
    [
        ("played", lambda played: played + 1, "break the rules"),
        ("played", lambda played: np.full_like(played, 2**31 - 1), "break the rules"),
        ("played", lambda played: played.astype(np.int64), "played"),
        ("lengths", lambda lengths: lengths[::-1] * 0 + lengths.sum(), "lengths"),
        ("lengths", lambda lengths: -lengths, "lengths"),
        ("policy", lambda policy: policy[:, :-1], "policy"),
        ("policy", lambda policy: np.full_like(policy, np.nan), "policy"),
        ("policy", lambda policy: np.ones_like(policy), "break the rules"),
        ("values", lambda values: values * 1e30, "values"),
        ("seeds", lambda seeds: seeds.astype(object), "not a file of samples"),
    ],
)
def test_a_forged_file_of_samples_is_refused(field, change, match, tmp_path):
    """It holds no states: the worst that a file can say is an action that is not legal."""
    path = tmp_path / "x.samples.npz"
    joined(taught(SMALL_GAME, seed) for seed in range(3)).save(path)
    with np.load(path) as file:
        fields = dict(file)
    np.savez(path, **fields | {field: change(fields[field])})
    with pytest.raises(TextError, match=match):
        read_file(TINY, (SMALL_GAME,), path)


def test_a_solver_teaches_the_best_move_and_the_exact_value():
    samples = taught("robots", 4, "solver")
    solver = load_game("robots").solver()
    for row in range(samples.size):
        position = solver.game.position(samples.setups[0], samples.states[row])
        solution = solver.solve(position)
        best = samples.actions[row][samples.policy[row].argmax()]
        assert solver.solve(position.play(int(best))).score == solution.score - 1
        assert samples.values[row, 0] == pytest.approx(solution.value)


def test_an_agent_teaches_the_mean_of_its_value_and_the_result():
    game, agent = load_game("connect_n"), load_agent("alphabeta(depth=2)")
    samples = taught("connect_n", 5, "alphabeta(depth=2)")
    searched, results = [], set()
    for state, values in zip(samples.states, samples.values, strict=True):
        position = game.position(samples.setups[0], state)
        thought = agent.sit(game, position.player).think(position, MoveLimit(), 0)
        searched.append(thought.value if position.player == 0 else -thought.value)
        assert values[1] == -values[0]
        results.add(round(float(2 * values[0]) - searched[-1], 5))
    assert len(results) == 1  # of the game
    assert results <= {-1.0, 0.0, 1.0}
    assert len(set(searched)) > 2


def test_of_several_players_each_gets_the_mean_of_its_own_next_value_and_the_result():
    game, agent = load_game("sheep"), load_agent("maxn(depth=1)")
    samples = taught("sheep", 5, "maxn(depth=1)")
    line = [game.start(5)]
    for action in samples.played.tolist():
        line.append(line[-1].play(action))
    *line, end = line
    thoughts = [
        agent.sit(game, position.player).think(position, MoveLimit(), 0) for position in line
    ]
    for row, values in enumerate(samples.values):
        for player, result in enumerate(end.returns):
            own = (
                thought.value
                for position, thought in zip(line[row:], thoughts[row:], strict=True)
                if position.player == player
            )
            assert values[player] == pytest.approx((next(own, result) + result) / 2, abs=1e-6)
    assert len({round(float(value), 4) for value in samples.values[:, 0]}) > 5


def test_no_game_of_a_teacher_ends_by_a_random_move():
    for seed in range(8):
        samples = taught("tron", seed, "alphabeta(depth=2, evaluate=voronoi)")
        played = samples.actions == samples.played[:, np.newaxis]
        astray = samples.policy[played] == 0
        assert astray.any()
        assert not astray[-1]


def test_a_game_without_a_solver_says_so():
    with pytest.raises(OptionError, match="no exact solver"):
        make_teacher(load_game("tron"), "solver")


def test_starts_come_from_all_variants():
    variants = "robots(starts='near')", "robots(board='classic')"
    assert {repr(start_any(variants, seed).game) for seed in range(4)} == {
        repr(load_game(each)) for each in variants
    }


def test_games_begin_after_openings_that_the_seed_draws(tmp_path):
    starts = [start_any(("connect_n",), seed, opening=6) for seed in range(60)]
    assert {start.ply for start in starts} == set(range(7))
    assert starts == [start_any(("connect_n",), seed, opening=6) for seed in range(60)]
    opened = replace(TAUGHT, opening=4)
    samples, path = teach_file(opened, opened.games, 3).samples, tmp_path / "x.samples.npz"
    samples.save(path)
    again = read_file(opened, opened.games, path).samples
    assert all(np.array_equal(a, b) for a, b in zip(samples, again, strict=True))
    with pytest.raises(TextError, match="break the rules"):
        read_file(TAUGHT, TAUGHT.games, path)
    assert start_any(("robots",), 3, opening=6).ply == 0  # a puzzle has no opening


def weights(learner):
    return np.concatenate([np.ravel(each) for each in _leaves(learner.state.weights)])


def _leaves(tree):
    import jax

    return jax.tree.leaves(tree)


@pytest.mark.parametrize("recipe", [TINY, TAUGHT], ids=["selfplay", "teacher"])
def test_training_is_repeatable_and_ends_after_its_steps(recipe, tmp_path):
    rows = []
    learners = [
        train(
            recipe, tmp_path / str(workers), Limit(steps=12), workers=workers,
            report=lambda progress, _: rows.append(progress),
        )
        for workers in (1, 2)
    ]  # fmt: skip
    assert [each.steps for each in learners] == [12, 12]
    assert np.array_equal(*map(weights, learners))
    assert (tmp_path / "1" / "network.onnx").exists()
    assert rows[-1].step == 12
    assert rows[-1].score is not None


def test_the_last_network_of_a_time_is_compared_too(tmp_path):
    """Also if the time runs out while a checkpoint is written, which takes longer than a step."""
    rows = []
    for seed in range(3):
        train(
            replace(TAUGHT, seed=seed), tmp_path / str(seed), Limit(seconds=1.0),
            report=lambda progress, _: rows.append(progress), keep_every=0.0,
        )  # fmt: skip
        assert rows[-1].share == 1.0
        assert rows[-1].score is not None


SEVERAL = replace(
    TINY, source="solver", reuse=1.0, capacity=400, games=(
        "robots(board='maze', width=5, height=5, robots=2)",
        "robots(board='maze', width=7, height=6, robots=3)",
        "robots(board='maze', width=5, height=5, robots=2, starts='uniform')",
    ),
)  # fmt: skip
"""Boards of two sizes; four steps per file, one file of each size is kept."""


def test_one_network_learns_boards_of_several_sizes(tmp_path):
    """Sizes take turns, also after an interruption; the network plays on others too."""

    def interrupt(progress, _):
        if progress.step == 10:
            raise InterruptedError

    assert [len(group) for group in SEVERAL.groups] == [2, 1]
    assert [SEVERAL.files_for(step) for step in (0, 3, 4, 8)] == [2, 2, 3, 4]
    whole = train(SEVERAL, tmp_path / "whole", Limit(steps=11))
    folder = tmp_path / "interrupted"
    with pytest.raises(PlygroundError):
        train(SEVERAL, folder, Limit(steps=11), report=interrupt, every=0.0, keep_every=0.0)
    oldest = min(path.name for path in (folder / "samples").glob("*.npz"))
    assert oldest > "00000000.samples.npz"  # a later file of that size replaced it
    resumed = train(SEVERAL, folder, Limit(steps=11), resume=True)
    assert np.array_equal(weights(resumed), weights(whole))
    game = load_game("robots(board='maze', width=9, height=4, robots=4)")
    best, position = str(folder / "network.onnx"), game.start(3)
    assert load_agent(f"network(weights={best!r})").think(position).action < 16


def test_a_network_plays_itself_on_boards_of_several_sizes(tmp_path):
    learner = Learner(Shape.of(load_game(SEVERAL.games[0]), 8, 1))
    write_network(learner, SEVERAL, tmp_path / "network.onnx")
    network = (tmp_path / "network.onnx").read_bytes()
    given = SEVERAL, tmp_path, InThisProcess(), learner.snapshot, 2
    with closing(SelfPlaySource(*given, seed=1)) as source:
        for number in range(2):
            here, games = source.make(number).samples, SEVERAL.group_of(number)
            by_actor = play_file(SEVERAL, games, 3, network).samples
            for samples in (here, by_actor):
                assert samples.size >= SEVERAL.shard
                assert (samples.setups.shape[1], samples.states.shape[1]) == load_game(
                    games[0]
                ).sizes


@pytest.mark.parametrize("other", ["tron", "robots(rounds=2)"])
def test_what_one_network_cannot_learn_is_refused_at_once(other, tmp_path):
    with pytest.raises(OptionError, match=re.escape(other)):
        train(replace(TINY, games=("robots", other)), tmp_path / "x", Limit(steps=1))
    assert not (tmp_path / "x").exists()


def test_a_training_that_is_resumed_ends_after_exactly_its_steps(tmp_path):
    train(TAUGHT, tmp_path, Limit(steps=5))
    with pytest.raises(OptionError, match="--resume"):
        train(TAUGHT, tmp_path, Limit(steps=9))
    with pytest.raises(OptionError, match=r"source='alphabeta\(depth=2\)', .* to 'solver'"):
        train(replace(TAUGHT, source="solver"), tmp_path, Limit(steps=9), resume=True)
    assert train(TAUGHT, tmp_path, Limit(steps=9), resume=True).steps == 9


SLOW = replace(TAUGHT, source="mcts(simulations=400000, solve=False)", shard=4096)


def press_ctrl_c(once):
    """Press Ctrl-C a second after something is the case."""
    main = threading.main_thread().ident

    def press():
        while not once():
            time.sleep(0.05)
        time.sleep(1.0)
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()


def test_ctrl_c_ends_the_wait_for_a_slow_teacher(tmp_path):
    """Its first file would take ten minutes."""
    press_ctrl_c(multiprocessing.active_children)
    with pytest.raises(KeyboardInterrupt):
        train(SLOW, tmp_path, Limit(steps=9), workers=2)
    assert checkpoint.restore(
        tmp_path / CHECKPOINTS, Learner(Shape.of(load_game(SMALL_GAME), 8, 1)).state
    )


def test_files_and_networks_belong_to_steps():
    recipe = replace(TINY, first=2, ahead=3)  # 16 steps per file
    assert [recipe.files_for(step) for step in (0, 15, 16, 31, 32)] == [2, 2, 3, 3, 4]
    assert [recipe.played_at(number) for number in range(8)] == [0, 0, 0, 0, 0, 16, 32, 48]
    assert recipe.games_at_once(load_game(SMALL_GAME)) == 8
    assert Recipe.from_json(json.loads(json.dumps(asdict(recipe)))) == recipe


def test_a_damaged_checkpoint_is_refused_by_name_and_the_one_before_it_used(tmp_path):
    learner = Learner(Shape.of(load_game(SMALL_GAME), 8, 1))
    for step in (3, 7):
        checkpoint.save(tmp_path, step, learner.state, {"seconds": step})
    damaged = next(path for path in (tmp_path / "0000000007").rglob("*") if path.stat().st_size > 9)
    damaged.write_bytes(b"x" + damaged.read_bytes()[1:])
    restored = checkpoint.restore(tmp_path, learner.state)
    assert restored.notes == {"seconds": 3}
    assert restored.refused[0].startswith("0000000007")
    next((tmp_path / "0000000003").glob("manifest.json")).unlink()
    with pytest.raises(checkpoint.CheckpointError, match="0000000003"):
        checkpoint.restore(tmp_path, learner.state)


@pytest.mark.parametrize("damage", [b"", b"[]", b"[" * 100_000, b"\xff{}", b'{"notes": {}}'])
def test_a_damaged_manifest_does_not_end_the_training_that_is_resumed(damage, tmp_path):
    learner = Learner(Shape.of(load_game(SMALL_GAME), 8, 1))
    for step in (3, 7):
        checkpoint.save(tmp_path, step, learner.state, {"oldest": step})
    (tmp_path / "0000000007" / "manifest.json").write_bytes(damage)
    assert checkpoint.restore(tmp_path, learner.state).notes == {"oldest": 3}
    checkpoint.save(tmp_path, 5, learner.state, {"oldest": 4})
    assert [each["oldest"] for each in checkpoint.kept_notes(tmp_path)] == [3, 4]


@pytest.mark.parametrize("damage", [b"", b"[]", b"[" * 100_000, b"\xff{}", b'{"recipe": {}}'])
def test_a_damaged_recipe_is_refused_in_one_line(damage, tmp_path):
    (tmp_path / "recipe.json").write_bytes(damage)
    with pytest.raises(OptionError, match=r"recipe\.json is damaged") as raised:
        train(TINY, tmp_path, Limit(steps=1), resume=True)
    assert "\n" not in str(raised.value)


KILLED = replace(TINY, reuse=1.0, ahead=1, capacity=300)  # four steps per file, two files


def test_a_killed_training_is_the_same_as_one_that_was_not(tmp_path):
    """Kills at two moments, after checkpoints and files have come and gone."""
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from test_training import KILLED\nfrom plyground.learn.recipe import Limit\n"
        "from plyground.learn.training import train\n"
        "if __name__ == '__main__':\n"
        "    train(KILLED, Path(sys.argv[1]), Limit(steps=16), resume=True, keep_every=0.0)\n"
    )
    (tmp_path / "run.py").write_text(script)
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    folder = tmp_path / "training"
    for enough in (3, 9):
        process = subprocess.Popen(
            [sys.executable, tmp_path / "run.py", folder], env=os.environ | {"PYTHONPATH": paths}
        )
        while last_checkpoint(folder) < enough:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed = train(KILLED, folder, Limit(steps=16), resume=True)
    whole = train(KILLED, tmp_path / "whole", Limit(steps=16))
    assert killed.steps == whole.steps == 16
    assert np.array_equal(weights(killed), weights(whole))
    oldest = min(path.name for path in (folder / "samples").glob("*.npz"))
    assert oldest > "00000000.samples.npz"  # more was played than is kept
    steps = [row["step"] for row in read_curve(folder)]
    assert steps == sorted(set(steps))


def last_checkpoint(folder):
    names = (path.name for path in (folder / "checkpoints").glob("*"))
    return max((int(name) for name in names if name.isdigit()), default=0)


@pytest.mark.parametrize("free", [20, 60, 500])
def test_a_full_disk_stops_a_training_cleanly(free, tmp_path, mounted):
    """Wherever it happens: one line, and once there is room the training goes on to its end."""
    folder, recipe = tmp_path / "small", replace(TAUGHT, shard=512)
    mounted(folder, f"size={free}k")
    with pytest.raises(PlygroundError) as raised:
        train(recipe, folder, Limit(steps=64), keep_every=0.0)
    assert "No space left on device" in str(raised.value)
    assert "\n" not in str(raised.value)
    mounted(folder, "size=64m,remount")
    steps = last_checkpoint(folder) + 2
    assert train(recipe, folder, Limit(steps=steps), resume=True).steps == steps
    assert [row["step"] for row in read_curve(folder) if row["score"] is not None][-1] == steps


def test_what_cannot_be_written_is_one_line_for_each_file(tmp_path, mounted):
    """A network, a curve and a file of samples, on a disk that has no room for them."""
    folder = tmp_path / "small"
    mounted(folder, "size=8k")
    learner = Learner(Shape.of(load_game(SMALL_GAME), 8, 1))
    with pytest.raises(OSError, match="No space left"):
        write_network(learner, TINY, folder / "network.onnx")
    with pytest.raises(PlygroundError, match="No space left"):
        joined(taught(SMALL_GAME, seed) for seed in range(40)).save(folder / "x.samples.npz")
    assert list(folder.iterdir()) == []


def test_presets_are_known_by_name():
    assert recipe_of("small", load_game("tron"), (), "selfplay", 3).seed == 3
    assert recipe_of("small", load_game("tron"), (), "solver", 3).batch == SMALL.batch
    assert recipe_of("medium", load_game("tron"), (), "solver", 3).shard == PRESETS["medium"].shard
    taught = recipe_of("medium", load_game("tron"), (), "mcts", 3)
    assert (taught.batch, taught.shard) == (PRESETS["medium"].batch, SMALL.shard)
    with pytest.raises(UnknownNameError, match="full"):
        recipe_of("huge", load_game("tron"), (), "selfplay", 0)


def test_a_training_begins_with_the_weights_of_a_file(tmp_path):
    """Also of a network for a board of another size; one of another shape is refused."""
    small, large = (load_game("robots", board="maze", width=size, height=size) for size in (6, 8))
    first, path = Learner(Shape.of(small, 8, 1), seed=1), tmp_path / "first.onnx"
    save_onnx(first.network(), path, {})
    recipe = replace(TINY, games=(repr(large),), source="random", weights=str(path))
    before = train(recipe, tmp_path / "training", Limit(steps=1))
    for old, new in zip(first.state.average, before.state.average, strict=True):
        np.testing.assert_allclose(old, new, atol=2e-3)  # half precision, and one small step
    with pytest.raises(OptionError, match="has channels 8 where this training needs 4") as raised:
        train(replace(recipe, channels=4), tmp_path / "other", Limit(steps=1))
    assert "Shape(" not in str(raised.value)
    assert not (tmp_path / "other").exists()  # it can be begun there with other options


def test_networks_are_compared_with_the_weights_that_a_training_began_with(tmp_path):
    first, path = Learner(Shape.of(load_game(SMALL_GAME), 8, 1), seed=1), tmp_path / "first.onnx"
    save_onnx(first.network(), path, {})
    compared = []
    for weights in ("", str(path)):
        folder = tmp_path / f"training{len(compared)}"
        train(replace(TAUGHT, weights=weights), folder, Limit(steps=4))
        row = next(row for row in read_curve(folder) if row["score"] is not None)
        compared.append(row["high"] - row["low"] < 1.0)
    assert compared == [False, True]


def test_a_value_with_other_points_is_learned_anew(tmp_path):
    shape, path = Shape.of(load_game("tron"), 8, 1), tmp_path / "three.onnx"
    old, new = Learner(replace(shape, bins=3), seed=1), Learner(shape, seed=2)
    save_onnx(old.network(), path, {})
    fresh = new.state.weights
    new.start_from(NetworkFile(path))
    for before, kept, taken in zip(old.state.weights, fresh, new.state.weights, strict=True):
        if before.shape == kept.shape:
            np.testing.assert_allclose(taken, before, atol=1e-3)  # half precision
        else:
            assert before.shape[-1] == 3
            assert np.array_equal(taken, kept)


# Playing -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def untrained(tmp_path_factory):
    """Networks of random weights, by game."""
    folder = tmp_path_factory.mktemp("weights")

    def make(game):
        path = folder / f"{game.name}.onnx"
        if not path.exists():
            save_onnx(new_network(Shape.of(game, 8, 1), 1), path, {})
        return str(path)

    return make


@pytest.mark.parametrize("spec", [*GAMES, "sheep(hidden=True)"])
@pytest.mark.parametrize("agent", ["network", "alphazero"])
def test_networks_play_every_game(spec, agent, untrained):
    game = load_game(spec)
    player = load_agent(f"{agent}(weights={untrained(game)!r})")
    position = game.start(3)
    for _ in range(3):
        thought = player.think(position.observe(position.player))
        assert thought.action in position.legal_actions
        assert -1.0 <= thought.value <= 1.0
        position = position.play(thought.action)
        if position.is_over:
            break


@pytest.mark.parametrize("spec", ["connect_n", "robots"])
def test_search_ends_when_its_time_is_up(spec, untrained):
    """Also a short one, which runs in the calling thread."""
    game = load_game(spec)
    agent = load_agent(f"alphazero(weights={untrained(game)!r})")
    thought = agent.think(game.start(), MoveLimit(seconds=0.05))
    assert 0 < thought.nodes < 100_000  # without a clock it would be the most that a tree holds


def test_search_with_any_network_finds_a_win_in_one(untrained):
    position = load_game("connect_n")
    position = position.start().play(0).play(6).play(1).play(6).play(2).play(5)
    weights = untrained(position.game)
    thought = load_agent(f"alphazero(weights={weights!r}, evaluations=40)").think(position)
    assert position.play(thought.action).returns == (1.0, -1.0)
    assert thought.proof is not None


def test_the_shipped_network_solves_robots():
    game = load_game("robots(starts='uniform')")
    player = load_agent("network")
    solved = 0
    for seed in range(12):
        position = game.start(7_000 + seed)
        with player.sit(game, 0) as seated:
            while not position.is_over:
                position = position.play(seated.think(position).action)
        solved += position.returns[0] > -1.0
    assert solved >= 11


def test_the_curve_of_a_training_is_written(tmp_path):
    train(TAUGHT, tmp_path, Limit(steps=4), every=0.0)
    rows = read_curve(tmp_path)
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    assert rows[-1]["low"] <= rows[-1]["score"] <= rows[-1]["high"]
    with (tmp_path / CURVE).open("a") as file:
        file.write('{"step": 5, "sec')  # cut short by a kill
    with open_curve(tmp_path) as file:
        Progress(**rows[2]).write(file)  # made again after it
    assert [row["step"] for row in read_curve(tmp_path)] == [1, 2, 3]


def test_the_page_of_a_training_rates_its_networks():
    figures = {"seconds": 60.0, "policy": 1.0, "value": 1.0, "hits": 0.5}
    counts = {"samples": 0, "games": 0, "evaluations": 0}
    scores = (0.5, 0.0, 1.0, True), (0.75, 0.6, 0.9, True), (0.25, 0.1, 0.4, False), (1, 0.9, 1, 1)
    names = "score", "low", "high", "kept"
    rows = [
        {"step": step, **dict(zip(names, each, strict=True)), **figures, **counts}
        for step, each in enumerate(scores, 1)
    ]
    page = training_report(TINY, "plyground train", rows)
    # +191 for three quarters; all of 64 games count as 63.5 of them.
    assert [row[-1] for row in page.tables[0].rows] == ["+0", "+191", "+0", "+1032"]
    *_, play = page.plots
    (curve,) = play.curves
    assert (play.up, curve.x) == ("Elo", (1.0,) * 4)
    assert [round(each) for each in curve.y] == [0, 191, 0, 1032]
    assert [round(each) for each in curve.low] == [0, 70, -191, 573]
    # Without the first row the second is a comparison with what the training began with.
    (curve,) = training_report(TINY, "plyground train", rows[1:]).plots[-1].curves
    assert curve.x == (0.0, 1.0, 1.0, 1.0)
    assert [round(each) for each in curve.y] == [0, 191, 0, 1032]
    alone = replace(TINY, games=("robots",))
    page = training_report(alone, "plyground train", rows)
    assert page.tables[0].headings[-1] == "kept"
    assert page.plots[-1].curves[0].y == (0.5, 0.75, 0.25, 1)


def test_the_command_ends_with_a_page_and_resumes_as_it_began(run, tmp_path, monkeypatch):
    monkeypatch.setitem(PRESETS, "small", replace(TINY, games=()))
    command = "train", SMALL_GAME, "--out", str(tmp_path), "--workers", "1"
    code, _, err = run(*command, "--steps", "4", "--seed", "3")
    assert code == 0, err
    page = (tmp_path / "training.md").read_text()
    assert "95% interval" in page
    assert "evaluations/s" in page
    assert page.count(" | Elo |") == 1
    code, out, _ = run(*command, "--resume", "--steps", "6", "--json")
    assert (code, json.loads(out)["steps"]) == (0, 6)  # seed and source are those of the recipe
    for more, words in (
        (("--seed", "4"), "seed=3"),
        (("--from", "solver"), "source='selfplay'"),
        (("--preset", "full"), "channels=8"),
        (("--blocks", "3"), "blocks=1"),
        (("--set", "n=4"), "games="),
    ):
        code, _, err = run(*command, "--resume", *more)
        assert (code, err.count("\n")) == (2, 1)
        assert words in err


def test_one_process_plays_for_an_accelerator(tmp_path):
    """There the learner's own network plays; file by file, and read back after a kill."""
    learner = Learner(Shape.of(load_game(SMALL_GAME), 8, 1))
    given = TINY, tmp_path, InThisProcess(), learner.snapshot, 2
    with closing(SelfPlaySource(*given, seed=1)) as source:
        made = source.make(0)
    assert made.samples.size >= TINY.shard
    assert made.evaluations > made.samples.size
    with closing(SelfPlaySource(*given, seed=2)) as source:
        again = source.make(0)
    assert np.array_equal(again.samples.states, made.samples.states)


def test_planes_are_the_same_after_transport():
    random = np.random.default_rng(3)
    for shape in ((5, 13, 6, 7), (40, 32, 4, 4)):
        levels = random.integers(0, 60_000, (*shape[:2], 1, 1)).astype(np.uint16)
        planes = (random.random(shape) < 0.4) * levels
        packed = pack(planes)
        assert packed is not None
        assert (np.asarray(unpack(packed, shape[1:])) == planes).all()
        planes[0, 1, 0, :2] = 7, 8
        assert pack(planes) is None


def test_late_positions_of_self_play_get_exact_labels():
    game = load_game("connect_n(width=4, height=4)")
    learner = Learner(Shape.of(game, 4, 1))
    samples = SelfPlay(game, learner.evaluate, games=2, simulations=2).play_out(40)
    exact, solver = labelled(samples, (repr(game),)), game.solver()
    assert (samples.policy != exact.policy).any()
    for row in range(0, samples.size, 3):
        position = game.position(samples.setups[samples.game[row]], samples.states[row])
        solutions = solver.values(position)
        best = max(each.value for each in solutions.values())
        chosen = exact.actions[row][exact.policy[row] > 0]
        assert {solutions[action].value for action in chosen.tolist()} == {best}
        assert exact.policy[row].sum() == pytest.approx(1)
        assert np.sign(exact.values[row, position.player]) == np.sign(best)
    with pytest.raises(OptionError, match="has no exact solver"):
        labelled(samples, ("tron",))


def games_without_knowledge(game):
    """Return games of a network that finds all positions and actions equal."""

    def evaluate(planes, entries):
        flat = np.zeros(entries.shape[:2], np.float32)
        return Evaluation(np.zeros((len(planes), 2), np.float32), flat)

    return SelfPlay(game, evaluate, games=2, simulations=2).play_out(40)


def test_openings_of_self_play_get_exact_labels_from_the_book(monkeypatch):
    game = load_game("connect_n")
    solver = game.solver()
    samples = games_without_knowledge(game)
    for limit in ("MOST_NODES", "DEEP_NODES"):
        monkeypatch.setattr(f"plyground.learn.exact.{limit}", 1)
    exact = labelled(samples, (repr(game),))
    changed = (exact.policy != samples.policy).any(axis=1)
    known = np.flatnonzero(changed & exact.policy.any(axis=1))
    for row in known.tolist():
        position = game.position(samples.setups[samples.game[row]], samples.states[row])
        solutions = solver.values(position)
        chosen = exact.actions[row][exact.policy[row] > 0].tolist()
        best = max(solutions.values(), key=lambda each: (each.value, each.score))
        assert {solutions[action].score for action in chosen} == {best.score}
        assert np.sign(exact.values[row, position.player]) == np.sign(best.value)
    plies = {int(samples.states[row][PLIES]) for row in known}
    assert plies >= set(range(solver.book.plies))


def test_search_policies_are_learned_only_in_games_that_the_solver_gets_many_nodes_for(monkeypatch):
    game = load_game("connect_n")
    samples = games_without_knowledge(game)
    for limit in ("MOST_NODES", "DEEP_NODES"):
        monkeypatch.setattr(f"plyground.learn.exact.{limit}", 1)
    middle = samples.states[:, PLIES] == game.solver().book.plies
    for deep, learned in ((1, True), (2**62, False)):
        monkeypatch.setattr("plyground.learn.exact.DEEP", deep)
        exact = labelled(samples, (repr(game),))
        assert (exact.policy[middle].any(axis=1) == learned).all()
        if learned:
            assert np.array_equal(exact.policy[middle], samples.policy[middle])
