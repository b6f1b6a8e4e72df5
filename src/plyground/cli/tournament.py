"""The commands in which agents play each other: `match` and `tournament`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from plyground.arena.match import REFEREES
from plyground.arena.plan import CLOCKS, FORMATS, Tournament, canonical, new_plan, read_plan
from plyground.arena.record import FINISHED, Record
from plyground.arena.tournament import Standing, Standings
from plyground.cli import INTERRUPTED, new_app
from plyground.cli.arguments import (
    Json,
    Replay,
    Settings,
    Strict,
    Where,
    check_writable,
    print_json,
    read_game,
    say,
    write_file,
)
from plyground.cli.entrants import Field, gather
from plyground.cli.playback import write_replay
from plyground.cli.playing import OpeningRule, Ray, Resume, Workers, crew, playing
from plyground.cli.terminal import (
    console,
    more_starts,
    print_faults,
    print_forfeits,
    standings_table,
    told_repeats,
    watch_games,
)
from plyground.errors import BadOption, UnknownName
from plyground.export.animation import replay_form
from plyground.export.standings import Result, report_form


def compete(
    context: typer.Context,
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game, its options in brackets, or a .py file.")
    ],
    contestants: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT...", help="Agents, options in brackets, or folders of bots."),
    ] = None,
    interface: Annotated[
        str, typer.Option(help="How bots in a folder are run: an agent, options in brackets.")
    ] = "remote",
    format: Annotated[str | None, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = None,
    games: Annotated[int | None, typer.Option(help="Games of those who meet; 10.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds of swiss and tables.")] = None,
    seed: Annotated[int | None, typer.Option(help="Makes the run repeatable; 0.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Thinking time a move.")] = None,
    seconds_of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT=SECONDS", help="Thinking time a move of one agent; repeatable."
        ),
    ] = None,
    bank: Annotated[float | None, typer.Option(help="Thinking time a game.")] = None,
    increment: Annotated[float | None, typer.Option(help="Seconds gained with each move.")] = None,
    grace: Annotated[float | None, typer.Option(help="Seconds one may be late; 0.05.")] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(CLOCKS),
            help="What limits players: elapsed time (wall, the default) or their own CPU time.",
        ),
    ] = None,
    depth: Annotated[int | None, typer.Option(help="Plies a search may look ahead.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Nodes a search may visit.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Simulations of a search.")] = None,
    opening: Annotated[
        int | None, typer.Option(help="Random plies first, the same for every rotation; 2.")
    ] = None,
    opening_rule: OpeningRule = None,
    max_plies: Annotated[int | None, typer.Option(help="A longer game is a draw.")] = None,
    ponder: Annotated[
        bool | None,
        typer.Option("--ponder", help="Let bots compute while it is not their turn."),
    ] = None,
    strict: Strict = False,
    referee: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(REFEREES),
            help="What an illegal or late move costs: the game (strict, the default), or the "
            "penalty of the game's course.",
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    store: Where = "",
    resume: Resume = False,
    replay: Replay = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(help="Write the table and every forfeit's reason: .html, .csv; repeatable."),
    ] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    given = {
        "format": format, "games": games, "rounds": rounds, "seed": seed, "seconds": seconds,
        "bank": bank, "increment": increment, "grace": grace, "clock": clock, "depth": depth,
        "nodes": nodes, "simulations": simulations, "opening": opening, "max_plies": max_plies,
        "opening_rule": opening_rule, "seconds_of": seconds_of or None,
        "ponder": ponder, "referee": referee,
    }  # fmt: skip
    if contestants:
        given["agents"] = contestants
    options = _options(game, settings, {name: v for name, v in given.items() if v is not None})
    everyone = gather(options["agents"], interface, options["game"])
    if isinstance(options.get("seconds_of"), list):
        options["seconds_of"] = [_by_spec(each, everyone) for each in options["seconds_of"]]
    plan = new_plan(options | {"agents": everyone.specs})
    if context.info_name == "match" and len(plan.agents) != plan.players:
        count = len(plan.agents)
        raise BadOption(f"{plan.game} is played by {plan.players}, not {count}")
    if replay is not None:  # a file that will not do is said before the games, not after
        replay_form(replay)
        check_writable(replay)
    for path in report or []:
        report_form(path)
        check_writable(path)
    for name, reason in everyone.absent:
        say(f"{name} takes no part: {reason}")
    names = everyone.names
    table = Standings(names, plan)
    with (
        crew(workers, ray, plan.total) as pool,
        playing(plan, pool, store, resume, "opening_rule" not in options) as played,
    ):
        whole = as_json or replay is not None
        watched = watch_games(table, plan.total, played.games, whole)
        played.stopped = watched.stopped
    run = played.run
    rows = table.rows()
    if as_json:
        _print_all(plan, table, watched.records, run)
    else:
        kept = f", run {run}" if run else ""
        title = f"{plan.game}, {watched.count} games{kept}"
        console.print(standings_table(rows, title, plan.players))
        if table.repeats:
            console.print(f"{told_repeats(table.repeats)}; {more_starts(plan.opening)}")
        print_forfeits(watched, names)
        print_faults(watched, names)
    if replay is not None and watched.records:
        _write_replay(replay, names, rows, watched.records)
    for path in report or []:
        title = f"{plan.game}, {watched.count} games"
        if table.repeats:
            title += f"; {told_repeats(table.repeats)}"
        result = Result(title, rows, names, watched.forfeits, everyone.absent)
        write_file(path, report_form(path)(result))
        say(f"report written to {path}")
    if watched.stopped:
        raise typer.Exit(INTERRUPTED)


match, tournament = new_app(), new_app()
match.command(help="Let agents play each other, one a seat, seats rotating.")(compete)
tournament.command(
    help="Let agents meet by a plan, given here or as a .toml file in GAME's place, and rank them."
)(compete)


def _options(game: str, settings: list[str] | None, given: dict[str, Any]) -> dict[str, Any]:
    """Read the plan from a TOML file or from the options; options beside a file override it."""
    if game.endswith(".toml"):
        return read_plan(Path(game), given)
    if "agents" not in given:
        raise BadOption("who plays? Name the agents after the game")
    return {"game": repr(read_game(game, settings))} | given


def _by_spec(setting: Any, everyone: Field) -> Any:
    """Write AGENT=SECONDS with the agent's spec; bots go by the names that tables have."""
    if not isinstance(setting, str):
        return setting  # as a file may have it: the plan says what is wrong
    name, sign, seconds = setting.rpartition("=")
    specs = dict(zip(everyone.names, everyone.specs, strict=True))
    spec = specs.get(name) or canonical(name)
    if spec not in everyone.specs:
        raise UnknownName("agent of --seconds-of", name or setting, everyone.names)
    return f"{spec}{sign}{seconds}"


def _print_all(
    tournament: Tournament, table: Standings, records: Iterable[Record], run: int
) -> None:
    rows = [asdict(row) | {"score": row.score, "interval": row.interval} for row in table.rows()]
    games = [record.to_json() for record in records]
    told = {"game": tournament.game, "run": run, "repeats": table.repeats}
    print_json(told | {"standings": rows, "games": games})


def _write_replay(
    path: Path, names: list[str], rows: list[Standing], records: list[Record]
) -> None:
    """Write the last finished game that the best agents played with each other."""
    finished = [record for record in records if record.ending == FINISHED] or records
    rank = {row.agent: place for place, row in enumerate(rows)}

    def places(record: Record) -> int:
        return sum(rank[names[entrant]] for entrant in record.entrants)

    write_replay(path, min(reversed(finished), key=places))
