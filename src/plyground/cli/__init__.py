"""What people see: the command line, and boards in the terminal."""

from __future__ import annotations

from typing import Any

import typer

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def new_app(**options: Any) -> typer.Typer:
    """Make an application, or a command's own, whose help is plain text."""
    return typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **options
    )
