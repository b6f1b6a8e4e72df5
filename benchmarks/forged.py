"""Forged input through every door by which it comes in: `python -m benchmarks.forged`.

A door takes one case after the other: a file with changed bytes, numbers that no network should
give. It may refuse a case by a PlygroundError, or take it and give what is right or harmless. Any
other error, a signal, a case of more than a minute or a process of more than 3 GiB is a fault. Each
door has a process of its own. The exit status is 0 if there is no fault.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks import forged_positions
from plyground.cache import load_kernel, save_kernel
from plyground.errors import PlygroundError
from plyground.game import Game
from plyground.game.neural import load_weights, save_weights
from plyground.games import load_game
from plyground.search.forest import Evaluation, Forest, Gumbel, Puct

GAME = "connect_n(width=4, height=4, n=3)"
MOST_SECONDS = 60.0
MOST_MEMORY = 3 * 2**30
INPUTS = 20
"""Rows of a small file of weights."""
NUMBERS = (
    float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 1e30, -1e30, 800.0, -800.0, 65504.0,
    1.0, -1.0, 0.5, 0.0, -0.0, 1e-30, 6e-8, 1e-45,
)  # fmt: skip
"""Numbers that a damaged network gives, among common ones."""
ENDLESS = 3
"""How many of them are not finite: the first ones."""

Door = Callable[[Random], None]
"""Takes the case of a random stream; raises PlygroundError where it is refused."""


class FaultError(Exception):
    """A case was taken, and what came of it is wrong."""


# What comes through the doors ---------------------------------------------------------------------


def damaged(content: bytes, draw: Random) -> bytes:
    """Return a file's content with some bytes changed, cut out or put in."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        at, count = draw.randrange(len(data) + 1), draw.choice((1, 1, 2, 4, 30))
        match draw.randrange(5):
            case 0:
                data[at : at + count] = draw.randbytes(count)
            case 1:
                data[at : at + count] = bytes([draw.choice((0, 1, 127, 128, 255))]) * count
            case 2:
                del data[at : at + count]
            case 3:
                data[at:at] = data[at : at + count]
            case _:
                digits = [each for each, byte in enumerate(data) if chr(byte).isdigit()]
                if digits:
                    data[draw.choice(digits)] = draw.choice(b"0123456789")
    return bytes(data) if draw.random() < 0.95 else bytes(data[: draw.randrange(len(data) + 1)])


def damaged_archive(content: bytes, draw: Random) -> bytes:
    """Return an archive that is damaged, or one with a damaged part and a right checksum."""
    if draw.random() < 0.3:
        return damaged(content, draw)
    made = BytesIO()
    with ZipFile(BytesIO(content)) as read, ZipFile(made, "w") as written:
        chosen = draw.choice(read.namelist())
        for name in read.namelist():
            part = read.read(name)
            written.writestr(name, damaged(part, draw) if name == chosen else part)
    return made.getvalue()


def odd_numbers(shape: Sequence[int], draw: Random) -> NDArray[np.float32]:
    """Return numbers some or all of which are odd; half of the time all are finite."""
    share, numbers = draw.choice((0.05, 0.5, 1.0)), NUMBERS[draw.choice((0, ENDLESS)) :]
    flat = [
        draw.choice(numbers) if draw.random() < share else draw.uniform(-1.0, 1.0)
        for _ in range(int(np.prod(shape)))
    ]
    return np.array(flat, np.float32).reshape(shape)


def check_policy(policy: NDArray[Any]) -> None:
    """Raise FaultError unless rows are shares that add up to 1."""
    if not (np.isfinite(policy).all() and (policy >= 0.0).all()):
        raise FaultError("a policy has numbers that are no shares")
    if (np.abs(policy.sum(axis=-1) - 1.0) > 1e-3).any():
        raise FaultError("a policy does not add up to 1")


# The doors ----------------------------------------------------------------------------------------


def heuristic_weights(folder: Path) -> Door:
    """Files of weights of a neural heuristic."""
    path = folder / "weights.npz"
    save_weights(path, np.random.default_rng(1).normal(size=(INPUTS + 2, 32)))
    content = path.read_bytes()

    def enter(draw: Random) -> None:
        path.write_bytes(damaged_archive(content, draw))
        if not np.isfinite(load_weights(path, INPUTS)).all():
            raise FaultError("weights are not finite")

    return enter


def samples(folder: Path) -> Door:
    """Files of samples."""
    from plyground.learn.recipe import Recipe
    from plyground.learn.samples import joined
    from plyground.learn.sources import read_file
    from plyground.learn.teacher import lesson, make_teacher

    game, recipe, path = load_game(GAME), Recipe((GAME,)), folder / "x.samples.npz"
    teacher = make_teacher(game, "random")
    joined(lesson(teacher, game.start(seed), seed) for seed in range(2)).save(path)
    content = path.read_bytes()

    def enter(draw: Random) -> None:
        path.write_bytes(damaged_archive(content, draw))
        read = read_file(recipe, (GAME,), path).samples
        if not (np.isfinite(read.policy).all() and np.isfinite(read.values).all()):
            raise FaultError("samples are not finite")

    return enter


