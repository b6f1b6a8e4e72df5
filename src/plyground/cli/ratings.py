"""The command `ratings`: Elo ratings of the agents in stored games."""

from __future__ import annotations

from typing import Annotated

import typer

from plyground.arena.plan import Run, canonical
from plyground.arena.ratings import Outcome, Ratings, rate, unique_labels
from plyground.arena.record import PERSON, Record
from plyground.arena.repeats import Repeats
from plyground.cli.arguments import (
    Json,
    Settings,
    Where,
    open_store,
    print_json,
    read_game,
    say,
)
from plyground.cli.terminal import console, errors, repeats_text, table
from plyground.errors import PlygroundError
from plyground.game import Facts, Game
from plyground.games import GAMES


def ratings(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Only this game; else all games.")
    ] = None,
    run: Annotated[int | None, typer.Option(help="Only the games of this run.")] = None,
    anchor: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="The agent whose rating is 0; else the mean is 0."),
    ] = None,
    first_seat: Annotated[
        bool,
        typer.Option("--first-seat", help="Estimate the advantage of moving first; two players."),
    ] = False,
    store: Where = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Rate the agents in stored games, with intervals."""
    wanted = None if game is None else read_game(game, settings)
    named = None if anchor is None else canonical(anchor)
    rated: dict[str, Ratings] = {}
    with open_store(store) as kept, errors.status("reading games"):
        outcomes: dict[str, list[Outcome]] = {}
        names: dict[str, list[str]] = {}
        facts: dict[str, Facts | None] = {}
        repeats: dict[str, Repeats] = {}
        for held in kept.runs() if run is None else [kept.run(run)]:
            for record in kept.records(held.id) if _may_hold(held, wanted) else ():
                if wanted is not None and not _is_of(record, wanted):
                    continue
                if PERSON in record.agents:  # who may have taken moves back, or asked for hints
                    continue
                who = record.game_identity
                if who not in outcomes:
                    outcomes[who], names[who], facts[who] = [], [], _facts(record.game)
                    repeats[who] = Repeats(facts[who], across_runs=True)
                if record.game not in names[who]:
                    names[who].append(record.game)
                if repeats[who].is_new(record, held.tournament):
                    outcomes[who].append(_outcome(record))
        if not outcomes:
            raise PlygroundError(f"{kept.name} has no such games; `plyground runs list` lists all")
        labels = unique_labels(names)
        for who, results in outcomes.items():
            known = facts[who]
            teams = () if known is None else known.teams
            try:
                rated[who] = rate(results, anchor=named, first_seat=first_seat, teams=teams)
            except PlygroundError as error:
                if len(outcomes) == 1:
                    raise
                say(f"{labels[who]}: {error}")
    if as_json:
        listed = [
            {"game": labels[who], "game_identity": who, "repeats": repeats[who].count}
            | each.to_json()
            for who, each in rated.items()
        ]
        print_json(listed)
        return
    for who, each in rated.items():
        show_ratings(labels[who], each)
        if repeats[who].count:
            console.print(repeats_text(repeats[who].count, "deterministic agents or equal seeds"))


def _outcome(record: Record) -> Outcome:
    return Outcome(record.agents, record.returns, record.identities, record.names)


def _may_hold(run: Run, wanted: Game | None) -> bool:
    """Return whether a run may have this game: one without files has only one spec."""
    if wanted is None or run.tournament["game"] == repr(wanted):
        return True
    return wanted.identity() != repr(wanted)


def _is_of(record: Record, wanted: Game) -> bool:
    return record.game == repr(wanted) or record.game_identity == wanted.identity()


def _facts(game: str) -> Facts | None:
    """Return a game's facts; None, with a message, where it cannot or may not be loaded."""
    try:
        return GAMES.recall(game).facts
    except PlygroundError as error:
        say(f"{game} is rated as a game without teams: {error}")
        return None


def show_ratings(game: str, rated: Ratings) -> None:
    """Print one row per agent, then the cross table with the likelihood of superiority."""
    headings = ["", "agent", "Elo", "95% interval", "games", "score"]
    rows: list[list[object]] = []
    for place, row in enumerate(rated.rows, start=1):
        low, high = row.interval()
        interval = f"{low:+.0f} to {high:+.0f}"
        rows.append([place, row.agent, f"{row.elo:+.0f}", interval, row.games, f"{row.score:.1%}"])
    console.print(table(headings, rows, game, ("score", "games")))
    worth = f"; moving first is worth {rated.first_seat:+.0f} Elo" if rated.first_seat else ""
    console.print(f"Agents of equal strength draw {rated.draws:.0%} of their games{worth}.")
    numbers = range(len(rated.rows))
    cells = [
        [row + 1, rated.rows[row].agent, *(_met(rated, row, column) for column in numbers)]
        for row in numbers
    ]
    title = "points/games, and how likely the row is stronger than the column"
    opponents = [str(each + 1) for each in numbers]
    console.print(
        table(["", "agent", *opponents], cells, title, ("agent", *reversed(opponents[1:])))
    )


def _met(rated: Ratings, row: int, column: int) -> str:
    if row == column:
        return ""
    met = f"{rated.scores[row, column]:g}/{rated.games[row, column]}"
    return f"{met}\n{rated.superiority[row, column]:.1%}"
