"""The command line: every command reads its options, calls one package and shows what came back."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import asdict
from importlib.metadata import version
from io import TextIOWrapper
from time import process_time
from typing import Annotated, Any

import typer

from plyground.agents import AGENTS, load_agent
from plyground.agents import bench as benching
from plyground.agents.agent import Limit
from plyground.cli.arguments import (
    INTERRUPTED,
    GameName,
    Games,
    Json,
    Seconds,
    Seed,
    Settings,
    Strict,
    Text,
    print_json,
    read_game,
    read_position,
)
from plyground.cli.descriptions import print_described
from plyground.cli.games import games
from plyground.cli.judge import ratings, sprt
from plyground.cli.reproduce import reproduce
from plyground.cli.tournament import compete
from plyground.cli.tune import tune
from plyground.errors import BadOption, PlygroundError, cleaned
from plyground.game.check import check as check_laws
from plyground.game.perft import perft as count_lines
from plyground.games import GAMES

app = typer.Typer(
    help="A laboratory for board-game AI.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


app.add_typer(games, name="games")


@app.callback(invoke_without_command=True)
def root(
    show_version: Annotated[bool, typer.Option("--version", help="Say which version.")] = False,
) -> None:
    if show_version:
        print(f"plyground {version('plyground')}")
        raise typer.Exit


@games.callback(invoke_without_command=True)
def list_games(context: typer.Context, as_json: Json = False) -> None:
    """List the games that can be played, or handle those that were: see the commands below."""
    if context.invoked_subcommand is not None:
        return
    described = [GAMES.find(name).describe() for name in GAMES.names()]
    if as_json:
        print_json(described)
        return
    for each in described:
        print_described(each)


@app.command()
def agents(as_json: Json = False) -> None:
    """List the agents and their options."""
    described = [AGENTS.find(name).describe() for name in AGENTS.names()]
    if as_json:
        print_json(described)
        return
    for each in described:
        print_described(each)


@app.command()
def play(
    game: GameName,
    agent: Annotated[str, typer.Argument(help="Who plays the other seats.")] = "mcts",
    seat: Annotated[int, typer.Option(min=1, help="Your seat, from 1.")] = 1,
    seconds: Seconds = None,
    seed: Seed = 0,
    strict: Strict = False,
    position: Text = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Play against an agent."""
    from plyground.cli.play import play_person

    played, player = read_game(game, settings), load_agent(agent)
    if seat > played.facts.players:
        raise BadOption(f"seat {seat}: {played} has {played.facts.players} players")
    start = read_position(played, position, seed)
    play_person(start, player, seat - 1, Limit(seconds), seed, as_json=as_json)


@app.command()
def analyse(
    game: GameName,
    agent: Annotated[str, typer.Option(help="Who thinks.")] = "alphabeta",
    seconds: Annotated[float, typer.Option(help="For how long.")] = 10.0,
    position: Text = None,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Think about a position aloud: lines, values and depth as they come."""
    from plyground.cli.analyse import show_analysis

    start = read_position(read_game(game, settings), position, seed)
    show_analysis(start, load_agent(agent), Limit(seconds), seed, as_json=as_json)


app.command("match", help="Let agents play each other, one a seat, seats rotating.")(compete)
app.command(
    "tournament",
    help="Let agents meet by a plan, given here or as a .toml file in GAME's place, and rank them.",
)(compete)
app.command()(sprt)
app.command()(tune)
app.command()(reproduce)
app.command()(ratings)


@app.command()
def check(
    game: GameName,
    games: Games = 100,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Try the contract's laws on random games; exit 1 if one is broken."""
    from plyground.cli.terminal import console, progress, table

    played = read_game(game, settings)
    played.prepare()
    with progress() as bar:
        task = bar.add_task(f"checking {played}", total=games)
        laws = check_laws(played, games, seed, lambda done: bar.update(task, completed=done))
    if as_json:
        print_json(
            {"game": repr(played), "laws": [asdict(law) | {"holds": law.holds} for law in laws]}
        )
    else:
        rows = [["holds" if law.holds else "BROKEN", law.name, law.cases] for law in laws]
        console.print(table(["", "law", "cases"], rows, f"{played}, {games} games"))
        for law in laws:
            if law.failure:
                console.print(f"broken: {law.failure}", style="red", markup=False)
    if not all(law.holds for law in laws):
        raise typer.Exit(1)


@app.command()
def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=1, help="Count lines of 1 to this many plies.")],
    position: Text = None,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Count the lines of play by depth.

    A game that ends at exactly a depth counts there; it is no leaf of a deeper level.
    """
    from plyground.cli.terminal import console, table

    start = read_position(read_game(game, settings), position, seed)
    count_lines(start, 1)  # compiles
    counts, seconds = [], []
    for plies in range(1, depth + 1):
        began = process_time()
        counts.append(count_lines(start, plies))
        seconds.append(process_time() - began)
    if as_json:
        told = {"game": repr(start.game), "position": start.to_text(), "leaves": counts}
        print_json(told | {"seconds": [round(each, 6) for each in seconds]})
        return
    rows = [
        [plies, f"{count:,}", f"{count / max(spent, 1e-9) / 1e6:.1f}"]
        for plies, (count, spent) in enumerate(zip(counts, seconds, strict=True), start=1)
    ]
    console.print(table(["depth", "leaves", "M leaves/s"], rows, f"{start.game}"))


@app.command()
def bench(as_json: Json = False) -> None:
    """Count the nodes of fixed searches: the signature that a change of search must state."""
    from plyground.cli.terminal import console, errors, table

    with errors.status("searching"):
        rows = list(benching.bench())
    if as_json:
        print_json(
            {"signature": sum(row.nodes for row in rows), "searches": [asdict(row) for row in rows]}
        )
        return
    shown = [
        [row.game, row.agent, f"{row.nodes:,}", f"{row.nodes / max(row.seconds, 1e-9):,.0f}"]
        for row in rows
    ]
    console.print(table(["game", "agent", "nodes", "nodes/s of CPU time"], shown))
    console.print(f"signature {sum(row.nodes for row in rows)}")


def main() -> None:
    """Run the command; whatever a user can mend is one line on standard error and exit code 2."""
    warnings.formatwarning = lambda message, *where: f"note: {' '.join(str(message).split())}\n"
    usage_error: Any = typer.BadParameter.__bases__[0]  # click's own, wherever typer keeps it
    if isinstance(sys.stdout, TextIOWrapper):  # what a terminal cannot show is no error
        sys.stdout.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except PlygroundError as error:
        code = _complain(str(error))
    except usage_error as error:
        code = _complain(f"{error.format_message()} (try --help)")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    if code == INTERRUPTED:
        print("stopped", file=sys.stderr)
    sys.exit(code)


def _complain(message: str) -> int:
    print(f"error: {' '.join(cleaned(message).split())}", file=sys.stderr)
    return 2
