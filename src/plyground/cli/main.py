"""The command line: every command reads its options, calls one package and prints the result."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from plyground import __version__
from plyground.cli import INTERRUPTED, help_without_command, new_app
from plyground.errors import (
    DEBUG,
    OptionError,
    PlygroundError,
    UnknownNameError,
    show_traceback,
)
from plyground.text import cleaned


class Entry(NamedTuple):
    """A command: a function or Typer application of the same name in a module of this package."""

    module: str
    help: str
    """First line of the command's own help, repeated here so that no module is imported."""
    example: str


COMMANDS = {
    "Play": {
        "play": Entry(
            "play", "Play against agents or with other people.", "play connect_n mcts --seconds 1"
        ),
        "serve": Entry(
            "serve",
            "Open a local site where games are played, watched and analysed in the browser.",
            "serve --port 8000",
        ),
        "analyse": Entry(
            "analyse",
            "Show what every move of a position is worth, or an agent's best lines while it "
            "searches.",
            "analyse connect_n --position 7/7/3o3/2xo3/2ox3/1oxxxo1",
        ),
        "solve": Entry(
            "solve",
            "Solve positions exactly: the result of best play, and a line that leads to it.",
            "solve connect_n --position 44444432",
        ),
        "games": Entry(
            "games", "List the games, or describe one of them with its options.", "games connect_n"
        ),
        "agents": Entry(
            "agents", "List the agents, or describe one of them with its options.", "agents mcts"
        ),
    },
    "Compete": {
        "match": Entry(
            "tournament",
            "Play a match between agents, one per seat; the seats rotate.",
            'match connect_n alice=mcts "bob=alphabeta(depth=6)" --games 20',
        ),
        "tournament": Entry(
            "tournament",
            "Play a tournament of many agents, by options or a .toml plan, and rank them.",
            "tournament tron random greedy alphabeta mcts --format swiss --report table.html",
        ),
        "sprt": Entry(
            "sprt",
            "Test whether agent A is stronger than B, with as few games as needed (SPRT).",
            'sprt connect_n "alphabeta(depth=4)" "alphabeta(depth=3)" --elo1 20',
        ),
        "ratings": Entry(
            "ratings",
            "Compute Elo ratings with confidence intervals from stored games.",
            "ratings connect_n",
        ),
        "runs": Entry(
            "runs", "List, show, export, import and remove stored games.", "runs show 1 3"
        ),
    },
    "Build": {
        "check": Entry(
            "check",
            "Test a game's rules on random games; exit with 1 if a law of the contract is broken.",
            "check examples/tic_tac_toe.py",
        ),
        "perft": Entry(
            "perft",
            "Count the lines of play by depth, to compare rules with other programs.",
            "perft connect_n 8",
        ),
        "bench": Entry(
            "bench",
            "Count the nodes of fixed searches; the total changes only if a search or game does.",
            "bench",
        ),
        "train": Entry(
            "train",
            "Train a network for a game; the best one is written as an ONNX file that agents play "
            "with.",
            "train connect_n --minutes 10 --out my-network",
        ),
        "tune": Entry(
            "tune",
            "Search for better values of an agent's options by playing games.",
            'tune connect_n "alphabeta(depth=4)" --over evaluate.zugzwang=0..5',
        ),
    },
    "Study": {
        "reproduce": Entry(
            "reproduce",
            "Repeat the experiments of an original study, and show its own figures beside them.",
            "reproduce expendibots_table1 --quick",
        ),
    },
}
"""The commands by section of the help."""

MOVED = {
    ("games", "list"): "runs list` and `plyground runs show RUN",
    ("games", "show"): "runs show RUN GAME",
    ("games", "export"): "runs export",
    ("games", "import"): "runs import",
}
"""Former commands, and the commands that replaced them."""


class Commands(TyperGroup):
    """The commands, each imported when it is called, as help and version need none of them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for section in COMMANDS.values() for name in section]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for section in COMMANDS.values():
            if cmd_name in section:
                entry = section[cmd_name]
                module = _load(f"plyground.cli.{entry.module}")
                return _command(cmd_name, getattr(module, cmd_name), entry.example)
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        successor = MOVED.get((args[0], args[1] if len(args) > 1 else ""))
        if successor is not None:
            raise OptionError(f"`plyground {args[0]} {args[1]}` is now `plyground {successor}`")
        if args[0] not in (names := self.list_commands(ctx)):
            raise UnknownNameError("command", args[0], names)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for title, section in COMMANDS.items():
            with formatter.section(title):
                rows = [(name.ljust(width), entry.help) for name, entry in section.items()]
                formatter.write_dl(rows)
                example = next(iter(section.values())).example
                formatter.write(f"\n{'':>{formatter.current_indent}}plyground {example}\n")


def _load(name: str) -> ModuleType:
    """Return a command's module, imported without the garbage collector, which then ignores it.

    That saves a quarter of the time of a short command, half of it when the process ends.
    """
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


def _command(name: str, source: Any, example: str) -> Any:
    """Return the command of a function or a Typer, with `--debug` and an example in its help."""
    if not isinstance(source, typer.Typer):
        function, source = source, new_app()
        source.command()(function)
    command: Any = get_command(source)
    command.name = name
    command.epilog = f"\b\nExample: plyground {example}"  # \b: do not wrap
    for member in getattr(command, "commands", {"": command}).values():
        member.params += _common_options()
    return command


def _set_debug(value: bool) -> None:
    """Set the environment variable, which worker processes read as well."""
    if value:
        os.environ[DEBUG] = "1"


def _common_options() -> list[Any]:
    """Return the options of every command, as click's parameters."""

    def command(
        debug: Annotated[
            bool,
            typer.Option(
                "--debug",
                is_eager=True,
                expose_value=False,
                callback=_set_debug,
                help="Show the traceback of errors.",
            ),
        ] = False,
    ) -> None:
        pass

    source = new_app()
    source.command()(command)
    parsed: Any = get_command(source)
    return list(parsed.params)


app = new_app(
    cls=Commands,
    help="A laboratory for board-game AI.",
    epilog="Every command takes -h, --json and --debug.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if show_version:
        print(f"plyground {__version__}")
        raise typer.Exit
    help_without_command(context)


def main() -> None:
    """Run the command; print an error that the user can correct as one line, with exit code 2."""
    warnings.formatwarning = lambda message, *where: f"note: {' '.join(str(message).split())}\n"
    usage_error: Any = typer.BadParameter.__bases__[
        0
    ]  # click's UsageError; typer may bundle its own click
    if isinstance(sys.stdout, TextIOWrapper):  # replace what the terminal cannot show
        sys.stdout.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except PlygroundError as error:
        show_traceback(error)
        code = _print_error(str(error))
    except usage_error as error:
        code = _print_error(f"{error.format_message()} (try --help)")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of standard output ended, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    if code == INTERRUPTED:
        print("stopped", file=sys.stderr)
    sys.exit(code)


def _print_error(message: str) -> int:
    """Print one line on standard error; return the exit code."""
    print(f"error: {' '.join(cleaned(message).split())}", file=sys.stderr)
    return 2
