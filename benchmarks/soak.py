"""Store many games with time limits on a busy machine, and read them all back.

    python -m benchmarks.soak

Two workers play short games of searches with a time limit beside processes that never sleep. Then
every stored game is read: counted are records that cannot be read, measured times below 0, and
forfeits. Exits with 1 if there is one of them, or if games are missing.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.load import busy
from plyground import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Processes
from plyground.cli.terminal import progress

GAME = "connect_n(width=4, height=4, n=3)"
AGENTS = ("alphabeta", "mcts")


def play(given: argparse.Namespace, location: str) -> float:
    """Play and store all games beside the busy processes; return the seconds that it took."""
    plan = Tournament(game=GAME, agents=AGENTS, games=given.games, seconds=given.seconds)
    began = perf_counter()
    with Store(location) as store, Processes(given.workers) as pool, progress() as bar:
        task = bar.add_task("playing", total=given.games)
        with busy(given.busy):
            for _ in play_tournament(plan, pool, store, store.begin(plan)):
                bar.advance(task)
    return perf_counter() - began


def examine(location: str) -> dict[str, float]:
    """Return what was found in the store, read as `ratings` does and as bare JSON."""
    names = ("games", "moves", "unreadable", "negative", "forfeits", "late")
    found: dict[str, float] = dict.fromkeys(names, 0)
    longest = total = 0.0
    with Store(location) as store:  # it names unreadable games on standard error
        found["unreadable"] = store.run(1).kept
        for record in store.records(1):
            found["games"] += 1
            found["unreadable"] -= 1
            found["moves"] += len(record.actions) - record.opening
            found["forfeits"] += record.fault is not None
            found["late"] += record.ending == "late"
            longest = max(longest, *record.seconds)
            total += sum(record.seconds)
    connection = sqlite3.connect(location)
    for (text,) in connection.execute("SELECT record FROM games"):
        found["negative"] += min(json.loads(text)["seconds"], default=0) < 0
    connection.close()
    mean = total / max(1, found["moves"])
    return found | {"ms_a_move": round(1000 * mean, 2), "slowest_ms": round(1000 * longest, 1)}


def main() -> None:
    """Play, examine and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--games", type=int, default=100_000, help="default 100000")
    parser.add_argument("--busy", type=int, default=4, help="busy processes; default 4")
    parser.add_argument("--workers", type=int, default=2, help="default 2")
    parser.add_argument(
        "--seconds", type=float, default=0.001, help="seconds per move; default 0.001"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        location = str(Path(folder) / "games.sqlite")
        seconds = play(given, location)
        found = examine(location) | {"seconds": round(seconds, 1)}
    if given.json:
        print(json.dumps(found))
    else:
        for name, figure in found.items():
            print(f"{name.replace('_', ' '):12}{figure:>12,}")
    faults = found["unreadable"] or found["negative"] or found["forfeits"]
    sys.exit(bool(faults) or found["games"] < given.games)


if __name__ == "__main__":
    main()
