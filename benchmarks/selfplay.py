"""Tree steps of self-play without a network: `python -m benchmarks.selfplay`.

A step takes an evaluation, descends to the next leaf and writes the network's input for it. The
evaluations are random numbers made beforehand, so that nothing but the trees and the rules is
measured; the first positions are dealt beforehand too, and what one of them takes stands beside.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import cycle
from statistics import median
from time import perf_counter, process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from plyground import load_game
from plyground.learn.selfplay import SelfPlay
from plyground.search.forest import Evaluation, Gumbel, Puct

GAMES = (
    "connect_n",
    "expendibots",
    "robots",
    "sheep",
    "sheep(hidden=true)",
    "tron",
    "tron(simultaneous=true)",
)
RULES = {"gumbel": Gumbel(), "puct": Puct(noise=0.25, drawn=30)}
STARTS = 200
SECONDS = 1.0


def main() -> None:
    """Measure every game, print a table for people or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selfplay", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often; 3 if not given")
    parser.add_argument("--threads", type=int, default=1, help="threads; 1 if not given")
    parser.add_argument("--games", type=int, default=2048, help="games at once; 2048 if not given")
    parser.add_argument("--simulations", type=int, default=16, help="per move; 16 if not given")
    parser.add_argument("--rule", choices=RULES, default="gumbel", help="gumbel if not given")
    parser.add_argument("--only", default="", help="measure only games whose spec contains this")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    rows = [measure(spec, given) for spec in GAMES if given.only in spec]
    print(json.dumps(rows, indent=2)) if given.json else print_table(rows, given.threads)


def measure(spec: str, given: argparse.Namespace) -> dict[str, str | float]:
    """Play for a while, several times; medians per second of the clock and of the processors."""
    game = load_game(spec)
    game.start()
    began = process_time()
    starts = [game.start(seed) for seed in range(1, STARTS + 1)]
    dealing = (process_time() - began) / STARTS
    dealt = cycle(starts)
    random, rows = np.random.default_rng(0), given.games // 2
    evaluation = Evaluation(
        random.uniform(-1, 1, (rows, game.facts.players)).astype(np.float32),
        random.normal(size=(rows, game.facts.branching)).astype(np.float32),
    )
    play = SelfPlay(
        game,
        lambda planes, entries: evaluation,
        games=given.games,
        simulations=given.simulations,
        rule=RULES[given.rule],
        threads=given.threads,
        start=lambda seed: next(dealt),
    )
    play.play(2 * given.games)
    figures = []
    for _ in range(given.rounds):
        before, positions = play.evaluations, 0
        began, cpu = perf_counter(), process_time()
        while perf_counter() - began < SECONDS:
            positions += len(play.play(1).game)
        seconds, used = perf_counter() - began, process_time() - cpu
        steps = play.evaluations - before
        figures.append((steps / seconds, steps / used, positions / seconds))
    by_clock, by_cpu, moves = (median(column) for column in zip(*figures, strict=True))
    print(f"{spec}: {by_cpu:,.0f} steps per CPU second", file=sys.stderr, flush=True)
    return {
        "game": spec,
        "steps_per_second": by_clock,
        "steps_per_cpu_second": by_cpu,
        "positions_per_second": moves,
        "start_milliseconds": 1000 * dealing,
    }


def print_table(rows: list[dict[str, str | float]], threads: int) -> None:
    """Print a row for each game."""
    table = Table(title=f"Self-play without a network, {threads} threads", title_justify="left")
    table.add_column("game")
    for heading in ("steps/CPU s", "steps/s", "positions/s", "ms per start"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            str(row["game"]),
            f"{row['steps_per_cpu_second']:,.0f}",
            f"{row['steps_per_second']:,.0f}",
            f"{row['positions_per_second']:,.0f}",
            f"{row['start_milliseconds']:.3f}",
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
