"""The command line: every command reads its options, calls one package and shows what came back."""

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
from plyground.cli import INTERRUPTED, new_app
from plyground.errors import PlygroundError, cleaned


class Entry(NamedTuple):
    """Where a command is found: in a module, under its own name, as a function or a Typer."""

    module: str
    help: str
    """The first line of its own help."""


COMMANDS = {
    "Play": {
        "play": Entry("play", "Play against an agent."),
        "analyse": Entry(
            "analyse", "Think about a position aloud: lines, values and depth as they come."
        ),
        "games": Entry(
            "games", "List the games that can be played; commands below handle those that were."
        ),
        "agents": Entry("agents", "List the agents and their options."),
    },
    "Compete": {
        "match": Entry("tournament", "Let agents play each other, one a seat, seats rotating."),
        "tournament": Entry(
            "tournament",
            "Let agents meet by a plan, given here or as a .toml file in GAME's place, and rank "
            "them.",
        ),
        "sprt": Entry(
            "sprt", "Play pairs of games until it is clear whether A is stronger than B."
        ),
        "ratings": Entry("ratings", "Rate the agents whose games are kept, with intervals."),
    },
    "Build": {
        "check": Entry(
            "check", "Try the contract's laws on random games; exit 1 if one is broken."
        ),
        "perft": Entry("perft", "Count the lines of play by depth."),
        "bench": Entry(
            "bench",
            "Count the nodes of fixed searches: the signature that a change of search must state.",
        ),
    },
    "Study": {
        "tune": Entry("tune", "Search for better numbers of an agent, by the games it plays."),
        "reproduce": Entry("reproduce", "Run a study's table again, beside its original figures."),
    },
}
"""By what one wants to do."""


class Commands(TyperGroup):
    """The commands, each imported when it is called: help and version need none of them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for section in COMMANDS.values() for name in section]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for section in COMMANDS.values():
            if cmd_name in section:
                module = _load(f"plyground.cli.{section[cmd_name].module}")
                return _command(cmd_name, getattr(module, cmd_name))
        return None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for title, section in COMMANDS.items():
            with formatter.section(title):
                rows = [(name.ljust(width), entry.help) for name, entry in section.items()]
                formatter.write_dl(rows)


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


def _command(name: str, found: Any) -> Any:
    """Make a command of a function; a Typer is one already."""
    if not isinstance(found, typer.Typer):
        function, found = found, new_app()
        found.command()(function)
    command = get_command(found)
    command.name = name
    return command


app = new_app(cls=Commands, help="A laboratory for board-game AI.", no_args_is_help=True)


@app.callback(invoke_without_command=True)
def root(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if show_version:
        print(f"plyground {__version__}")
        raise typer.Exit


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
