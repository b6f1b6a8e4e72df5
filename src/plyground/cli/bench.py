"""The command `bench`: node counts of fixed searches."""

from __future__ import annotations

from dataclasses import asdict

from plyground.agents import bench as benching
from plyground.cli.arguments import Json, print_json
from plyground.cli.terminal import console, errors, table


def bench(as_json: Json = False) -> None:
    """Count the nodes of fixed searches: the signature that a change of search must state."""
    with errors.status("searching"):
        rows = list(benching.bench())
    if as_json:
        print_json(
            {"signature": sum(row.nodes for row in rows), "searches": [asdict(row) for row in rows]}
        )
        return
    shown = [
        [row.game, row.agent, f"{row.nodes:,}", f"{row.nodes / max(row.seconds, 1e-9):,.0f}"]
        for row in rows
    ]
    console.print(table(["game", "agent", "nodes", "nodes/s of CPU time"], shown))
    console.print(f"signature {sum(row.nodes for row in rows)}")
