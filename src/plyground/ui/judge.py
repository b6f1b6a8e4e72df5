"""The commands that say who is stronger: `sprt` and `ratings`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Annotated, NamedTuple

import typer
from rich.progress import BarColumn, Progress, TextColumn

from plyground.agents import load_agent
from plyground.arena.plan import Tournament
from plyground.arena.ratings import Ratings, rate
from plyground.arena.record import Record
from plyground.arena.sprt import Sprt, Trial, run_trial
from plyground.arena.store import Store
from plyground.errors import BadOption, PlygroundError
from plyground.ui.arguments import (
    INTERRUPTED,
    GameName,
    Json,
    Seconds,
    Seed,
    Settings,
    Where,
    print_json,
    read_game,
)
from plyground.ui.playing import Resume, Workers, playing
from plyground.ui.terminal import Watched, console, errors, print_forfeits, table

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
    workers: Workers = None,
    store: Where = "",
    resume: Resume = False,
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
    watched, distinct = Watched(), set()  # type: Watched, set[int]
    with playing(tournament, workers, store, resume) as plan:
        trial = _follow(asked, _noted(plan.games, watched, distinct), max_games, watched)
        plan.stopped = watched.stopped
    repeated = 1 - len(distinct) / max(1, watched.count)
    if as_json:
        told = {"game": tournament.game, "agents": tournament.agents, "run": plan.run}
        print_json(told | trial.to_json() | {"repeated": repeated})
    else:
        _show(tournament, trial)
        print_forfeits(watched)
    if repeated > 0.1:
        few = f"{repeated:.0%} of the games repeat an earlier one: the verdict is about few starts"
        print(f"{few}; --opening of more than {opening} plies makes more", file=sys.stderr)
    if watched.stopped:
        raise typer.Exit(INTERRUPTED)


def _noted(records: Iterable[Record], watched: Watched, distinct: set[int]) -> Iterator[Record]:
    """Pass records on; games of the same moves from the same start, A in the same seat, are one."""
    for record in records:
        watched.count += 1
        if record.fault is not None:
            watched.forfeits.append(record)
        distinct.add(hash((record.start, record.actions, record.entrants)))
        yield record


def _follow(asked: Sprt, records: Iterator[Record], most: int, watched: Watched) -> Trial:
    """Follow a trial under a bar from one bound to the other, until its end or Ctrl-C."""
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
            watched.stopped = True
    return trial


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


class Outcome(NamedTuple):
    """What ratings need of a record: no more is kept in memory."""

    agents: tuple[str, ...]
    returns: tuple[float, ...]


def ratings(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="Only this game; else every one.")
    ] = None,
    run: Annotated[int | None, typer.Option(help="Only the games of this run.")] = None,
    anchor: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Whose rating is 0, in place of the mean.")
    ] = None,
    first_seat: Annotated[
        bool, typer.Option("--first-seat", help="Find what moving first is worth; two players.")
    ] = False,
    store: Where = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Rate the agents whose games are kept, with intervals."""
    wanted = None if game is None else repr(read_game(game, settings))
    named = None if anchor is None else repr(load_agent(anchor))
    rated: dict[str, Ratings] = {}
    with Store(store) as kept, errors.status("reading games"):
        outcomes: dict[str, list[Outcome]] = {}
        for held in kept.runs() if run is None else [kept.run(run)]:
            if wanted in (None, held.tournament["game"]):
                for record in kept.records(held.id):
                    found = outcomes.setdefault(record.game, [])
                    found.append(Outcome(record.agents, record.returns))
        if not outcomes:
            raise PlygroundError(f"{kept.name} has no such games; `plyground games list` lists all")
        for name, results in outcomes.items():
            try:
                rated[name] = rate(results, anchor=named, first_seat=first_seat)
            except PlygroundError as error:
                if len(outcomes) == 1:
                    raise
                print(f"{name}: {error}", file=sys.stderr)
    if as_json:
        print_json([{"game": name} | each.to_json() for name, each in rated.items()])
        return
    for name, each in rated.items():
        _show_ratings(name, each)


def _show_ratings(game: str, rated: Ratings) -> None:
    """Print a row an agent; then what each scored against each, and how likely it is stronger."""
    headings = ["", "agent", "Elo", "95% interval", "games", "score"]
    rows: list[list[object]] = []
    for place, row in enumerate(rated.rows, start=1):
        low, high = row.interval()
        interval = f"{low:+.0f} to {high:+.0f}"
        rows.append([place, row.agent, f"{row.elo:+.0f}", interval, row.games, f"{row.score:.1%}"])
        if row.skill is not None:
            rows[-1].append("{:.1f} ± {:.1f}".format(*row.skill))
    if rated.rows[0].skill is not None:
        headings.append("openskill")
    console.print(table(headings, rows, game))
    worth = f"; moving first is worth {rated.first_seat:+.0f} Elo" if rated.first_seat else ""
    console.print(f"Equals draw {rated.draws:.0%}{worth}.")
    numbers = range(len(rated.rows))
    cells = [
        [row + 1, rated.rows[row].agent, *(_met(rated, row, column) for column in numbers)]
        for row in numbers
    ]
    title = "points/games, and how likely the row is stronger than the column"
    console.print(table(["", "agent", *(str(each + 1) for each in numbers)], cells, title))


def _met(rated: Ratings, row: int, column: int) -> str:
    if row == column:
        return ""
    met = f"{rated.scores[row, column]:g}/{rated.games[row, column]}"
    return f"{met}\n{rated.superiority[row, column]:.1%}"
