"""The solver of Robot Reboot beside `search.shortest`: `python -m benchmarks.robots_solver`.

CPU time of one thread. Both sides solve the same positions in this process, set by set: the solved
positions of the tests, and uniform classic starts that take 13 moves or more. A search that is not
done after `--nodes` nodes counts with the time it took.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from plyground import load_game
from plyground.control import NODES
from plyground.game import Position
from plyground.search import shortest

TESTS = Path(__file__).parent.parent / "tests"
HARD = 13
FIRST_SEED = 10_000


class Answer(NamedTuple):
    moves: int | None
    nodes: int


Side = Callable[[Position], Answer]


def solver() -> Side:
    """Make the exact solver."""
    own = load_game("robots").solver()
    assert own is not None

    def solve(position: Position) -> Answer:
        solution = own.solve(position)
        assert solution is not None
        return Answer(solution.score, solution.nodes)

    return solve


def general(nodes: int) -> Side:
    """Make the search for any puzzle, with the bound as its advice."""

    def solve(position: Position) -> Answer:
        rules = position.game.rules(None, position.game.advisor("bound"))
        depth = position.game.facts.longest
        work = shortest.workspace(position, rules, depth=depth, table_bits=20, nodes=nodes)
        moves = int(shortest.search(work))
        return Answer(moves if moves >= 0 else None, int(work.control[NODES]))

    return solve


def solved_sets() -> dict[str, list[tuple[Position, int]]]:
    """Read the positions of the tests, with the proven number of moves."""
    sys.path.insert(0, str(TESTS))
    from solved_robots import puzzles

    return {
        kind: [
            (load_game("robots", board=kind).parse(puzzle.text), puzzle.fewest)
            for puzzle in puzzles()
            if puzzle.kind == kind
        ]
        for kind in ("classic", "velasquez")
    }


def hard_set(count: int) -> list[tuple[Position, int]]:
    """Draw uniform classic starts until so many of them take HARD moves or more."""
    game = load_game("robots(board=classic, starts=uniform, solvable=False)")
    solve, found, seed = solver(), [], FIRST_SEED
    while len(found) < count:
        position = game.start(seed)
        moves = solve(position).moves
        if moves is not None and moves >= HARD:
            found.append((position, moves))
        seed += 1
    return found


def measure(solve: Side, positions: list[tuple[Position, int]]) -> dict[str, float]:
    """Solve all positions; return figures in milliseconds of CPU time."""
    solve(positions[0][0])
    seconds, nodes, wrong, unsolved = [], 0, 0, 0
    for position, fewest in positions:
        began = process_time()
        answer = solve(position)
        seconds.append(process_time() - began)
        nodes += answer.nodes
        unsolved += answer.moves is None
        wrong += answer.moves not in (None, fewest)
    times = 1e3 * np.array(seconds)
    p90, p99 = np.percentile(times, [90, 99])
    return {
        "mean": times.mean(), "median": float(np.median(times)), "p90": p90, "p99": p99,
        "max": times.max(), "nodes": nodes, "nodes_per_second": nodes / sum(seconds),
        "wrong": wrong, "unsolved": unsolved,
    }  # fmt: skip


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robots_solver", description=__doc__)
    parser.add_argument("--hard", type=int, default=30, help=f"starts of {HARD} moves or more")
    parser.add_argument("--nodes", type=int, default=50_000_000, help="for the general search")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    sets = solved_sets() | ({f"{HARD}+ moves": hard_set(given.hard)} if given.hard else {})
    rows = [
        {"set": name, "positions": len(positions), "side": side, **measure(solve, positions)}
        for name, positions in sets.items()
        for side, solve in (("solver", solver()), ("shortest", general(given.nodes)))
    ]
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(title="Robot Reboot: CPU milliseconds per position", title_justify="left")
    for column in rows[0]:
        table.add_column(column, justify="left" if column in ("set", "side") else "right")
    for row in rows:
        table.add_row(
            *(f"{cell:,.3f}" if isinstance(cell, float) else str(cell) for cell in row.values())
        )
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
