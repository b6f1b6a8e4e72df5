"""The command `games`: lists those that can be played, and handles those that were."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plyground.arena.exchange import export_games, import_games
from plyground.arena.record import Record, positions, write_text
from plyground.cli import new_app
from plyground.cli.arguments import (
    GameFile,
    Json,
    Where,
    load_game_file,
    open_store,
    print_json,
)
from plyground.cli.descriptions import print_described
from plyground.cli.playback import play_back, write_replay
from plyground.cli.terminal import board, console, table
from plyground.errors import BadOption, cleaned
from plyground.games import GAMES

if TYPE_CHECKING:
    from plyground.arena.store import Store

games = new_app()

RunNumber = Annotated[int, typer.Argument(metavar="RUN", help="A run, by its number.")]
AnyRun = Annotated[int | None, typer.Argument(metavar="[RUN]", help="A run, by its number.")]


@games.callback(invoke_without_command=True)
def list_games(context: typer.Context, as_json: Json = False) -> None:
    """List the games that can be played; commands below handle those that were."""
    if context.invoked_subcommand is not None:
        return
    described = [GAMES.find(name).describe() for name in GAMES.names()]
    if as_json:
        print_json(described)
        return
    for each in described:
        print_described(each)


@games.command("list")
def list_recorded(run: AnyRun = None, store: Where = "", as_json: Json = False) -> None:
    """List the runs that are kept, or the games of one."""
    with open_store(store) as kept:
        if run is None:
            _list_runs(kept, as_json)
        else:
            _list_games(kept, kept.run(run).id, as_json)


@games.command()
def show(
    run: RunNumber,
    number: Annotated[int, typer.Argument(help="The game's number in its run.")],
    play: Annotated[bool, typer.Option("--play", help="Show it position by position.")] = False,
    speed: Annotated[float, typer.Option(min=0.01, help="Positions a second.")] = 2.0,
    replay: Annotated[
        Path | None, typer.Option(help="Write it as a page (.html) or an animation (.svg).")
    ] = None,
    game: GameFile = None,
    store: Where = "",
    as_json: Json = False,
) -> None:
    """Show a game: its moves with values and seconds, and its last position; or play it again."""
    load_game_file(game)
    record = _find(store, run, number)
    if replay is not None:
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


@games.command()
def export(
    run: AnyRun = None,
    text: Annotated[bool, typer.Option("--text", help="Write texts for people.")] = False,
    game: GameFile = None,
    store: Where = "",
) -> None:
    """Write games to standard output, a line of JSON each."""
    load_game_file(game)
    with open_store(store) as kept:
        runs = kept.runs() if run is None else [kept.run(run)]
        if not text:
            export_games(kept, runs, sys.stdout)
            return
        for each in runs:
            for record in kept.records(each.id):
                print(write_text(record))


@games.command("import")
def import_recorded(
    file: Annotated[Path, typer.Argument(help="What `games export` wrote.")],
    game: GameFile = None,
    store: Where = "",
    as_json: Json = False,
) -> None:
    """Keep the games of a file; those that are there already stay as they are.

    All of them or none: each is played again, and what the rules do not confirm is refused.
    """
    load_game_file(game)
    with open_store(store) as kept:
        count = import_games(kept, file)
        if as_json:
            print_json({"games": count, "store": kept.name})
        else:
            print(f"{count} games of {cleaned(str(file))} are in {kept.name}")


def _find(store: str, run: int, number: int) -> Record:
    with open_store(store) as kept:
        for record in kept.records(kept.run(run).id, number):
            return record
    raise BadOption(f"run {run} has no game {number}; `plyground games list {run}` lists them")


def _list_runs(store: Store, as_json: bool) -> None:
    runs = store.runs()
    if as_json:
        listed: list[dict[str, Any]] = [
            {"run": run.id, "begun": run.begun, "games": run.kept, "total": run.total}
            | {"tournament": run.tournament}
            for run in runs
        ]
        print_json(listed)
        return
    rows = [
        [
            run.id,
            run.begun[:16].replace("T", " "),
            run.tournament["game"],
            ", ".join(run.tournament["agents"]),
            f"{run.kept} of {run.total}",
        ]
        for run in runs
    ]
    console.print(table(["run", "begun", "game", "agents", "games"], rows, store.name))


def _list_games(store: Store, run: int, as_json: bool) -> None:
    records = store.records(run)
    if as_json:
        print_json([record.to_json() for record in records])
        return
    rows = [
        [record.number, " - ".join(record.agents), len(record.actions), record.outcome]
        for record in records
    ]
    console.print(table(["game", "players", "plies", "outcome"], rows, f"run {run}"))
