"""The page of all options, written by `python -m plyground.export.manual > docs/options.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from plyground.agents import AGENTS
from plyground.games import GAMES

INTRODUCTION = """\
# Options

Every game, evaluator and agent with its options, as `plyground games` and `plyground agents` list
them (`--json` for programs). Options are written in brackets, also those of an option:
`alphabeta(depth=6, evaluate='windows(offensiveness=0.5)')`.

An option of the type `evaluator`, `order`, `loud` (noisy moves for quiescence), `unwise` (moves to
prune) or `rollout` is the name of one that the game has, or `nothing`; empty means the game's
first. `agent` is an agent with its options, `file` and `program` are paths, `command` is a program
with its arguments, as in a shell.

Written by `python -m plyground.export.manual > docs/options.md`."""


def options_page() -> str:
    """Return the page of the package's own games and agents, from their options."""
    lines = [INTRODUCTION, "", "## Games", ""]
    for name in sorted(GAMES.inside):
        lines += _game(GAMES.find(name).describe())
    lines += ["## Agents", ""]
    for name in sorted(AGENTS.inside):
        lines += _section("###", AGENTS.find(name).describe())
    return "\n".join(lines).rstrip() + "\n"


def _game(game: dict[str, Any]) -> Iterator[str]:
    yield from _section("###", game)
    for evaluator in game["evaluators"]:
        yield from _section("####", evaluator | {"name": f"{game['name']}: {evaluator['name']}"})
    if game["advice"]:
        rows = (
            (f"`{advisor['name']}`", advisor["kind"], advisor["about"])
            for advisor in game["advice"]
        )
        yield from _table(("advice", "kind", "what it does"), rows)


def _section(level: str, description: dict[str, Any]) -> Iterator[str]:
    yield from (f"{level} {description['name']}", "", description["about"], "")
    if description["options"]:
        headings = ("option", "type", "default", "allowed", "meaning")
        yield from _table(headings, map(_row, description["options"]))


def _row(option: dict[str, Any]) -> tuple[str, ...]:
    default = "required" if option["required"] else f"`{option['default']!r}`"
    return f"`{option['name']}`", option["type"], default, option["range"], option["help"]


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for cells in (headings, ("---",) * len(headings), *rows):
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
    yield ""


if __name__ == "__main__":
    print(options_page(), end="")
