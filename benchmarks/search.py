"""Searches in the games, beside the original studies: `python -m benchmarks.search`.

One thread and CPU time, except for the last rows: two threads and wall time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from plyground import Limit, load_agent, load_game
from plyground.agents.agent import Thought


@dataclass(frozen=True)
class Row:
    """A measured figure, the figure it is compared with, and their ratio."""

    task: str
    figure: float
    unit: str
    beside: float
    whose: str
    ratio: float


def think(game: str, agent: str, limit: Limit, seed: int) -> Thought:
    """Search the first position with a new agent: empty table, empty tree."""
    return load_agent(agent).think(load_game(game).start(), limit, seed)


def rate(
    game: str, agent: str, limit: Limit, units: Callable[[Thought], int], rounds: int
) -> float:
    """Return the median number of units per CPU second."""
    think(game, agent, limit, 0)
    figures = []
    for seed in range(rounds):
        began = process_time()
        thought = think(game, agent, limit, seed)
        figures.append(units(thought) / (process_time() - began))
    return median(figures)


def seconds(game: str, agent: str, rounds: int) -> float:
    """Return the median CPU seconds of a whole search."""
    think(game, agent, Limit(), 0)
    figures = []
    for seed in range(rounds):
        began = process_time()
        think(game, agent, Limit(), seed)
        figures.append(process_time() - began)
    return median(figures)


def faster(task: str, figure: float, unit: str, beside: float, whose: str) -> Row:
    return Row(task, figure, unit, beside, whose, figure / beside)


def expendibots(rounds: int) -> list[Row]:
    """Table 1 of the original study: ordered alpha-beta by the ratio of pieces."""
    spec = "alphabeta(evaluate=pieces, depth={})"
    nodes = rate("expendibots", spec.format(7), Limit(), lambda thought: thought.nodes, rounds)
    rows = [faster("Expendibots, alpha-beta: nodes", nodes, "/s", 15_000, "study")]
    for turns, taken in ((3, 0.37), (4, 3.78)):
        spent = seconds("expendibots", spec.format(turns), rounds)
        rows.append(
            Row(f"Expendibots, {turns} turns deep", spent, "s", taken, "study", taken / spent)
        )
    return rows


def tron(rounds: int) -> list[Row]:
    speed = rate(
        "tron",
        "alphabeta(evaluate=voronoi)",
        Limit(nodes=500_000),
        lambda thought: thought.info["evaluated"],
        rounds,
    )
    return [faster("Tron 13x13, alpha-beta: Voronoi evaluations", speed, "/s", 300_000, "goal")]


def sheep(rounds: int) -> list[Row]:
    limit = Limit(simulations=20_000)
    speed = rate("sheep", "mcts", limit, lambda thought: thought.simulations, rounds)
    return [faster("Battle Sheep, MCTS: random play-outs", speed, "/s", 50_000, "goal")]


def threads(rounds: int) -> list[Row]:
    """Simulations per second of wall time, with one thread and with two, alternating."""
    rows = []
    for game in ("connect_n", "sheep"):
        speeds: dict[str, list[float]] = {"mcts": [], "mcts(threads=2)": []}
        for seed in range(rounds):
            for agent, figures in speeds.items():
                began = perf_counter()
                thought = think(game, agent, Limit(seconds=0.5), seed)
                figures.append(thought.simulations / (perf_counter() - began))
        one, two = (median(figures) for figures in speeds.values())
        rows.append(faster(f"{game}, MCTS of two threads: simulations", two, "/s", one, "one"))
    return rows


PARTS: dict[str, Callable[[int], list[Row]]] = {
    "expendibots": expendibots,
    "tron": tron,
    "sheep": sheep,
    "threads": threads,
}


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure one part")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; default 5")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    rows = []
    for name in PARTS if given.only is None else [given.only]:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        rows += PARTS[name](given.rounds)
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    table = Table(title="Searches from the start, medians", title_justify="left")
    table.add_column("task")
    for heading in ("figure", "beside", "ratio"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.task,
            shown(row.figure, row.unit),
            f"{shown(row.beside, row.unit)} ({row.whose})",
            f"{row.ratio:,.1f} x",
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def shown(figure: float, unit: str) -> str:
    return f"{figure:,.0f}{unit}" if figure >= 100 else f"{figure:.3g} {unit}"


if __name__ == "__main__":
    main()
