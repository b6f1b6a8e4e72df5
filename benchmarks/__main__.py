"""Measure all tasks, and print a table or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version

from rich.console import Console
from rich.table import Table

from benchmarks.connect_four import TASKS
from benchmarks.measure import LONGEST, Result, Side, run, show

WIDTH = 120
"""Columns of a table that is printed to a file."""


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = list(dict.fromkeys(task.name for task in TASKS))
    parser.add_argument("--only", choices=names, help="measure one task")
    parser.add_argument("--rounds", type=_rounds, default=5, help="number of rounds; default 5")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    results = [
        run(task, given.rounds, lambda line: print(line, file=sys.stderr, flush=True))
        for task in TASKS
        if given.only in (None, task.name)
    ]
    if given.json:
        print(json.dumps(as_data(results), indent=2))
    else:
        print_table(results, given.rounds)
    for name, reason in left_out(results).items():
        print(f"{name} is left out: {reason}; pip install 'plyground[bench]'", file=sys.stderr)


def _rounds(text: str) -> int:
    rounds = int(text)
    if rounds < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return rounds


def print_table(results: list[Result], rounds: int) -> None:
    """Print one row per task and peer; the caption lists sides measured in fewer rounds."""
    table = Table(title="Connect Four: units per CPU second, medians", title_justify="left")
    table.add_column("task")
    table.add_column("plyground", justify="right")
    table.add_column("peer")
    table.add_column("peer's figure", justify="right")
    table.add_column("ratio", justify="right")
    notes = []
    for result in results:
        for peer in result.peers:
            ours, theirs = result.figure(result.task.ours), result.figure(peer)
            ratio = show(result.ratio(peer))
            table.add_row(result.task.title, show(ours), label(peer), show(theirs), f"{ratio} x")
        notes += [
            f"{side.name}, {result.task.name}: {len(figures)} of {rounds} rounds, "
            f"as one took over {LONGEST:.0f} s"
            for side, figures in result.figures.items()
            if len(figures) < rounds
        ]
    table.caption = "\n".join(notes)
    if table.row_count:
        Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


def label(side: Side) -> str:
    """Return the name of a side with its version and the interface that is measured."""
    return f"{side.name} {version(side.package)} ({side.how})"


def left_out(results: list[Result]) -> dict[str, str]:
    """Return the peers that could not be imported, and why."""
    return {side.name: why for result in results for side, why in result.missing.items()}


def as_data(results: list[Result]) -> dict[str, object]:
    """Return all figures, in units per CPU second, for JSON."""
    rows = [
        {
            "task": result.task.name,
            "title": result.task.title,
            "plyground": result.figure(result.task.ours),
            "peer": peer.name,
            "version": version(peer.package),
            "how": peer.how,
            "figure": result.figure(peer),
            "ratio": result.ratio(peer),
            "rounds": {
                "plyground": result.figures[result.task.ours],
                "peer": result.figures[peer],
            },
        }
        for result in results
        for peer in result.peers
    ]
    return {"rows": rows, "left_out": left_out(results)}


if __name__ == "__main__":
    main()
