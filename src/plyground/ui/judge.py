"""The commands that say who is stronger: `sprt`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.sprt import Sprt, Trial, run_trial
from plyground.arena.tournament import play_tournament
from plyground.errors import BadOption
from plyground.ui.arguments import (
    INTERRUPTED,
    GameName,
    Json,
    Seconds,
    Seed,
    Settings,
    print_json,
    read_game,
)
from plyground.ui.terminal import console, errors, table

TICK = 0.1
"""Seconds between two looks at a trial."""


def sprt(
    game: GameName,
    a: Annotated[str, typer.Argument(metavar="A", help="Is this agent stronger")],
    b: Annotated[str, typer.Argument(metavar="B", help="than this one?")],
    elo0: Annotated[float, typer.Option(help="H0: A is so much stronger.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: A is so much stronger.")] = 10.0,
    alpha: Annotated[float, typer.Option(help="How often H1 may be accepted under H0.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often H0 may be accepted under H1.")] = 0.05,
    max_games: Annotated[int, typer.Option(min=2, help="Give up after so many games.")] = 20_000,
    opening: Annotated[int, typer.Option(min=0, help="Random plies first, for both games.")] = 4,
    seconds: Seconds = None,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Play pairs of games until it is clear whether A is stronger than B."""
    asked, played = Sprt(elo0, elo1, alpha, beta), read_game(game, settings)
    if played.facts.players != 2:
        raise BadOption(
            f"{played} is played by {played.facts.players}; a test of A and B needs two"
        )
    tournament = Tournament.make(
        {
            "game": repr(played),
            "agents": [a, b],
            "games": max_games,
            "opening": opening,
            "seconds": seconds,
            "seed": seed,
        }
    )
    distinct: set[int] = set()
    trial, stopped = _watch(asked, _noted(play_tournament(tournament), distinct), max_games)
    repeated = 1 - len(distinct) / max(1, 2 * trial.pairs)
    if as_json:
        plan = {"game": tournament.game, "agents": tournament.agents, "repeated": repeated}
        print_json(plan | trial.to_json())
    else:
        _show(tournament, trial)
    if repeated > 0.1:
        told = f"{repeated:.0%} of the games repeat an earlier one: the verdict is about few starts"
        print(f"{told}; --opening of more than {opening} plies makes more", file=sys.stderr)
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _noted(records: Iterable[Record], distinct: set[int]) -> Iterator[Record]:
    """Pass records on; games of the same moves from the same start, A in the same seat, are one."""
    for record in records:
        distinct.add(hash((record.start, record.actions, record.entrants)))
        yield record


def _watch(asked: Sprt, records: Iterator[Record], most: int) -> tuple[Trial, bool]:
    """Follow a trial under a bar from one bound to the other; where it ended, and if by Ctrl-C."""
    lower, upper = asked.bounds
    trial = Trial(asked, (0,) * 5)
    shown = 0.0
    columns = TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[more]}")
    with Progress(*columns, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"LLR {lower:.2f}", total=upper - lower, more=f"{upper:.2f}")
        try:
            for trial in run_trial(asked, records):
                if monotonic() - shown > TICK:
                    shown = monotonic()
                    left = min(trial.games_left, most - 2 * trial.pairs)
                    more = (
                        f"{upper:.2f}: now {trial.ratio:+.2f}, {2 * trial.pairs:,} games, "
                        f"Elo {trial.elo[1]:+.0f}, about {left:,} more"
                    )
                    bar.update(task, completed=trial.ratio - lower, more=more)
        except KeyboardInterrupt:
            return trial, True
    return trial, False


def _elo(trial: Trial) -> str:
    low, middle, high = trial.elo
    return f"{middle:+.0f} ({low:+.0f} to {high:+.0f})"


def _show(tournament: Tournament, trial: Trial) -> None:
    lower, upper = trial.sprt.bounds
    title = "{}: A = {}, B = {}".format(tournament.game, *tournament.agents)
    headings = ["games", "pairs 0, ¼, ½, ¾, 1", "score", "Elo (95%)", "LLR", "bounds", "verdict"]
    row = [
        f"{2 * trial.pairs:,}",
        " ".join(map(str, trial.counts)),
        f"{trial.score:.1%}",
        _elo(trial),
        f"{trial.ratio:+.2f}",
        f"{lower:.2f}, {upper:.2f}",
        trial.verdict or "none",
    ]
    console.print(table(headings, [row], title))
    told = {
        "H1": f"accepted: A is {trial.sprt.elo1:g} Elo stronger, rather than {trial.sprt.elo0:g}",
        "H0": f"accepted: A is {trial.sprt.elo0:g} Elo stronger, rather than {trial.sprt.elo1:g}",
        None: "not decided",
    }
    console.print(told[trial.verdict], style="bold")
