"""The command `runs`: lists, shows, exports, imports and removes stored games."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plyground.arena.exchange import export_games, import_games
from plyground.arena.plan import Run
from plyground.arena.record import Record, positions, write_text
from plyground.cli import help_without_command, new_app
from plyground.cli.arguments import (
    GameFile,
    Json,
    StoreToRead,
    check_writable,
    load_game_file,
    open_store,
    print_json,
    say,
)
from plyground.cli.playback import play_back, write_replay
from plyground.cli.terminal import board, console, fault_lines, print_logs, table
from plyground.errors import OptionError
from plyground.export.animation import replay_form
from plyground.games import GAMES
from plyground.text import cleaned, counted

if TYPE_CHECKING:
    from plyground.arena.store import Store

runs = new_app()

RunNumber = Annotated[int, typer.Argument(metavar="RUN", help="Number of the run.")]
AnyRun = Annotated[
    int | None, typer.Argument(metavar="RUN", help="Only this run (default: all runs).")
]


@runs.callback(invoke_without_command=True)
def stored_games(context: typer.Context, as_json: Json = False) -> None:
    """List, show, export, import and remove stored games."""
    if not as_json:
        help_without_command(context)
    elif context.invoked_subcommand is None:
        list_runs(as_json=True)
    else:
        raise OptionError(f"--json belongs after the command: runs {context.invoked_subcommand}")


@runs.command("list")
def list_runs(store: StoreToRead = "", as_json: Json = False) -> None:
    """List the runs: every match or tournament that was played."""
    with open_store(store) as database:
        stored = database.runs()
    if as_json:
        listed: list[dict[str, Any]] = [
            {"run": run.id, "begun": run.begun, "games": run.kept, "total": run.total}
            | {"verdict": run.verdict or None, "tournament": run.tournament}
            for run in stored
        ]
        print_json(listed)
        return
    rows = [
        [
            run.id,
            run.begun[:16].replace("T", " "),
            run.tournament["game"],
            ", ".join(_names(run)),
            run.progress,
        ]
        for run in stored
    ]
    headings = ["run", "begun", "game", "agents", "games"]
    console.print(table(headings, rows, database.name, optional=("begun",)))


@runs.command()
def show(
    run: RunNumber,
    number: Annotated[
        int | None, typer.Argument(metavar="GAME", help="Number of a game in the run, from 1.")
    ] = None,
    play: Annotated[
        bool, typer.Option("--play", help="Show the game position by position.")
    ] = False,
    speed: Annotated[float, typer.Option(min=0.01, help="Positions per second.")] = 2.0,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the game as a page (.html) or an animation (.svg)."
        ),
    ] = None,
    game: GameFile = None,
    store: StoreToRead = "",
    as_json: Json = False,
) -> None:
    """Show the games of a run, or one of them with moves, values and times."""
    load_game_file(game)
    if number is None:
        if play or replay is not None:
            raise OptionError("--play and --replay need one game: give its number after the run's")
        with open_store(store) as database:
            _show_run(database, database.run(run), as_json)
        return
    record = _find(store, run, number)
    if replay is not None:
        replay_form(replay)
        check_writable(replay)
        write_replay(replay, record)
    if as_json:
        print_json(record.to_json())
        return
    if play:
        play_back(GAMES.recall(record.game), record, speed)
    if play or replay is not None:
        return
    print(write_text(record))
    console.print(board(positions(GAMES.recall(record.game), record)[-1]))
    console.print(record.outcome, markup=False)
    for fault in fault_lines(record, record.names):
        console.print(fault, soft_wrap=True)
    print_logs(record)


@runs.command()
def export(
    run: AnyRun = None,
    text: Annotated[
        bool,
        typer.Option("--text", help="Write a text for people instead, with headers and moves."),
    ] = False,
    game: GameFile = None,
    store: StoreToRead = "",
    as_json: Json = False,
) -> None:
    """Write games to standard output, one line of JSON per game."""
    if text and as_json:
        raise OptionError("--text and --json exclude each other; JSON is the default")
    load_game_file(game)
    with open_store(store) as database:
        chosen = database.runs() if run is None else [database.run(run)]
        if not text:
            export_games(database, chosen, sys.stdout)
            return
        for stored in chosen:
            for record in database.records(stored.id):
                print(write_text(record))


@runs.command("import")
def import_runs(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that `plyground runs export` wrote.")
    ],
    game: GameFile = None,
    store: StoreToRead = "",
    as_json: Json = False,
) -> None:
    """Store the games of an exported file.

    Each game is replayed; if one of them does not follow the rules, or is not the one that is
    stored under its number, none is stored.
    """
    load_game_file(game)
    with open_store(store) as database:
        count = import_games(database, file)
        if as_json:
            print_json({"games": count, "store": database.name})
        else:
            verb = "is" if count == 1 else "are"
            games = f"{counted(count, 'game')} of {cleaned(str(file))}"
            print(f"{games} {verb} in {database.name}")


@runs.command()
def remove(
    numbers: Annotated[list[int], typer.Argument(metavar="RUN", help="Numbers of the runs.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    store: StoreToRead = "",
    as_json: Json = False,
) -> None:
    """Delete runs and their games, after asking for confirmation."""
    with open_store(store) as database:
        chosen = [database.run(number) for number in dict.fromkeys(numbers)]
        games = sum(run.kept for run in chosen)
        listed = ", ".join(str(run.id) for run in chosen)
        described = f"run {listed} with {counted(games, 'game')} from {database.name}"
        if not yes:
            if as_json or not sys.stdin.isatty():
                raise OptionError(f"to delete {described}, add --yes")
            if not typer.confirm(f"Delete {described}?", err=True):
                say("nothing was deleted")
                return
        for run in chosen:
            database.remove(run.id)
        if as_json:
            print_json({"runs": [run.id for run in chosen], "games": games, "store": database.name})
        else:
            print(f"deleted {described}")


def _names(run: Run) -> list[str]:
    names: list[str] = run.tournament.get("names") or run.tournament["agents"]
    return names


def _find(store: str, run: int, number: int) -> Record:
    with open_store(store) as database:
        record = database.record(database.run(run).id, number - 1)
        if record is not None:
            return record
        raise OptionError(f"run {run} has no game {number}; `plyground runs show {run}` lists them")


def _show_run(store: Store, run: Run, as_json: bool) -> None:
    records = store.records(run.id)
    if as_json:
        summary = {"run": run.id, "begun": run.begun, "total": run.total}
        games = [record.to_json() for record in records]
        print_json(summary | {"tournament": run.tournament, "games": games})
        return
    labelled = zip(_names(run), run.tournament["agents"], strict=False)
    for name, spec in labelled if "names" in run.tournament else ():
        console.print(f"{name} = {spec}", markup=False, soft_wrap=True)
    options = (
        f"{name}={cleaned(str(value))}"
        for name, value in run.tournament.items()
        if name not in ("agents", "names", "game")
    )
    console.print(", ".join([run.tournament["game"], *options]), markup=False, soft_wrap=True)
    rows, faults = [], []
    for record in records:
        names = " - ".join(record.names)
        rows.append([record.number + 1, names, len(record.actions), record.outcome])
        faults += fault_lines(record, record.names)
    title = f"run {run.id}, {run.progress}"
    console.print(table(["game", "players", "plies", "outcome"], rows, title, optional=("plies",)))
    for fault in faults:
        console.print(fault, soft_wrap=True)
