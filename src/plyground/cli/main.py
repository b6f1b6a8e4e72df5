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
from plyground.errors import DEBUG, BadOption, PlygroundError, cleaned, show_traceback


class Entry(NamedTuple):
    """Where a command is defined: in a module, under its own name, as a function or a Typer."""

    module: str
    help: str
    """The first line of its own help."""
    example: str


COMMANDS = {
    "Play": {
        "play": Entry("play", "Play against an agent.", "play connect_n mcts --seconds 1"),
        "analyse": Entry(
            "analyse",
            "Show an agent's values, depth and best lines while it searches a position.",
            "analyse connect_n --agent alphabeta --seconds 10",
        ),
        "games": Entry(
            "games", "List the games, or everything about one of them.", "games connect_n"
        ),
        "agents": Entry(
            "agents", "List the agents, or everything about one of them.", "agents mcts"
        ),
    },
    "Compete": {
        "match": Entry(
            "tournament",
            "Play games between as many agents as the game has seats; seats rotate.",
            'match connect_n alice=mcts "bob=alphabeta(depth=6)" --games 20',
        ),
        "tournament": Entry(
            "tournament",
            "Play games between many agents, by options or by a plan in a .toml file, and rank "
            "them.",
            "tournament tron random greedy alphabeta mcts --format swiss --report table.html",
        ),
        "sprt": Entry(
            "sprt",
            "Test whether A is stronger than B: play pairs of games until that is clear.",
            'sprt connect_n "alphabeta(depth=4)" "alphabeta(depth=3)" --elo1 20',
        ),
        "ratings": Entry(
            "ratings", "Rate the agents in stored games, with intervals.", "ratings connect_n"
        ),
        "runs": Entry(
            "runs", "List, show, export, import and remove stored games.", "runs show 1 3"
        ),
    },
    "Build": {
        "check": Entry(
            "check",
            "Try the contract's laws on random games; exit 1 if one is broken.",
            "check examples/tic_tac_toe.py",
        ),
        "perft": Entry("perft", "Count the lines of play by depth.", "perft connect_n 8"),
        "bench": Entry(
            "bench",
            "Count the nodes of fixed searches: the signature that a change of search must state.",
            "bench",
        ),
        "tune": Entry(
            "tune",
            "Search for better values of an agent's options, by the games it plays.",
            'tune connect_n "alphabeta(depth=4)" --over evaluate.offensiveness=0..1',
        ),
    },
    "Study": {
        "reproduce": Entry(
            "reproduce",
            "Run an original study's table again, beside its own figures.",
            "reproduce expendibots_table1 --quick",
        ),
    },
}
"""By what the user wants to do."""

MOVED = {
    ("games", "list"): "runs list` and `plyground runs show RUN",
    ("games", "show"): "runs show RUN GAME",
    ("games", "export"): "runs export",
    ("games", "import"): "runs import",
}
"""Former commands, and what replaced them."""


class Commands(TyperGroup):
    """The commands, each imported when it is called: help and version need none of them."""

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
        new = MOVED.get((args[0], args[1] if len(args) > 1 else ""))
        if new is not None:
            raise BadOption(f"`plyground {args[0]} {args[1]}` is now `plyground {new}`")
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
    """Import a command's module; what is loaded stays, and the garbage collector may skip it.

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
    for each in getattr(command, "commands", {"": command}).values():
        each.params += _common_options()
    return command


def _set_debug(value: bool) -> None:
    """Set the environment variable that workers read as well."""
    if value:
        os.environ[DEBUG] = "1"


def _common_options() -> list[Any]:
    """Return the options that every command takes, in the form of click's parameters."""

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
    """Run the command; an error that the user can mend is one line and exit code 2."""
    warnings.formatwarning = lambda message, *where: f"note: {' '.join(str(message).split())}\n"
    usage_error: Any = typer.BadParameter.__bases__[0]  # click's own, wherever typer keeps it
    if isinstance(sys.stdout, TextIOWrapper):  # what a terminal cannot show is no error
        sys.stdout.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except PlygroundError as error:
        show_traceback(error)
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
