"""The command `train`: a network learns a game."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plyground import __version__
from plyground.arena.workers import cores
from plyground.cli.arguments import GameName, Json, Seed, Settings, print_json, read_game, say
from plyground.cli.playing import Workers
from plyground.cli.reproduce import check_folder, write_report
from plyground.cli.terminal import console, errors
from plyground.errors import BadOption
from plyground.export.report import Curve, Plot, Report, Table

if TYPE_CHECKING:
    from plyground.learn.training import Progress

NEEDED = ("jax", "flax", "optax", "orbax", "onnx", "onnxruntime")


def train(
    game: GameName,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="selfplay|solver|AGENT",
            help="What the network learns from: its own games, the game's exact solver, or an "
            "agent's games.",
        ),
    ] = "selfplay",
    preset: Annotated[
        str, typer.Option(metavar="small|full", help="Size of network and data.")
    ] = "small",
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Train for this long (default: 10).")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Train for exactly this many steps instead.")
    ] = None,
    starts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME", help="A variant of the game whose starts are used too; repeatable."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder for network, curve and checkpoints.")
    ] = Path("training"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the training in the folder.")
    ] = False,
    seed: Seed = 0,
    workers: Workers = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Train a network for a game; the best one is written as an ONNX file that agents play with."""
    check_installed()
    if minutes is not None and steps is not None:
        raise BadOption("--minutes and --steps: give one of the two")
    played = read_game(game, settings)
    check_folder(out)
    from plyground.learn.presets import recipe_of  # the framework takes seconds to load
    from plyground.learn.training import Limit, train

    recipe = recipe_of(preset, played, tuple(starts or ()), source, seed)
    limit = Limit(steps, None if steps else 60 * (minutes or 10.0))
    count = workers or cores()
    with errors.status(f"{played}: compiling, first data") as status:

        def show(progress: Progress, _: object) -> None:
            status.update(describe(progress))
            if not errors.is_terminal or progress.score is not None:
                say(describe(progress))

        train(recipe, out, limit, workers=count, threads=count, resume=resume, report=show)
    rows = read_curve(out)
    command = shlex.join(["plyground", *sys.argv[1:]])
    write_report(training_report(f"Training of {played} from {source}", command, rows), out)
    best = {"weights": str(out / "network.onnx"), "steps": rows[-1]["step"] if rows else 0}
    if as_json:
        print_json(best | {"curve": rows})
    else:
        console.print(f"best network: {best['weights']}", soft_wrap=True)
        console.print(
            f"play it: plyground play {played.name} \"alphazero(weights='{best['weights']}')\"",
            soft_wrap=True,
        )


def check_installed() -> None:
    """Raise BadOption where the packages that training needs are not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise BadOption(f"training needs {', '.join(missing)}: pip install 'plyground[learn]'")


def describe(progress: Progress) -> str:
    """Return one line about a training under way."""
    rate = progress.samples / max(progress.seconds, 1e-9)
    text = (
        f"{progress.share:.0%}  step {progress.step:,}  loss {progress.policy:.3f} policy, "
        f"{progress.value:.3f} value  best move {progress.hits:.0%}  {rate:,.0f} samples/s"
    )
    if progress.evaluations:
        each = progress.seconds or 1e-9
        games, asked = progress.games / each, progress.evaluations / each
        text += f"  {games:,.1f} games/s  {asked:,.0f} evaluations/s"
    if progress.score is not None:
        text += f"  score {progress.score:.3f}, {'kept' if progress.kept else 'not better'}"
    return text


def read_curve(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a training's curve; after a kill its last line may be cut short."""
    lines = (folder / "curve.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def training_plots(rows: list[dict[str, Any]]) -> tuple[Plot, ...]:
    """Return the plots of a training's curve: losses, and how the network played on the way."""
    if not rows:
        return ()
    minutes = tuple(row["seconds"] / 60 for row in rows)
    losses = tuple(
        Curve(name, minutes, tuple(row[name] for row in rows)) for name in ("policy", "value")
    )
    hits = Curve("best move", minutes, tuple(row["hits"] for row in rows))
    judged = [row for row in rows if row.get("score") is not None]
    plots = (
        Plot("Losses", "minutes", "loss", losses),
        Plot("Positions whose best move is the likeliest", "minutes", "share", (hits,)),
    )
    if not judged:
        return plots
    times, scores = (row["seconds"] / 60 for row in judged), (row["score"] for row in judged)
    return *plots, Plot("Play", "minutes", "score", (Curve("score", tuple(times), tuple(scores)),))


def training_report(title: str, command: str, rows: list[dict[str, Any]]) -> Report:
    """Return the page of a training."""
    judged = [row for row in rows if row["score"] is not None]
    table = tuple((row["step"], round(row["score"], 3), str(row["kept"])) for row in judged)
    return Report(
        name="training",
        title=title,
        about="Losses of the network on its batches, and how it plays: the mean return where one "
        "plays alone, else the share of points against the best network before it.",
        command=command,
        tables=(Table("Networks", ("step", "score", "kept"), table),),
        plots=training_plots(rows),
        remarks=(),
        seconds=rows[-1]["seconds"] if rows else 0.0,
        version=__version__,
    )
