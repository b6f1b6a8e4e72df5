"""The commands `match` and `tournament`: games between agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from plyground.arena.match import REFEREES
from plyground.arena.plan import FORMATS, Tournament, new_plan, read_plan
from plyground.arena.record import FINISHED, Record
from plyground.arena.tournament import Standing, Standings
from plyground.cli import INTERRUPTED, new_app
from plyground.cli.arguments import (
    Json,
    Replay,
    Settings,
    StoreToWrite,
    Strict,
    check_writable,
    print_json,
    read_game,
    say,
    write_file,
)
from plyground.cli.entrants import gather
from plyground.cli.playback import write_replay
from plyground.cli.playing import (
    Add,
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
    more_starts,
    print_faults,
    print_forfeits,
    repeats_text,
    standings_table,
    watch_games,
)
from plyground.errors import OptionError, PlygroundError
from plyground.export.animation import replay_form
from plyground.export.standings import Result, report_form
from plyground.options import converted
from plyground.text import counted


def compete(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME", help="A game: name, name(option=value) or a .py file; or a .toml plan."
        ),
    ],
    contestants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help="Agents such as mcts, mcts(simulations=100) or, with a label, alice=mcts; a "
            "folder enters all the bots in it.",
        ),
    ] = None,
    interface: Annotated[
        str, typer.Option(help="Agent that runs the bots of a folder, such as brown_tron.")
    ] = "remote",
    format: Annotated[
        str | None, typer.Option(help=f"Format, by default the first: {', '.join(FORMATS)}.")
    ] = None,
    games: Annotated[int | None, typer.Option(help="Games per pairing (default: 10).")] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds of the formats swiss and tables.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed (default: 0).")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Thinking time per move in seconds.")
    ] = None,
    seconds_of: SecondsOf = None,
    bank: Annotated[float | None, typer.Option(help="Thinking time per game in seconds.")] = None,
    increment: Annotated[
        float | None, typer.Option(help="Seconds added to the bank per move.")
    ] = None,
    grace: Annotated[
        float | None, typer.Option(help="Tolerated delay in seconds (default: 0.05).")
    ] = None,
    clock: Clock = None,
    depth: Annotated[int | None, typer.Option(help="Plies a search may look ahead.")] = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    opening: Annotated[
        int | None,
        typer.Option(help="Random plies at the start, equal for all rotations (default: 2)."),
    ] = None,
    opening_rule: OpeningRule = None,
    max_plies: MaxPlies = None,
    ponder: Ponder = None,
    strict: Strict = False,
    referee: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(REFEREES),
            help="Cost of an illegal or late move: the game (strict, the default), or the penalty "
            "of the game's course.",
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    store: StoreToWrite = "",
    resume: Resume = False,
    add: Add = None,
    replay: Replay = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write the results and every forfeit as .html or .csv; repeatable.",
        ),
    ] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    given = {
        "format": format, "games": games, "rounds": rounds, "seed": seed, "seconds": seconds,
        "bank": bank, "increment": increment, "grace": grace, "clock": clock, "depth": depth,
        "nodes": nodes, "simulations": simulations, "opening": opening, "max_plies": max_plies,
        "opening_rule": opening_rule, "seconds_of": seconds_of or None,
        "ponder": ponder, "referee": referee, "agents": contestants or None,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    options = _options(game, settings, given, bool(add))
    entrants = gather(options["agents"], interface, options["game"])
    names = options.pop("names", entrants.names)
    entrants.names = list(converted(tuple[str, ...], names, "names"))
    others = gather(add or [], interface, options["game"])
    entrants.replace(others)
    plan = new_plan(options | {"agents": entrants.specs, "names": entrants.names})
    if context.info_name == "match" and len(plan.agents) != plan.players:
        count = len(plan.agents)
        raise OptionError(
            f"{plan.game} has {counted(plan.players, 'player')}, {counted(count, 'agent')} given"
        )
    outputs = _Outputs(replay, report or [])
    for name, reason in entrants.absent:
        say(f"{name} takes no part: {reason}")
    any_rule = "opening_rule" not in options
    with (
        new_pool(workers, ray, plan.total) as pool,
        playing(plan, pool, store, resume, any_rule, others.names) as played,
    ):
        plan = played.plan
        table = Standings(plan.labels, plan)
        keep_records = as_json or bool(outputs)
        watched = watch_games(table, plan.total, played.games, keep_records)
        if watched.failure is not None and not watched.count:
            raise watched.failure
        played.stopped = watched.stopped
    rows, run = table.rows(), played.run
    if as_json:
        _print_all(plan, table, watched.records, run)
    else:
        stored = f", run {run}" if run else ""
        title = f"{plan.game}, {counted(watched.count, 'game')}{stored}"
        console.print(standings_table(rows, title, table.sides))
        if table.repeats:
            console.print(f"{repeats_text(table.repeats)}; {more_starts(plan.opening)}")
        print_forfeits(watched, plan.labels)
        print_faults(watched, plan.labels)
    outputs.write(plan, table, watched, entrants.absent)
    if watched.failure is not None:
        raise watched.failure
    if watched.stopped:
        raise typer.Exit(INTERRUPTED)


match, tournament = new_app(), new_app()
match.command(help="Play a match between agents, one per seat; the seats rotate.")(compete)
tournament.command(
    help="Play a tournament of many agents, by options or a .toml plan, and rank them."
)(compete)


def _options(
    game: str, settings: list[str] | None, given: dict[str, Any], may_be_empty: bool
) -> dict[str, Any]:
    """Return the options of a TOML plan, if any, overridden by those of the command line."""
    options = read_plan(Path(game), given) if game.endswith(".toml") else {"game": game} | given
    if may_be_empty:
        options.setdefault("agents", [])
    if "agents" in given:
        options.pop("names", None)  # they are those of the file's agents
    if "agents" not in options:
        raise OptionError(
            "no agents are given; name them after the game, as in: connect_n mcts random"
        )
    return options | {"game": repr(read_game(str(options["game"]), settings))}


@dataclass
class _Outputs:
    """The files that are written after the games; paths are checked before the first game."""

    replay: Path | None
    reports: Sequence[Path]

    def __post_init__(self) -> None:
        if self.replay is not None:
            replay_form(self.replay)
        for path in self.reports:
            report_form(path)
        paths = [*self.reports, *([self.replay] if self.replay is not None else [])]
        for path in paths:
            check_writable(path)
            if paths.count(path) > 1:
                raise OptionError(
                    f"{path} is named twice; every report and replay needs its own file"
                )

    def __bool__(self) -> bool:
        """Return whether any file is to be written."""
        return self.replay is not None or bool(self.reports)

    def write(
        self,
        plan: Tournament,
        table: Standings,
        watched: Watched,
        absent: Sequence[tuple[str, str]],
    ) -> None:
        """Write all files; raise an error for those that failed after writing the others."""
        failures = []
        for write in self._writers(plan, table, watched, absent):
            try:
                write()
            except PlygroundError as error:
                failures.append(error)
        if failures:
            raise PlygroundError("; ".join(map(str, failures))) from failures[0]

    def _writers(
        self,
        plan: Tournament,
        table: Standings,
        watched: Watched,
        absent: Sequence[tuple[str, str]],
    ) -> Iterator[Callable[[], None]]:
        agents, games = counted(len(plan.agents), "agent"), counted(watched.count, "game")
        title = f"Tournament of {agents}: {plan.game}, {games}"
        if table.repeats:
            title += f"; {repeats_text(table.repeats)}"
        result = Result(
            title, table.rows(), plan.labels, watched.forfeits, absent,
            plan=plan, records=watched.records,
        )  # fmt: skip
        for path in self.reports:
            yield partial(_write_report, path, result)
        if self.replay is not None and watched.records:
            yield partial(_write_replay, self.replay, table.rows(), watched.records)


def _print_all(plan: Tournament, table: Standings, records: Sequence[Record], run: int) -> None:
    rows = [
        asdict(row) | {"score": row.score, "interval": row.interval, "mean_points": row.mean_points}
        for row in table.rows()
    ]
    entrants = [
        {"name": name, "agent": spec} for name, spec in zip(plan.labels, plan.agents, strict=True)
    ]
    summary = {"game": plan.game, "run": run, "repeats": table.repeats, "entrants": entrants}
    print_json(summary | {"standings": rows, "games": [record.to_json() for record in records]})


def _write_report(path: Path, result: Result) -> None:
    write_file(path, report_form(path)(result))
    say(f"report written to {path}")


def _write_replay(path: Path, rows: Sequence[Standing], records: Sequence[Record]) -> None:
    """Write a replay of the last finished game between the best agents."""
    finished = [record for record in records if record.ending == FINISHED] or records
    rank = {row.entrant: place for place, row in enumerate(rows)}

    def places(record: Record) -> int:
        return sum(rank[entrant] for entrant in record.entrants)

    write_replay(path, min(reversed(finished), key=places))
