"""How games and agents with their options are listed in the terminal."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from plyground.cli.terminal import console


def print_described(described: dict[str, Any], kind: str = "") -> None:
    """Print what `describe` returned: a heading, and one line for each option."""
    before = f"{kind} " if kind else ""
    heading = Text.assemble(before, (described["name"], "bold"), f"  {described['about']}")
    console.print(heading, soft_wrap=True)
    for option in described.get("options", ()):
        default = "" if option["required"] else f" = {option['default']!r}"
        words = "; ".join(part for part in (option["help"], option["range"]) if part)
        line = Text.assemble((f"    {option['name']}: {option['type']}{default}", "cyan"))
        console.print(line.append(f"  {words}"), soft_wrap=True)
    for evaluator in described.get("evaluators", ()):
        print_described(evaluator, "evaluator")
    for advice in described.get("advice", ()):
        print_described(advice, advice["kind"])
