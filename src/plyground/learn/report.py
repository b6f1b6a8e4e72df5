"""The page of a training: its losses, its speed, and how the network played on the way."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from plyground import __version__
from plyground.arena.sprt import difference
from plyground.export.report import Cell, Curve, Plot, Report, Table
from plyground.games import load_game
from plyground.learn.recipe import Recipe
from plyground.learn.selection import GAMES

HALF_A_GAME = 0.5 / GAMES

Rows = list[dict[str, Any]]
"""The rows of a training's curve, see `curve.Progress`."""


def training_report(recipe: Recipe, command: str, rows: Rows) -> Report:
    """Return the page of a training from the rows of its curve."""
    judged = [row for row in rows if row["score"] is not None]
    rated = load_game(recipe.games[0]).facts.players == 2
    return Report(
        name="training",
        title=f"Training of {recipe.games[0]} from {recipe.source}",
        about="Losses of the network on its batches, and how it plays: the mean return where one "
        "plays alone, else the share of points against the best network before it, and with two "
        "players the rating that follows (Elo, the first network at 0).",
        command=command,
        tables=(_networks(judged, rated), _figures(recipe, rows)),
        plots=training_plots(rows, rated),
        remarks=(),
        seconds=rows[-1]["seconds"] if rows else 0.0,
        version=__version__,
    )


def _networks(judged: Rows, rated: bool) -> Table:
    """Return a table of the networks that were compared; with two players they have ratings."""
    headings = ("step", "minutes", "score", "95% interval", "kept")
    table: list[tuple[Cell, ...]] = []
    for row, rating in zip(judged, _ratings(judged), strict=True):
        interval = f"{row['low']:.3f} to {row['high']:.3f}"
        cells = row["step"], f"{row['seconds'] / 60:.1f}", f"{row['score']:.3f}", interval
        kept = "yes" if row["kept"] else "no"
        table.append((*cells, kept, f"{rating.elo:+.0f}") if rated else (*cells, kept))
    return Table("Networks", (*headings, "Elo") if rated else headings, tuple(table))


class Rating(NamedTuple):
    """The rating of a network, and its 95% interval if that of its opponent were exact."""

    elo: float
    low: float
    high: float


def _ratings(judged: Rows) -> list[Rating]:
    """Return the ratings of the networks that were compared.

    A rating is that of the best network before plus what the score against it is worth. A network
    that won or lost every game counts as if half a game had gone the other way.
    """
    ratings, best = [], 0.0
    for row in judged:
        shares = row["score"], row["low"], row["high"]
        if not _has_opponent(row):
            shares = 0.5, 0.5, 0.5
        rating = Rating(
            *(best + difference(min(max(each, HALF_A_GAME), 1.0 - HALF_A_GAME)) for each in shares)
        )
        ratings.append(rating)
        best = rating.elo if row["kept"] else best
    return ratings


def _has_opponent(row: dict[str, Any]) -> bool:
    """Return whether a network was compared with one before it: the first one was not."""
    return bool(row["high"] - row["low"] < 1.0)


def _figures(recipe: Recipe, rows: Rows) -> Table:
    """Return what the training used, and how fast it was."""
    table: list[tuple[Cell, ...]] = [
        ("network", f"{recipe.channels} channels x {recipe.blocks} blocks"),
        ("seed", recipe.seed),
    ]
    if rows:
        last, seconds = rows[-1], max(rows[-1]["seconds"], 1e-9)
        table.append(("steps", last["step"]))
        for name in ("samples", "games", "evaluations"):
            if last[name]:
                table += [(name, last[name]), (f"{name}/s", last[name] / seconds)]
    return Table("Figures", ("", "value"), tuple(table))


def training_plots(rows: Rows, rated: bool) -> tuple[Plot, ...]:
    """Return the plots of a curve, without those that would be empty; `rated`: play is in Elo."""
    judged = [row for row in rows if row["score"] is not None]
    minutes = tuple(row["seconds"] / 60 for row in rows)
    losses = tuple(
        Curve(name, minutes, tuple(row[name] for row in rows)) for name in ("policy", "value")
    )
    hits = Curve("best move", minutes, tuple(row["hits"] for row in rows))
    play = _rating_curve(judged) if rated else _score_curve(judged)
    plots = (
        Plot("Losses", "minutes", "loss", losses),
        Plot("Positions whose best move is the likeliest", "minutes", "share", (hits,)),
        Plot("Play", "minutes", "Elo" if rated else "score", (play,)),
        Plot("Games", "minutes", "games/s", (_speed("games", rows),)),
        Plot(
            "Evaluations by the network", "minutes", "evaluations/s", (_speed("evaluations", rows),)
        ),
    )
    return tuple(plot for plot in plots if plot.curves[0].x)


def _score_curve(judged: Rows) -> Curve:
    """Return the scores, each against the best network before it or, alone, the mean return."""
    columns = (tuple(row[name] for row in judged) for name in ("score", "low", "high"))
    return Curve("score", tuple(row["seconds"] / 60 for row in judged), *columns)


def _rating_curve(judged: Rows) -> Curve:
    """Return the ratings; the network that a training began with is at 0."""
    minutes = [row["seconds"] / 60 for row in judged]
    ratings = _ratings(judged)
    if judged and _has_opponent(judged[0]):
        minutes, ratings = [0.0, *minutes], [Rating(0.0, 0.0, 0.0), *ratings]
    columns = zip(*ratings, strict=True) if ratings else ((), (), ())
    return Curve("rating", tuple(minutes), *columns)


def _speed(name: str, rows: Rows) -> Curve:
    """Return how much of something was done per second between two rows; empty: none at all."""
    pairs = [pair for pair in pairwise(rows) if pair[1]["seconds"] > pair[0]["seconds"]]
    if not rows or not rows[-1][name]:
        pairs = []
    speeds = [
        (after[name] - before[name]) / (after["seconds"] - before["seconds"])
        for before, after in pairs
    ]
    return Curve(name, tuple(after["seconds"] / 60 for _, after in pairs), tuple(speeds))
