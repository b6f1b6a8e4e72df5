"""The command `train`: a network learns a game."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plyground.arena.workers import cores
from plyground.cli.arguments import GameName, Json, Settings, print_json, read_game, say
from plyground.cli.playing import Ray, Workers
from plyground.cli.reproduce import write_report
from plyground.cli.terminal import console, errors
from plyground.errors import OptionError
from plyground.export.report import require_plots
from plyground.game import Game

if TYPE_CHECKING:  # the framework takes seconds to load
    from plyground.learn.curve import Progress
    from plyground.learn.recipe import Limit, Recipe

NEEDED = ("jax", "flax", "optax", "orbax", "onnx", "onnxruntime")


def train(
    game: GameName,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="selfplay|solver|selfplay+solver|AGENT",
            help="What the network learns from: its own games (the default), the game's exact "
            "solver, its own games whose late positions the solver labels, or an agent's games.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="small|medium|full", help="Size of network and data (default: small)."
        ),
    ] = None,
    channels: Annotated[
        int | None, typer.Option(min=1, help="Channels of the network (default: the preset's).")
    ] = None,
    blocks: Annotated[
        int | None, typer.Option(min=1, help="Residual blocks of the network (default: likewise).")
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(min=1, help="Simulations per move of self-play (default: likewise)."),
    ] = None,
    reuse: Annotated[
        float | None,
        typer.Option(min=0.1, help="How often a sample is seen, on average (default: likewise)."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME", help="Begin with the weights of a network, and with its size."
        ),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Train for this long (default: 10).")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Train for exactly this many steps instead.")
    ] = None,
    starts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME",
            help="A variant of the game that is learned too, on a board of any size; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder for network, curve and checkpoints.")
    ] = Path("training"),
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue the training in the folder: what it began with need not be given again.",
        ),
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed: the same seed repeats the run.")
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Train a network for a game; the best one is written as an ONNX file that agents play with."""
    check_installed()
    if minutes is not None and steps is not None:
        raise OptionError("--minutes and --steps: give one of the two")
    played = read_game(game, settings)
    require_plots()
    from plyground.learn.curve import read_curve
    from plyground.learn.onnx import weights_shape
    from plyground.learn.report import training_report
    from plyground.learn.training import train

    recipe, limit = read_plan(played, source, preset, starts, seed, out if resume else None)
    if weights is not None and not resume:  # a training that is resumed has its sizes
        kept = weights_shape(played, weights)
        recipe = replace(recipe, channels=kept.channels, blocks=kept.blocks)
    recipe = changed(recipe, channels, blocks, simulations, reuse, weights)
    if minutes is not None or steps is not None:
        limit = limit._replace(steps=steps, seconds=None if minutes is None else 60 * minutes)
    count = workers or cores()
    with errors.status(f"{played}: compiling, first data") as status:

        def show(progress: Progress, _: object) -> None:
            status.update(describe(progress))
            if not errors.is_terminal or progress.score is not None:
                say(describe(progress))

        train(recipe, out, limit, workers=count, ray=ray, threads=count, resume=resume, report=show)
    rows = read_curve(out)
    command = shlex.join(["plyground", *sys.argv[1:]])
    write_report(training_report(recipe, command, rows), out)
    best = {"weights": str(out / "network.onnx"), "steps": rows[-1]["step"] if rows else 0}
    if as_json:
        print_json(best | {"curve": rows})
    else:
        console.print(f"best network: {best['weights']}", soft_wrap=True)
        console.print(
            f"play it: plyground play {played.name} \"alphazero(weights='{best['weights']}')\"",
            soft_wrap=True,
        )


def read_plan(
    game: Game,
    source: str | None,
    preset: str | None,
    starts: list[str] | None,
    seed: int | None,
    resumed: Path | None,
) -> tuple[Recipe, Limit]:
    """Return the recipe of a command line and its limit; what is not given is as it was kept."""
    from plyground.learn.presets import recipe_of
    from plyground.learn.recipe import SELFPLAY, Limit, read_recipe

    if resumed is None:
        given = tuple(starts or ()), source or SELFPLAY, seed or 0
        return recipe_of(preset or "small", game, *given), Limit(seconds=600.0)
    kept, limit = read_recipe(resumed)
    asked = recipe_of(
        preset or "small",
        game,
        kept.games[1:] if starts is None else tuple(starts),
        kept.source if source is None else source,
        kept.seed if seed is None else seed,
    )
    if preset is None:
        asked = replace(kept, games=asked.games, source=asked.source, seed=asked.seed)
    return asked, limit


def changed(
    recipe: Recipe,
    channels: int | None,
    blocks: int | None,
    simulations: int | None,
    reuse: float | None,
    weights: str | None,
) -> Recipe:
    """Return a recipe with other sizes and first weights where they are given."""
    selfplay = recipe.selfplay
    return replace(
        recipe,
        channels=channels or recipe.channels,
        blocks=blocks or recipe.blocks,
        reuse=reuse or recipe.reuse,
        weights=weights or recipe.weights,
        selfplay=replace(selfplay, simulations=simulations or selfplay.simulations),
    )


def check_installed() -> None:
    """Raise OptionError where the packages that training needs are not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise OptionError(f"training needs {', '.join(missing)}: pip install 'plyground[learn]'")


def describe(progress: Progress) -> str:
    """Return one line about a training under way."""
    rate = progress.samples / max(progress.seconds, 1e-9)
    text = (
        f"{progress.share:.0%}  step {progress.step:,}  loss {progress.policy:.3f} policy, "
        f"{progress.value:.3f} value  best move {progress.hits:.0%}  {rate:,.0f} new samples/s"
    )
    if progress.evaluations:
        each = progress.seconds or 1e-9
        games, asked = progress.games / each, progress.evaluations / each
        text += f"  {games:,.1f} games/s  {asked:,.0f} evaluations/s"
    if progress.score is not None:
        text += f"  score {progress.score:.3f}, {'kept' if progress.kept else 'worse'}"
    return text
