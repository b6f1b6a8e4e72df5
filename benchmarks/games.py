"""Random play-outs of every game, compiled and as plain Python: `python -m benchmarks.games`.

Both sides run the same kernels, alternating in separate processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from statistics import median
from time import process_time

from rich.console import Console
from rich.table import Table

VARIANTS = (
    "connect_n",
    "connect_n(width=10, height=8, n=5)",
    "connect_n(width=16, height=16, n=8)",
    "expendibots",
    "robots",
    "robots(board=classic, starts=uniform)",
    "robots(board=maze, width=32, height=32, robots=8)",
    "sheep",
    "sheep(size=15, cells=100, sheep=32)",
    "sheep(hidden=True)",
    "sheep(teams=True)",
    "sheep(players=2, hex=True)",
    "tron",
    "tron(simultaneous=True)",
    "tron(map=joust)",
    "tron(map=room, width=40, height=40)",
)
COMPILED, PLAIN = "0", "1"
SECONDS = {COMPILED: 0.5, PLAIN: 2.0}


def main() -> None:
    """Measure every variant, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; default 3")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--only", help="measure only variants whose spec contains this")
    parser.add_argument("--measure", metavar="SPEC", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure)))
        return
    rows = [compare(spec, given.rounds) for spec in VARIANTS if (given.only or "") in spec]
    print(json.dumps(rows, indent=2)) if given.json else print_table(rows)


def compare(spec: str, rounds: int) -> dict[str, object]:
    """Return the medians per CPU second of one variant, measured both ways in turn."""
    results: dict[str, list[dict[str, float]]] = {COMPILED: [], PLAIN: []}
    for _ in range(rounds):
        for side, figures in results.items():
            figures.append(run(spec, side))
    print(f"{spec}: {rounds} rounds", file=sys.stderr, flush=True)
    ours, plain = results[COMPILED], results[PLAIN]
    fast = median(each["plies"] for each in ours)
    slow = median(each["plies"] for each in plain)
    return {
        "variant": spec,
        "plies": fast,
        "play_outs": median(each["play_outs"] for each in ours),
        "plain": slow,
        "ratio": fast / slow,
    }


def run(spec: str, side: str) -> dict[str, float]:
    """Measure in a separate process, with the compiler on or off."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.games", "--measure", spec],
        env=os.environ | {"NUMBA_DISABLE_JIT": side},
        stdout=subprocess.PIPE,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measure(spec: str) -> dict[str, float]:
    """Play random games from several starts; return plies and play-outs per CPU second."""
    from plyground import load_game
    from plyground.search.playout import play_outs

    enough = SECONDS[os.environ["NUMBA_DISABLE_JIT"]]
    game = load_game(spec)
    starts = [game.start(seed) for seed in range(8)]
    play_outs(starts[0], 1)
    plies = games = 0
    spent = 0.0
    batch = 1
    while spent < enough:
        began = process_time()
        plies += play_outs(starts[games % len(starts)], batch, games)[1]
        spent += process_time() - began
        games += batch
        batch = min(2 * batch, 10_000) if spent < enough / 20 else batch
    return {"plies": plies / spent, "play_outs": games / spent}


def print_table(rows: list[dict[str, object]]) -> None:
    """Print one row per variant."""
    table = Table(title="Random play-outs per CPU second, medians", title_justify="left")
    table.add_column("variant")
    for heading in ("M plies", "play-outs", "plain Python: plies", "ratio"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            str(row["variant"]),
            f"{float(str(row['plies'])) / 1e6:.2f}",
            f"{float(str(row['play_outs'])):,.0f}",
            f"{float(str(row['plain'])):,.0f}",
            f"{float(str(row['ratio'])):,.0f} x",
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