def _network(game: Game, path: Path) -> bytes:
    from plyground.learn.network import Shape, new_network
    from plyground.learn.onnx import save_onnx

    save_onnx(new_network(Shape.of(game, 4, 1)), path, {})
    return path.read_bytes()


def _ask(game: Game, path: Path) -> None:
    from plyground.inference import Inference

    values, policy = Inference(game, str(path)).ask_about(game.start())
    check_policy(np.array(list(policy.values())))
    if not (np.abs(values) <= 1.0).all():
        raise FaultError(f"a network's values are {values}")


def networks(folder: Path) -> Door:
    """ONNX files, which are read and asked about a position."""
    game, path = load_game(GAME), folder / "network.onnx"
    content = _network(game, path)

    def enter(draw: Random) -> None:
        path.write_bytes(damaged(content, draw))
        _ask(game, path)

    return enter


def network_weights(folder: Path) -> Door:
    """ONNX files in which only weights are changed, to odd numbers."""
    from onnx import TensorProto, load_model_from_string, numpy_helper

    game, path = load_game(GAME), folder / "network.onnx"
    content = _network(game, path)

    def enter(draw: Random) -> None:
        model = load_model_from_string(content)
        halves = [each for each in model.graph.initializer if each.data_type == TensorProto.FLOAT16]
        for array in draw.sample(halves, draw.randint(1, len(halves))):
            whole = numpy_helper.to_array(array).copy().reshape(-1)
            chosen = draw.sample(range(whole.size), draw.randint(1, min(5, whole.size)))
            with np.errstate(over="ignore"):
                whole[chosen] = odd_numbers((len(chosen),), draw).astype(np.float16)
            array.raw_data = whole.tobytes()
        path.write_bytes(model.SerializeToString())
        _ask(game, path)

    return enter


def evaluations(folder: Path) -> Door:
    """Evaluations by a network that a forest of trees is given."""
    game = load_game(GAME)
    rules = Gumbel(), Gumbel(rescale=True), Gumbel(value_scale=50.0), Puct(noise=0.25)
    forests = [Forest(game, 2, 8, rule) for rule in rules]
    position, players = game.start(), game.facts.players

    def enter(draw: Random) -> None:
        def evaluate(planes: Any, entries: Any) -> Evaluation:
            rows, actions, _ = entries.shape
            values, logits = odd_numbers((rows, players), draw), odd_numbers((rows, actions), draw)
            return Evaluation(np.nan_to_num(values), np.nan_to_num(logits) if finite else logits)

        forest, finite = draw.choice(forests), draw.random() < 0.7
        forest.plant([position, position])
        forest.grow(evaluate)
        check_policy(forest.policy)
        if not (np.abs(forest.outlooks) <= 1.0 + 1e-6).all():
            raise FaultError(f"a forest's values are {forest.outlooks}")

    return enter


def tree_values(folder: Path) -> Door:
    """Values and priors that a single tree is given."""
    from plyground.search.tree import Settings, Tree

    game = load_game(GAME)
    evaluator = game.evaluator("nothing")
    settings, actions = Settings(select="puct", priors=True, nodes=1000), game.facts.branching

    def enter(draw: Random) -> None:
        tree = Tree(game.start(), game.rules(evaluator), evaluator, settings, seed=1, leaves=4)
        for _ in range(4):
            leaves = len(tree.descend(4).players)
            values, priors = odd_numbers((leaves, 2), draw), odd_numbers((leaves, actions), draw)
            if draw.random() < 0.9:
                values, priors = np.clip(np.nan_to_num(values), -1.0, 1.0), np.abs(priors)
            tree.back_up(values, np.nan_to_num(priors) if draw.random() < 0.9 else priors)
        if not np.isfinite(tree.priors()).all():
            raise FaultError("priors are not finite")

    return enter


