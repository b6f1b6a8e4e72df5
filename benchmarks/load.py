"""Count late moves on a busy machine, beside processes that never sleep: `-m benchmarks.load`.

The busy processes are in sessions of their own, like other people's programs. Exits with 1 if an
agent forfeited.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from plyground import Tournament
from plyground.arena.tournament import Standings, play_tournament
from plyground.arena.workers import Processes, cores

PLANS = (
    ("connect_n", ("alphabeta", "mcts")),
    ("connect_n", ("mcts(threads=2)", "maxn")),
    ("connect_n", ("random", "greedy", "rule", "relay")),
    ("robots(board=maze, width=32, height=32, robots=8)", ("shortest",)),
    ("sheep(players=2, hidden=True)", ("mcts", "alphabeta")),
)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run so many processes that use all the CPU time they get."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main() -> None:
    """Play, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="games per pair; default 100")
    parser.add_argument(
        "--busy", type=int, default=2 * cores(), help="busy processes; default two per core"
    )
    parser.add_argument("--seconds", type=float, default=0.1, help="seconds per move; default 0.1")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--plans", type=int, default=len(PLANS), help="play only the first plans")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    rows = []
    with Processes(cores()) as pool:
        for game, agents in PLANS[: given.plans]:
            plan = Tournament(
                game=game,
                agents=agents,
                games=given.games,
                seconds=given.seconds,
                clock=given.clock,
            )
            table, slowest = Standings(plan.agents), dict.fromkeys(range(len(agents)), 0.0)
            with busy(given.busy):
                for record in play_tournament(plan, pool):
                    table.add(record)
                    if record.fault is not None:
                        print(f"{plan.game}: {record.outcome}", file=sys.stderr)
                    for player, seconds in zip(record.players, record.seconds, strict=True):
                        entrant = record.entrants[player]
                        slowest[entrant] = max(slowest[entrant], seconds)
            for entrant, row in enumerate(table.table):
                mean = 1000 * row.seconds / max(1, row.moves)
                most = 1000 * slowest[entrant]
                rows.append((plan.game, row.agent, row.games, row.moves, row.forfeits, mean, most))
    names = ("game", "agent", "games", "moves", "forfeits", "ms/move", "slowest ms")
    if given.json:
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2))
    else:
        title = f"{given.seconds} s per move ({given.clock}) beside {given.busy} busy processes"
        output = Table(*names, title=title, title_justify="left")
        for *texts, mean, most in rows:
            output.add_row(*map(str, texts), f"{mean:.1f}", f"{most:.1f}")
        Console(width=None if sys.stdout.isatty() else 120).print(output)
    sys.exit(any(row[4] for row in rows))


if __name__ == "__main__":
    main()
