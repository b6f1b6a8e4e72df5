"""The overhead of the arena: stored games between random players, beside other programs' loops.

`python -m benchmarks.arena` plays Connect Four on two workers with the store on, by wall clock and
by the CPU time of all processes together; then measures searching agents on one worker and on two.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Work, show
from benchmarks.peers import open_spiel_matches, pettingzoo_playouts
from plyground.arena.plan import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Pool, Processes

ROUNDS = 3
"""Rounds of searching agents on one worker and on two, alternating; medians count."""

BOUND = 10_000.0
"""Games per second that two workers should play and store."""

PEERS: dict[str, tuple[Callable[[], Work], int]] = {
    "OpenSpiel evaluate_bots": (open_spiel_matches, 20_000),
    "PettingZoo": (pettingzoo_playouts, 300),
}


def cpu_seconds() -> float:
    """Return the CPU time of this process and its workers (on Linux)."""
    spent = process_time()
    for worker in active_children():
        fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


@contextmanager
def warm_pool(plan: Tournament, workers: int) -> Iterator[Pool]:
    """Start workers that have played some games, so that all kernels are loaded."""
    first = Tournament(**plan.changed() | {"games": 4 * workers})
    with Processes(workers) as pool:
        for _ in pool.play(plan, first.pairings(0, [])):
            pass
        yield pool


def random_games(count: int) -> tuple[float, float]:
    """Play and store games of random players; return games per second of wall and CPU time."""
    plan = Tournament(game="connect_n", agents=("random", "random"), games=count)
    with TemporaryDirectory() as folder, Store(f"{folder}/games.sqlite") as store:
        with warm_pool(plan, 2) as pool:
            began, before = perf_counter(), cpu_seconds()
            kept = sum(1 for _ in play_tournament(plan, pool, store, store.begin(plan)))
            seconds, spent = perf_counter() - began, cpu_seconds() - before
        assert kept == store.runs()[0].kept == count
    return count / seconds, count / spent


def peer(prepare: Callable[[], Work], count: int) -> float:
    """Return a peer's games per CPU second."""
    work = prepare()
    work(10, 0)
    began = process_time()
    done = work(count, 1)
    return done / (process_time() - began)


def thinking(workers: int, games: int) -> float:
    """Return the games per second of wall time of searching agents."""
    agents = ("mcts(simulations=3000, reuse=False)", "alphabeta(depth=7)")
    plan = Tournament(game="connect_n", agents=agents, games=games)
    with warm_pool(plan, workers) as pool:
        began = perf_counter()
        played = sum(1 for _ in play_tournament(plan, pool))
        return played / (perf_counter() - began)


def main() -> None:
    """Measure and print; exit with 1 if two free cores would not reach the bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena", description=__doc__)
    parser.add_argument(
        "--games", type=int, default=10_000, help="games of random players; default 10000"
    )
    parser.add_argument(
        "--thinking", type=int, default=300, help="games of searching agents; default 300"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    wall, cpu = random_games(given.games)
    rows = {
        "plyground, 2 workers, stored: games/s": wall,
        "plyground: games per CPU second": cpu,
        "plyground: games/s of two free cores": 2 * cpu,
    }
    for name, (prepare, count) in PEERS.items():
        try:
            rows[f"{name}: games per CPU second"] = figure = peer(prepare, count)
            rows[f"plyground / {name}"] = cpu / figure
        except ImportError as missing:
            print(f"{name} is left out: {missing}; pip install 'plyground[bench]'", file=sys.stderr)
    pairs = [(thinking(1, given.thinking), thinking(2, given.thinking)) for _ in range(ROUNDS)]
    one, two = (median(figures) for figures in zip(*pairs, strict=True))
    ratio = median(both / alone for alone, both in pairs)
    rows |= {"searching, 1 worker: games/s": one, "2 workers: games/s": two, "2 / 1": ratio}
    if given.json:
        print(json.dumps(rows, indent=2))
    else:
        table = Table("Connect Four", "", title_justify="left")
        for name, value in rows.items():
            table.add_row(name, show(value))
        Console().print(table)
    sys.exit(2 * cpu < BOUND)


if __name__ == "__main__":
    main()
