"""How games and agents with their options are listed in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.padding import Padding
from rich.text import Text

from plyground.cli.terminal import console

KINDS = {
    "evaluator": "Evaluators (heuristics that value a position)",
    "order": "Move orderings",
    "loud": "Noisy moves for quiescence",
    "unwise": "Moves to prune",
    "rollout": "Play-out policies",
    "bound": "Lower bounds on the plies that are left",
}
"""What a game offers to searches, by kind."""


def print_list(described: Sequence[dict[str, Any]], command: str) -> None:
    """Print one line for each game or agent, and how to see more of one."""
    width = max(len(each["name"]) for each in described)
    for each in described:
        name = each["name"].ljust(width)
        console.print(Text.assemble((name, "bold"), f"  {each['about']}"), soft_wrap=True)
    print(f"\n`plyground {command} NAME` shows everything about one of them, with its options.")


def print_described(described: dict[str, Any]) -> None:
    """Print what `describe` returned: options, and what a game offers to searches."""
    console.print(Text.assemble((described["name"], "bold"), f"  {described['about']}"))
    _print_options(described, "Options")
    offers = [each | {"kind": "evaluator"} for each in described.get("evaluators", ())]
    offers += described.get("advice", ())
    for kind, title in KINDS.items():
        of_kind = [each for each in offers if each["kind"] == kind]
        if of_kind:
            console.print(Text(f"\n{title}", "bold"))
        for each in of_kind:
            about = Text.assemble((each["name"], "cyan"), f"  {each['about']}")
            console.print(Padding(about, (0, 0, 0, 2), expand=False))
            _print_options(each, "", indent=4)


def _print_options(described: dict[str, Any], title: str, indent: int = 2) -> None:
    """Print each option with its type, default, meaning and range."""
    options = described.get("options", ())
    if options and title:
        console.print(Text(f"\n{title}", "bold"))
    for option in options:
        default = "" if option["required"] else f" = {option['default']!r}"
        meaning = "; ".join(part for part in (option["help"], option["range"]) if part)
        line = Text.assemble((f"{option['name']}: {option['type']}{default}", "cyan"))
        console.print(Padding(line.append(f"  {meaning}"), (0, 0, 0, indent), expand=False))
