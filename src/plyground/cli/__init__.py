"""The command line, and boards and tables in the terminal."""

from __future__ import annotations

from typing import Any

import typer

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def help_without_command(context: typer.Context) -> None:
    """Print the help of a group that was called without one of its commands."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def new_app(**options: Any) -> typer.Typer:
    """Return a Typer application whose help is plain text."""
    return typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **options
    )
