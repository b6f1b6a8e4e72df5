"""The command `sprt`: a sequential test of whether one agent is stronger than another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn

from plyground.arena.plan import Tournament, new_plan
from plyground.arena.record import Record
from plyground.arena.repeats import Repeats
from plyground.arena.sprt import Sprt, Trial, run_trial
from plyground.cli import INTERRUPTED
from plyground.cli.arguments import (
    GameName,
    Json,
    Seconds,
    Seed,
    Settings,
    StoreToWrite,
    Strict,
    print_json,
    read_game,
    say,
)
from plyground.cli.entrants import check_named
from plyground.cli.playing import (
    Clock,
    MaxPlies,
    Nodes,
    OpeningRule,
    Ponder,
    Ray,
    Resume,
    SecondsOf,
    Simulations,
    Workers,
    new_pool,
    playing,
)
from plyground.cli.terminal import (
    Watched,
    console,
    errors,
    more_starts,
    print_forfeits,
    repeats_text,
    table,
)
from plyground.errors import OptionError
from plyground.games import load_game

TICK = 0.1
"""Seconds between two updates of the progress bar."""


def sprt(
    game: GameName,
    a: Annotated[
        str, typer.Argument(metavar="A", help="The agent to test; label=agent gives it a name.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The agent that A is compared with.")],
    elo0: Annotated[float, typer.Option(help="H0: A is stronger by this many Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: A is stronger by this many Elo.")] = 10.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 if H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 if H1 is true.")] = 0.05,
    max_games: Annotated[int, typer.Option(min=2, help="Stop after this many games.")] = 20_000,
    opening: Annotated[
        int, typer.Option(min=0, help="Random plies at the start, the same for a pair.")
    ] = 4,
    opening_rule: OpeningRule = None,
    seconds: Seconds = None,
    seconds_of: SecondsOf = None,
    clock: Clock = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    max_plies: MaxPlies = None,
    ponder: Ponder = None,
    seed: Seed = 0,
    strict: Strict = False,
    workers: Workers = None,
    ray: Ray = None,
    store: StoreToWrite = "",
    resume: Resume = False,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Test whether agent A is stronger than B, with as few games as needed (SPRT)."""
    test, loaded = Sprt(elo0, elo1, alpha, beta), read_game(game, settings)
    if loaded.facts.players != 2:
        raise OptionError(f"sprt needs a game of two players; {loaded} has {loaded.facts.players}")
    given = {
        "seconds_of": seconds_of or None, "clock": clock, "nodes": nodes,
        "simulations": simulations, "max_plies": max_plies, "ponder": ponder,
    }  # fmt: skip
    tournament = new_plan(
        {
            "game": repr(loaded),
            "agents": [a, b],
            "games": max_games,
            "opening": opening,
            "opening_rule": opening_rule,
            "seconds": seconds,
            "seed": seed,
        }
        | {name: value for name, value in given.items() if value is not None}
    )
    for name, spec in zip(tournament.labels, tournament.agents, strict=True):
        check_named(name, spec, loaded)
    with (
        new_pool(workers, ray, tournament.total) as pool,
        playing(tournament, pool, store, resume, opening_rule is None) as plan,
    ):
        trial, watched, equal = follow(test, tournament, plan.games)
        plan.stopped, plan.verdict = watched.stopped, trial.verdict
    if as_json:
        setting = {"game": tournament.game, "agents": tournament.agents, "run": plan.run}
        print_json(setting | {"names": tournament.labels} | trial.to_json())
    else:
        show_trial(tournament, trial)
        print_forfeits(watched, tournament.labels)
    warn_of_few_starts(trial, equal, opening)
    if watched.stopped:
        raise typer.Exit(INTERRUPTED)


def follow(test: Sprt, plan: Tournament, records: Iterator[Record]) -> tuple[Trial, Watched, float]:
    """Show a trial as a progress bar between the bounds, until its end or Ctrl-C.

    Return the trial, what was counted, and the share of its games that equal another by chance, as
    games of random agents and other people's programs may, and therefore count.
    """
    watched, games = Watched(), {}  # type: Watched, dict[int, int]
    repeats, options = Repeats(load_game(plan.game).facts), plan.changed()
    lower, upper = test.bounds
    trial = Trial(test, (0,) * 5)
    shown = 0.0
    columns = TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[more]}")
    with Progress(*columns, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"LLR {lower:.2f}", total=upper - lower, more=f"{upper:.2f}")
        try:
            counted = _counted(records, watched, games)
            for trial in run_trial(test, counted, lambda record: repeats.is_new(record, options)):
                if monotonic() - shown > TICK:
                    shown = monotonic()
                    left = min(trial.games_left, plan.games - 2 * trial.pairs - trial.repeats)
                    more = (
                        f"{upper:.2f}: now {trial.ratio:+.2f}, {2 * trial.pairs:,} games, "
                        f"Elo {trial.elo[1]:+.0f}, about {left:,} more"
                    )
                    bar.update(task, completed=trial.ratio - lower, more=more)
        except KeyboardInterrupt:
            watched.stopped = True
    played = 2 * trial.pairs + trial.repeats
    different = len({game for number, game in games.items() if number < played})
    return trial, watched, max(0, 2 * trial.pairs - different) / max(1, 2 * trial.pairs)


def _counted(
    records: Iterable[Record], watched: Watched, games: dict[int, int]
) -> Iterator[Record]:
    """Yield records; add to `games` a hash of each, equal for equal starts, seats and moves."""
    for record in records:
        watched.count += 1
        if record.fault is not None:
            watched.forfeits.append(record)
        games[record.number] = hash((record.start, record.actions, record.entrants))
        yield record


def warn_of_few_starts(trial: Trial, equal: float, opening: int) -> None:
    """Print a warning if many games are equal because there are too few starts."""
    if trial.repeats:
        say(f"{repeats_text(trial.repeats)}; {more_starts(opening)}")
    elif equal > 0.1:
        few = f"{equal:.0%} of the games equal an earlier one: the verdict depends on few starts"
        say(f"{few}; {more_starts(opening)}")


def _elo(trial: Trial) -> str:
    low, middle, high = trial.elo
    return f"{middle:+.0f} ({low:+.0f} to {high:+.0f})"


def show_trial(tournament: Tournament, trial: Trial) -> None:
    """Print the result of a trial and its verdict."""
    lower, upper = trial.sprt.bounds
    title = "{}: A = {}, B = {}".format(tournament.game, *tournament.labels)
    headings = ["games", "pairs 0, ¼, ½, ¾, 1", "score", "Elo (95%)", "LLR", "bounds", "verdict"]
    row = [
        f"{2 * trial.pairs:,}",
        " ".join(map(str, trial.quarters)),
        f"{trial.score:.1%}",
        _elo(trial),
        f"{trial.ratio:+.2f}",
        f"{lower:.2f}, {upper:.2f}",
        trial.verdict or "none",
    ]
    console.print(table(headings, [row], title, ("bounds", "pairs 0, ¼, ½, ¾, 1")))
    meaning = {
        "H1": f"accepted: A is {trial.sprt.elo1:g} Elo stronger, rather than {trial.sprt.elo0:g}",
        "H0": f"accepted: A is {trial.sprt.elo0:g} Elo stronger, rather than {trial.sprt.elo1:g}",
        None: "not decided",
    }
    console.print(meaning[trial.verdict], style="bold")
