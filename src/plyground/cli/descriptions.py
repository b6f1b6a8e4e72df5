"""Lists and descriptions of games and agents in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.padding import Padding
from rich.text import Text

from plyground.cli.terminal import console

KINDS = {
    "evaluator": "Evaluators (heuristics at the leaves of a search)",
    "order": "Move orderings",
    "loud": "Noisy moves for quiescence",
    "unwise": "Moves to prune",
    "rollout": "Play-out policies",
    "bound": "Lower bounds on the plies left",
    "skip": "Null moves",
}
"""Headings for a game's evaluators and advisors, by kind."""


def print_list(descriptions: Sequence[dict[str, Any]], command: str) -> None:
    """Print one line for each game or agent, and the command that describes one of them."""
    width = max(len(description["name"]) for description in descriptions)
    for description in descriptions:
        name = description["name"].ljust(width)
        console.print(Text.assemble((name, "bold"), f"  {description['about']}"), soft_wrap=True)
    print(f"\n`plyground {command} NAME` describes one of them with its options.")


def print_description(description: dict[str, Any], notation: str = "") -> None:
    """Print what `describe` returned, and how a game's moves are typed."""
    console.print(Text.assemble((description["name"], "bold"), f"  {description['about']}"))
    if notation:
        console.print(Text("\nMoves", "bold"))
        console.print(Padding(Text(notation), (0, 0, 0, 2), expand=False))
    _print_options(description, "Options")
    parts = [part | {"kind": "evaluator"} for part in description.get("evaluators", ())]
    parts += description.get("advice", ())
    for kind, title in KINDS.items():
        of_kind = [part for part in parts if part["kind"] == kind]
        if of_kind:
            console.print(Text(f"\n{title}", "bold"))
        for part in of_kind:
            about = Text.assemble((part["name"], "cyan"), f"  {part['about']}")
            console.print(Padding(about, (0, 0, 0, 2), expand=False))
            _print_options(part, "", indent=4)


def _print_options(description: dict[str, Any], title: str, indent: int = 2) -> None:
    """Print each option with its type, default, meaning and range."""
    options = description.get("options", ())
    if options and title:
        console.print(Text(f"\n{title}", "bold"))
    for option in options:
        default = "" if option["required"] else f" = {option['default']!r}"
        meaning = "; ".join(part for part in (option["help"], option["range"]) if part)
        line = Text.assemble((f"{option['name']}: {option['type']}{default}", "cyan"))
        console.print(Padding(line.append(f"  {meaning}"), (0, 0, 0, indent), expand=False))