def trainings(folder: Path) -> Door:
    """Recipes, curves and the notes of checkpoints in a training's folder."""
    from plyground.learn.checked import write_checked
    from plyground.learn.checkpoint import MANIFEST, kept_notes
    from plyground.learn.curve import CURVE, Progress, read_curve
    from plyground.learn.recipe import FILE, Limit, Recipe, keep_recipe, read_recipe

    recipe, limit = Recipe((GAME,)), Limit(seconds=60.0)
    keep_recipe(folder, recipe, limit)
    with (folder / CURVE).open("w") as file:
        for step in range(3):
            Progress(step, 1.0, 0.5, 1, 1, 1, 0.1, 0.1, 0.1, 0.5, 0.4, 0.6).write(file)
    place = folder / "0000000001"
    place.mkdir()
    write_checked(place / MANIFEST, {"notes": {"oldest": 0}, "files": {"x": "y"}})
    paths = folder / FILE, folder / CURVE, place / MANIFEST
    contents = {path: path.read_bytes() for path in paths}

    def enter(draw: Random) -> None:
        path = draw.choice(paths)
        path.write_bytes(damaged(contents[path], draw))
        try:
            if kept_notes(folder) not in ([], [{"oldest": 0}]):
                raise FaultError("notes are not those that were kept")
            for row in read_curve(folder):
                Progress(**row)
            if read_recipe(folder) != (recipe, limit):
                raise FaultError("the recipe is not that which was kept")
        finally:
            path.write_bytes(contents[path])

    return enter


def kernels(folder: Path) -> Door:
    """Compiled kernels on disk, which are damaged or stand under each other's names."""
    os.environ["PLYGROUND_CACHE_DIR"] = str(folder)
    names = [(place, name) for place in ("a-1", "b-2") for name in ("play-1", "legal-1")]
    contents = {each: f"{each}".encode() * 20 for each in names}

    def enter(draw: Random) -> None:
        for each in names:
            save_kernel(*each, contents[each])
        paths = [folder / "kernels" / Path(*each) for each in names]
        one, other = draw.sample(paths, 2)
        if draw.random() < 0.5:
            one.write_bytes(damaged(one.read_bytes(), draw))
        else:
            one.write_bytes(other.read_bytes())
        for each in names:
            if load_kernel(*each) not in (None, contents[each]):
                raise FaultError("a kernel is not that which was saved")

    return enter


FILES: dict[str, Callable[[Path], Door]] = {
    each.__name__: each
    for each in (
        heuristic_weights, samples, networks, network_weights, evaluations, tree_values, trainings,
        kernels,
    )
}  # fmt: skip

DOORS = FILES | forged_positions.DOORS


# Through the doors --------------------------------------------------------------------------------


class Visit(NamedTuple):
    """What came of the cases of a door."""

    cases: int
    refused: int
    slowest: float
    """Seconds of the slowest case."""
    fault: str | None = None
    """What went wrong in the last case."""


def visit(
    name: str, cases: int, seed: int, note: Callable[[int], None] = lambda case: None
) -> Visit:
    """Let cases through a door until one is a fault; `note` is told each one before."""
    refused, slowest = 0, 0.0
    with TemporaryDirectory() as folder:
        enter = DOORS[name](Path(folder))
        with suppress(PlygroundError):
            enter(Random(0))  # which compiles what is needed
        for case in range(cases):
            note(case)
            began = perf_counter()
            try:
                enter(Random(f"{name} {seed} {case}"))
            except PlygroundError as error:
                refused += 1
                if "\n" in str(error):
                    return Visit(case + 1, refused, slowest, f"case {case}: more than one line")
            except Exception as error:
                return Visit(case + 1, refused, slowest, f"case {case}: {error!r}")
            slowest = max(slowest, perf_counter() - began)
            if slowest > MOST_SECONDS:
                return Visit(case + 1, refused, slowest, f"case {case}: too slow")
    return Visit(cases, refused, slowest)


def _visit(name: str, cases: int, seed: int, at: Any, results: Any) -> None:
    """Let cases through a door in a process of its own, whose memory is limited."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found = visit(name, cases, seed, lambda case: setattr(at, "value", case))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if found.fault is None and peak > MOST_MEMORY:
        found = found._replace(fault=f"{peak >> 20} MiB of memory")
    results.put((found, peak))


def main() -> None:
    """Let cases through the doors, and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forged", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="for each door; 1000 if not given")
    parser.add_argument("--seed", type=int, default=0, help="of the cases; 0 if not given")
    parser.add_argument("--only", default="", help="doors with this text in their names")
    given = parser.parse_args()
    table = Table("door", "cases", "refused", "slowest, s", "peak, MiB", "fault")
    faults, context = 0, get_context("spawn")
    for name in (door for door in DOORS if given.only in door):
        at, results = context.Value("q", -1), context.SimpleQueue()
        process = context.Process(target=_visit, args=(name, given.cases, given.seed, at, results))
        process.start()
        process.join()
        if process.exitcode == 0:
            found, peak = results.get()
        else:
            text = f"case {at.value}: the process ended with {process.exitcode}"
            found, peak = Visit(at.value + 1, 0, 0.0, text), 0
        faults += found.fault is not None
        cells = f"{found.cases:,}", f"{found.refused:,}", f"{found.slowest:.2f}", f"{peak >> 20}"
        table.add_row(name, *cells, found.fault or "")
        print(f"{name}: {found}", file=sys.stderr, flush=True)
    Console().print(table)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
