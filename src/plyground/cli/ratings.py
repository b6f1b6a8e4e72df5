"""The command `ratings`: how strong the agents are whose games are kept."""

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
from plyground.cli.terminal import console, errors, table, told_repeats
from plyground.errors import PlygroundError
from plyground.game import Facts, Game
from plyground.games import GAMES


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
                    outcomes[who].append(Outcome(record.agents, record.returns, record.identities))
        if not outcomes:
            raise PlygroundError(f"{kept.name} has no such games; `plyground games list` lists all")
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
        told = [
            {"game": labels[who], "game_identity": who, "repeats": repeats[who].count}
            | each.to_json()
            for who, each in rated.items()
        ]
        print_json(told)
        return
    for who, each in rated.items():
        show_ratings(labels[who], each)
        if repeats[who].count:
            console.print(told_repeats(repeats[who].count, "deterministic agents or equal seeds"))


def _may_hold(run: Run, wanted: Game | None) -> bool:
    """Return whether a run may have games of this kind: one without files has but one spec."""
    if wanted is None or run.tournament["game"] == repr(wanted):
        return True
    return wanted.identity() != repr(wanted)


def _is_of(record: Record, wanted: Game) -> bool:
    return record.game == repr(wanted) or record.game_identity == wanted.identity()


def _facts(game: str) -> Facts | None:
    """Return a game's facts; None, and a word about it, where it cannot or may not be loaded."""
    try:
        return GAMES.recall(game).facts
    except PlygroundError as error:
        say(f"{game} is rated as a game without teams: {error}")
        return None


def show_ratings(game: str, rated: Ratings) -> None:
    """Print a row an agent; then what each scored against each, and how likely it is stronger."""
    headings = ["", "agent", "Elo", "95% interval", "games", "score"]
    rows: list[list[object]] = []
    for place, row in enumerate(rated.rows, start=1):
        low, high = row.interval()
        interval = f"{low:+.0f} to {high:+.0f}"
        rows.append([place, row.agent, f"{row.elo:+.0f}", interval, row.games, f"{row.score:.1%}"])
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
