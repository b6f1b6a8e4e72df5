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
    StoreToRead,
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
        str | None, typer.Argument(metavar="GAME", help="Only this game (default: all games).")
    ] = None,
    run: Annotated[int | None, typer.Option(help="Only the games of this run.")] = None,
    anchor: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="The agent whose rating is 0 (default: the mean is 0)."),
    ] = None,
    first_seat: Annotated[
        bool,
        typer.Option("--first-seat", help="Estimate the advantage of moving first (two players)."),
    ] = False,
    store: StoreToRead = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Compute Elo ratings with confidence intervals from stored games."""
    wanted = None if game is None else read_game(game, settings)
    anchored = None if anchor is None else canonical(anchor)
    rated: dict[str, Ratings] = {}
    with open_store(store) as database, errors.status("reading games"):
        outcomes: dict[str, list[Outcome]] = {}
        names: dict[str, list[str]] = {}
        facts: dict[str, Facts | None] = {}
        repeats: dict[str, Repeats] = {}
        for stored in database.runs() if run is None else [database.run(run)]:
            for record in database.records(stored.id) if _may_have(stored, wanted) else ():
                if wanted is not None and not _is_of(record, wanted):
                    continue
                if PERSON in record.agents:  # people may take moves back and ask for hints
                    continue
                identity = record.game_identity
                if identity not in outcomes:
                    outcomes[identity], names[identity], facts[identity] = (
                        [],
                        [],
                        _facts(record.game),
                    )
                    repeats[identity] = Repeats(facts[identity], across_runs=True)
                if record.game not in names[identity]:
                    names[identity].append(record.game)
                if repeats[identity].is_new(record, stored.tournament):
                    outcomes[identity].append(_outcome(record))
        if not outcomes:
            raise PlygroundError(
                f"{database.name} has no such games; `plyground runs list` lists all"
            )
        labels = unique_labels(names)
        for identity, results in outcomes.items():
            game_facts = facts[identity]
            teams = () if game_facts is None else game_facts.teams
            try:
                rated[identity] = rate(results, anchor=anchored, first_seat=first_seat, teams=teams)
            except PlygroundError as error:
                if len(outcomes) == 1:
                    raise
                say(f"{labels[identity]}: {error}")
    if as_json:
        listed = [
            {
                "game": labels[identity],
                "game_identity": identity,
                "repeats": repeats[identity].count,
            }
            | of_game.to_json()
            for identity, of_game in rated.items()
        ]
        print_json(listed)
        return
    for identity, of_game in rated.items():
        show_ratings(labels[identity], of_game)
        if repeats[identity].count:
            console.print(
                repeats_text(repeats[identity].count, "deterministic agents or equal seeds")
            )


def _outcome(record: Record) -> Outcome:
    return Outcome(record.agents, record.returns, record.identities, record.names)


def _may_have(run: Run, wanted: Game | None) -> bool:
    """Return whether a run may be of this game; a game without files has only one spec."""
    if wanted is None or run.tournament["game"] == repr(wanted):
        return True
    return wanted.identity() != repr(wanted)


def _is_of(record: Record, wanted: Game) -> bool:
    return record.game == repr(wanted) or record.game_identity == wanted.identity()


def _facts(game: str) -> Facts | None:
    """Return a game's facts; None, with a message, if it cannot or may not be loaded."""
    try:
        return GAMES.recall(game).facts
    except PlygroundError as error:
        say(f"{game} is rated as a game without teams: {error}")
        return None


def show_ratings(game: str, rated: Ratings) -> None:
    """Print one row per agent, then the cross table with the probabilities of superiority."""
    headings = ["", "agent", "Elo", "95% interval", "games", "score"]
    rows: list[list[object]] = []
    for place, row in enumerate(rated.rows, start=1):
        low, high = row.interval()
        interval = f"{low:+.0f} to {high:+.0f}"
        rows.append([place, row.agent, f"{row.elo:+.0f}", interval, row.games, f"{row.score:.1%}"])
    console.print(table(headings, rows, game, ("score", "games")))
    advantage = f"; moving first is worth {rated.first_seat:+.0f} Elo" if rated.first_seat else ""
    console.print(f"Agents of equal strength draw {rated.draws:.0%} of their games{advantage}.")
    numbers = range(len(rated.rows))
    cells = [
        [row + 1, rated.rows[row].agent, *(_meetings(rated, row, column) for column in numbers)]
        for row in numbers
    ]
    title = "points/games, and how likely the row is stronger than the column"
    opponents = [str(number + 1) for number in numbers]
    console.print(
        table(["", "agent", *opponents], cells, title, ("agent", *reversed(opponents[1:])))
    )


def _meetings(rated: Ratings, row: int, column: int) -> str:
    """Return a cell of the cross table."""
    if row == column:
        return ""
    points = f"{rated.scores[row, column]:g}/{rated.games[row, column]}"
    return f"{points}\n{rated.superiority[row, column]:.1%}"
