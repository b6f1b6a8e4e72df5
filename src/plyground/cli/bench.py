"""The command `bench`: node counts of fixed searches."""

from __future__ import annotations

from dataclasses import asdict

from plyground.agents import bench as benchmark
from plyground.cli.arguments import Json, print_json
from plyground.cli.terminal import console, errors, table


def bench(as_json: Json = False) -> None:
    """Count the nodes of fixed searches; the total changes only if a search or game does."""
    with errors.status("searching"):
        rows = list(benchmark.bench())
    if as_json:
        print_json(
            {"signature": sum(row.nodes for row in rows), "searches": [asdict(row) for row in rows]}
        )
        return
    cells = [
        [row.game, row.agent, f"{row.nodes:,}", f"{row.nodes / max(row.seconds, 1e-9):,.0f}"]
        for row in rows
    ]
    console.print(table(["game", "agent", "nodes", "nodes/s of CPU time"], cells))
    console.print(f"signature {sum(row.nodes for row in rows)}")
