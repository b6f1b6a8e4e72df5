"""The commands in which agents play each other: `match` and `tournament`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from plyground.arena.plan import FORMATS, Tournament, load_tournament
from plyground.arena.record import FINISHED, Record
from plyground.arena.store import Store
from plyground.arena.tournament import Standing, Standings, play_tournament
from plyground.arena.workers import Here, Pool, Processes, cores
from plyground.errors import BadOption
from plyground.games import load_game
from plyground.ui.arguments import (
    INTERRUPTED,
    Json,
    Replay,
    Settings,
    Where,
    print_json,
    read_game,
)
from plyground.ui.replay import replay_form


def compete(
    context: typer.Context,
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game, its options in brackets, or a .py file.")
    ],
    contestants: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT...", help="Agents, options in brackets.")
    ] = None,
    format: Annotated[str | None, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = None,
    games: Annotated[int | None, typer.Option(help="Games of those who meet; 10.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds of swiss and tables.")] = None,
    seed: Annotated[int | None, typer.Option(help="Makes the run repeatable; 0.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Thinking time a move.")] = None,
    bank: Annotated[float | None, typer.Option(help="Thinking time a game.")] = None,
    increment: Annotated[float | None, typer.Option(help="Seconds gained with each move.")] = None,
    grace: Annotated[float | None, typer.Option(help="Seconds one may be late; 0.05.")] = None,
    depth: Annotated[int | None, typer.Option(help="Plies a search may look ahead.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Nodes a search may visit.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Simulations of a search.")] = None,
    opening: Annotated[
        int | None, typer.Option(help="Random plies first, the same for every rotation; 2.")
    ] = None,
    max_plies: Annotated[int | None, typer.Option(help="A longer game is a draw.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that play; one a core. 1: this process.")
    ] = None,
    store: Where = "",
    resume: Annotated[bool, typer.Option(help="Go on with the last run of this plan.")] = False,
    replay: Replay = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    from plyground.ui.terminal import console, print_forfeits, standings_table, watch_games

    given = {
        "format": format, "games": games, "rounds": rounds, "seed": seed, "seconds": seconds,
        "bank": bank, "increment": increment, "grace": grace, "depth": depth, "nodes": nodes,
        "simulations": simulations, "opening": opening, "max_plies": max_plies,
    }  # fmt: skip
    if contestants:
        given["agents"] = contestants  # type: ignore[assignment]
    tournament = _plan(game, settings, {name: v for name, v in given.items() if v is not None})
    if context.info_name == "match" and len(tournament.agents) != tournament.players:
        count = len(tournament.agents)
        raise BadOption(f"{tournament.game} is played by {tournament.players}, not {count}")
    if replay is not None:
        replay_form(replay)  # a name that will not do is said before the games, not after
    table = Standings(tournament.agents)
    with ExitStack() as stack:
        keeper = None if store == "none" else stack.enter_context(Store(store))
        pool = stack.enter_context(_pool(tournament, workers))
        run = 0 if keeper is None else _run(keeper, tournament, resume)
        played = stack.enter_context(closing(play_tournament(tournament, pool, keeper, run)))
        watched = watch_games(table, tournament.total, played, whole=as_json or replay is not None)
        played.close()
        if watched.stopped and keeper is not None:
            left = tournament.total - keeper.run(run).kept
            print(f"{left} games are left: the same command with --resume", file=sys.stderr)
    rows = table.rows()
    if as_json:
        _print_all(tournament, rows, watched.records, run)
    else:
        kept = f", run {run}" if run else ""
        title = f"{tournament.game}, {watched.count} games{kept}"
        console.print(standings_table(rows, title, tournament.players))
        print_forfeits(watched)
    if replay is not None and watched.records:
        _write_replay(replay, tournament, rows, watched.records)
    if watched.stopped:
        raise typer.Exit(INTERRUPTED)


def _pool(tournament: Tournament, workers: int | None) -> Pool:
    count = min(cores() if workers is None else workers, tournament.total)
    return Here(tournament) if count == 1 else Processes(tournament, count)


def _run(store: Store, tournament: Tournament, resume: bool) -> int:
    """Give the run to go on with, or begin one, and say so where the last was broken off."""
    runs = store.runs(tournament)
    if resume:
        if not runs:
            raise BadOption(f"--resume: {store.name} has no run of this plan")
        return runs[-1].id
    if runs and runs[-1].kept < runs[-1].total:
        last = f"run {runs[-1].id} of this plan has {runs[-1].kept} of {runs[-1].total} games"
        print(f"{last}: --resume would have gone on with it", file=sys.stderr)
    return store.begin(tournament)


def _plan(game: str, settings: list[str] | None, given: dict[str, Any]) -> Tournament:
    """Read the spec from a TOML file or from the options; options beside a file override it."""
    if game.endswith(".toml"):
        return load_tournament(Path(game), given)
    if "agents" not in given:
        raise BadOption("who plays? Name the agents after the game")
    return Tournament.make({"game": repr(read_game(game, settings))} | given)


def _print_all(
    tournament: Tournament, rows: list[Standing], records: Iterable[Record], run: int
) -> None:
    told = [asdict(row) | {"score": row.score, "interval": row.interval} for row in rows]
    games = [record.to_json() for record in records]
    print_json({"game": tournament.game, "run": run, "standings": told, "games": games})


def _write_replay(
    path: Path, tournament: Tournament, rows: list[Standing], records: list[Record]
) -> None:
    """Write the last finished game that the best agents played with each other."""
    finished = [record for record in records if record.ending == FINISHED] or records
    rank = {row.agent: place for place, row in enumerate(rows)}
    shown = min(reversed(finished), key=lambda record: sum(rank[name] for name in record.agents))
    path.write_text(replay_form(path)(load_game(tournament.game), shown), encoding="utf-8")
    print(f"replay written to {path}", file=sys.stderr)
