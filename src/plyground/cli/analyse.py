"""The command `analyse`: every move's exact value, or what an agent finds while it searches."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import inf
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Thought
from plyground.cli.arguments import (
    GameName,
    Json,
    PositionText,
    Seed,
    Settings,
    read_game,
    read_position,
)
from plyground.cli.commentary import in_brackets, remark
from plyground.cli.terminal import board, console, table
from plyground.game import Position, Solution

SHOWN = 8
COUNTS = ("nodes_per_second", "simulations_per_second", "reused")
"""Entries of `Thought.info` that are shown."""


def analyse(
    game: GameName,
    agent: Annotated[
        str, typer.Option(help="The agent that searches; champion is the strongest known.")
    ] = "champion",
    seconds: Annotated[float, typer.Option(help="Thinking time.")] = 1.0,
    position: PositionText = None,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Show what every move of a position is worth, or an agent's best lines while it searches."""
    start = read_position(read_game(game, settings), position, seed)
    show_analysis(start, load_agent(agent), Limit(seconds), seed, as_json=as_json)


def show_analysis(
    position: Position, agent: Agent, limit: Limit, seed: int, *, as_json: bool
) -> None:
    """Show thoughts until the limit is reached; Ctrl-C ends it with the best so far.

    The position is analysed as the player to move sees it, without what is hidden from that player.
    """
    if position.observer is None:
        position = position.observe(position.player)
    thoughts = agent.analyse(position, limit, seed)
    if as_json:
        for thought in thoughts:
            print(json.dumps(described(position, thought)), flush=True)
        return
    console.print(board(position))
    rows: dict[object, list[object]] = {}
    last = None
    with Live(console=console, refresh_per_second=8, transient=False) as live:
        try:
            for thought in thoughts:
                last = thought
                live.update(_view(position, agent, thought, rows))
        except KeyboardInterrupt:
            pass
    if last is not None:
        comment = in_brackets(remark(position, last))
        console.print(f"best: [bold]{position.format(last.action)}[/]{comment}")
    sys.stdout.flush()


def described(position: Position, thought: Thought) -> dict[str, Any]:
    """Return a thought as plain data, with actions as people write them."""
    proof = thought.proof
    return {
        "action": position.format(thought.action),
        "value": thought.value,
        "policy": {position.format(action): share for action, share in thought.policy.items()},
        "proof": None if proof is None else {"value": proof.value, "plies": proof.plies},
        "depth": thought.depth,
        "nodes": thought.nodes,
        "simulations": thought.simulations,
        "line": written(position, thought.line),
        "values": {
            position.format(action): {
                "value": solution.value,
                "score": solution.score,
                "plies": solution.plies,
                "verdict": position.game.verdict(solution.value, solution.plies),
                "line": written(position, solution.line),
            }
            for action, solution in thought.values.items()
        },
        "info": dict(thought.info),
    }


def written(position: Position, line: Sequence[int]) -> list[str]:
    """Return the actions of a line as people write them."""
    texts = []
    for action in line:
        if action not in position.legal_actions:
            break
        texts.append(position.format(action))
        position = position.play(action)
    return texts


def _view(
    position: Position, agent: Agent, thought: Thought, rows: dict[object, list[object]]
) -> Group:
    """Return one row per iteration of deepening, or per action where the agent weighs actions."""
    counts = {
        "depth": thought.depth,
        "nodes": thought.nodes,
        "simulations": thought.simulations,
        **{name: thought.info.get(name) for name in COUNTS},
    }
    head = "  ".join(
        f"{name.replace('_per_', '/')} {_number(count)}"
        for name, count in counts.items()
        if count is not None
    )
    value = "" if thought.value is None else f"{thought.value:+.3f}"
    if thought.proof is not None:
        plies = thought.proof.plies
        value += " proved" if plies is None else f" in {plies}"
    line = " ".join(written(position, thought.line))
    if thought.values:
        shown = _solved(position, thought)
    elif thought.depth is not None:
        rows[thought.depth] = [thought.depth, value, _number(thought.nodes), line]
        shown = table(["depth", "value", "nodes", "line"], list(rows.values())[-SHOWN:])
    else:
        shown = _weighed(position, thought, value, line)
    return Group(Text(f"{agent}  {head}", "dim"), shown)


def _number(count: object) -> str:
    """Return a number with commas; what is none as it is, as agents note what they like."""
    return f"{count:,}" if isinstance(count, int | float) else "" if count is None else str(count)


def _solved(position: Position, thought: Thought) -> Table:
    """Return one row per legal action, best first."""

    def rank(item: tuple[int, Solution]) -> tuple[bool, float, float]:
        action, solution = item
        plies = inf if solution.plies is None else solution.plies
        return action != thought.action, -solution.value, plies if solution.value > 0 else -plies

    rows = [
        [
            position.format(action),
            position.game.verdict(solution.value, solution.plies),
            " ".join(written(position, solution.line)),
        ]
        for action, solution in sorted(thought.values.items(), key=rank)
    ]
    return table(["action", "result", "line"], rows)


def _weighed(position: Position, thought: Thought, value: str, line: str) -> Table:
    best = sorted(thought.policy.items(), key=lambda item: -item[1])[:SHOWN]
    return table(
        ["action", "share", "value", "line"],
        [
            [
                position.format(action),
                f"{share:.1%}",
                value if action == thought.action else "",
                line if action == thought.action else "",
            ]
            for action, share in best or [(thought.action, 1.0)]
        ],
    )
