"""Kill a training at random moments and compare it with one that ran through.

    python -m benchmarks.kills

A training of `--steps` is started, killed (SIGKILL) at random moments and resumed, with a
checkpoint after every step. At the end its steps, its weights and its samples must be those of a
training that was never killed. The exit status is 0 if they are.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep

import jax
import numpy as np
from numpy.typing import NDArray

from plyground.games import load_game
from plyground.learn.checkpoint import restore
from plyground.learn.learner import Learner
from plyground.learn.network import Shape
from plyground.learn.recipe import Limit, Recipe, SelfPlaySettings
from plyground.learn.training import train

GAME = "connect_n(width=4, height=4, n=3)"
RECIPE = Recipe(
    (GAME,), channels=8, blocks=1, batch=32, shard=128, first=1, reuse=2.0, ahead=2, capacity=600,
    selfplay=SelfPlaySettings(games=16, simulations=4),
)  # fmt: skip


def main() -> None:
    """Run the trainings, and print what happened."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="how many; 10 if not given")
    parser.add_argument("--steps", type=int, default=200, help="of the training; 200 if not given")
    parser.add_argument("--workers", type=int, default=2, help="processes; 2 if not given")
    parser.add_argument("--seed", type=int, default=0, help="of the moments; 0 if not given")
    parser.add_argument("--folder", type=Path, help="train in this folder to the end, nothing else")
    given = parser.parse_args()
    if given.folder is not None:
        limit = Limit(steps=given.steps)
        train(RECIPE, given.folder, limit, workers=given.workers, resume=True, keep_every=0.0)
        return
    with TemporaryDirectory() as folder:
        sys.exit(compare(given, Path(folder)))


def compare(given: argparse.Namespace, folder: Path) -> int:
    """Return 0 if the training that was killed is the same as the one that was not."""
    _start(given, folder / "whole").wait()
    random, kills = Random(given.seed), list[int]()
    for _ in range(given.kills):
        enough = _steps(folder / "killed") + random.randrange(given.steps // given.kills)
        process = _start(given, folder / "killed")
        while _steps(folder / "killed") < enough and process.poll() is None:
            sleep(0.01)
        sleep(random.uniform(0.0, 0.5))  # in the middle of a step, of a file or of the start
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills.append(_steps(folder / "killed"))
        print(f"killed after step {kills[-1]}", file=sys.stderr, flush=True)
    _start(given, folder / "killed").wait()
    ours, theirs = _weights(folder / "killed"), _weights(folder / "whole")
    same = np.array_equal(ours, theirs) and _samples(folder / "killed") == _samples(
        folder / "whole"
    )
    steps = _steps(folder / "killed")
    print(json.dumps({"kills_at": kills, "steps": steps, "same": bool(same)}))
    return 0 if same and steps == given.steps else 1


def _start(given: argparse.Namespace, folder: Path) -> subprocess.Popen[bytes]:
    numbers = ["--steps", str(given.steps), "--workers", str(given.workers)]
    command = [sys.executable, "-m", "benchmarks.kills", "--folder", str(folder), *numbers]
    return subprocess.Popen(command, env=os.environ)


def _steps(folder: Path) -> int:
    names = (path.name for path in (folder / "checkpoints").glob("*"))
    return max((int(name) for name in names if name.isdigit()), default=0)


def _weights(folder: Path) -> NDArray[np.float32]:
    like = Learner(Shape.of(load_game(GAME), RECIPE.channels, RECIPE.blocks)).state
    restored = restore(folder / "checkpoints", like)
    assert restored is not None
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(restored.state)])


def _samples(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "samples").glob("*.npz")}


if __name__ == "__main__":
    main()
