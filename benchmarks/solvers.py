"""The solver of Connect-N beside `alphabeta`: `python -m benchmarks.solvers`.

CPU time, in this process and by turns: for each test set the solver, then the general search, then
another program given by its path, which reads a sequence of columns per line on its standard input
(as Pascal Pons's `c4solver` does) and is measured as a whole. `--boards` proves the known values of
empty boards instead, `--empty` the exact score of the empty 7 x 6 board.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from plyground import Position, load_agent, load_game
from plyground.game import Stop
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.solve import ConnectNSolver

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

GENERAL = "alphabeta(depth=42, evaluate=nothing)"
MICROSECONDS = 1e6


@dataclass(frozen=True)
class Row:
    """What a program took for a set of positions, in microseconds of CPU time a position."""

    task: str
    program: str
    wrong: int
    mean: float
    median: float | None = None
    p90: float | None = None
    p99: float | None = None
    longest: float | None = None
    nodes: float | None = None
    nodes_per_second: float | None = None


def row(task: str, program: str, wrong: int, seconds: Sequence[float], nodes: float) -> Row:
    """Make the row of a program whose positions were measured one by one."""
    times = np.array(seconds) * MICROSECONDS
    median, p90, p99 = np.percentile(times, (50, 90, 99)).tolist()
    spread = median, p90, p99, times.max().item()
    rate = nodes / (times.sum() / MICROSECONDS)
    return Row(task, program, wrong, times.mean().item(), *spread, nodes / len(times), rate)


def solver_row(task: str, positions: Sequence[Position], scores: Sequence[int]) -> Row:
    """Measure the solver, from an empty table, in one call for all positions."""
    solver = ConnectNSolver(load_game("connect_n"), use_book=False)
    solver.forget()  # the system hands memory out when it is first touched, and not for nothing
    result = solver.scores(positions)
    wrong = int((result.scores != scores).sum())
    return row(task, "solver", wrong, result.nanoseconds / 1e9, result.nodes.sum().item())


def general_row(task: str, positions: Sequence[Position], scores: Sequence[int]) -> Row:
    """Measure the general search, with one table for all positions."""
    player = load_agent(GENERAL).sit(load_game("connect_n"), 0)
    player.think(positions[0])
    wrong, nodes, seconds = 0, 0, []
    for position, score in zip(positions, scores, strict=True):
        began = process_time()
        thought = player.think(position)
        seconds.append(process_time() - began)
        nodes += thought.nodes or 0
        wrong += thought.proof is None or thought.proof.value != np.sign(score)
    return row(task, "alphabeta", wrong, seconds, nodes)


def peer_row(task: str, path: str, lines: Sequence[Sequence[int]], scores: Sequence[int]) -> Row:
    """Measure another program as a whole, with all that it does to start."""
    given = "".join("".join(str(column + 1) for column in line) + "\n" for line in lines)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([path], input=given, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = [int(line.split()[1]) for line in done.stdout.splitlines() if line.strip()]
    wrong = sum(answer != score for answer, score in zip(answers, scores, strict=True))
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Row(task, Path(path).name, wrong, seconds * MICROSECONDS / len(lines))


def sets(names: Sequence[str], count: int, peer: str | None) -> Iterator[Row]:
    """Measure all programs at the test sets."""
    from solved_connect_four import solved_sets

    for name, rows in solved_sets().items():
        if name not in names:
            continue
        lines, scores = zip(*rows[:count], strict=True)
        positions = [_played(line) for line in lines]
        yield solver_row(name, positions, scores)
        yield general_row(name, positions, scores)
        if peer is not None:
            yield peer_row(name, peer, lines, scores)


def _played(columns: Sequence[int]) -> Position:
    position = load_game("connect_n").start()
    for column in columns:
        position = position.play(column)
    return position


def boards(seconds: float) -> Iterator[Row]:
    """Prove the known values of empty boards, each height until a board takes too long."""
    from solved_connect_four import FIRST_WIDTH, VALUES, value_of

    for height, values in VALUES.items():
        for width in range(FIRST_WIDTH, FIRST_WIDTH + len(values)):
            game = ConnectN.make({"width": width, "height": height})
            solver = ConnectNSolver(game, use_book=False)
            solution = solver.solve(game.start(), Stop(seconds=seconds), weak=True)
            if solution is None:
                break
            wrong = int(solution.value != value_of(width, height))
            yield row(f"{width} x {height}", "solver", wrong, [solution.seconds], solution.nodes)


def empty() -> Iterator[Row]:
    """Find the exact score of Connect Four without a book."""
    game = ConnectN.make({})
    result = ConnectNSolver(game, use_book=False).scores([game.start()])
    seconds, wrong = result.nanoseconds / 1e9, int(result.scores[0] != 1)
    yield row("7 x 6, exact", "solver", wrong, seconds, result.nodes.sum().item())


def main() -> None:
    """Measure, and print a table for people or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers", description=__doc__)
    names = ["L3_R1", "L2_R1", "L1_R1"]
    parser.add_argument("--sets", nargs="*", choices=names, default=names, help="test sets")
    parser.add_argument("--count", type=int, default=1000, help="positions of each set")
    parser.add_argument("--peer", help="another solver's program")
    parser.add_argument("--boards", action="store_true", help="values of empty boards")
    parser.add_argument("--seconds", type=float, default=60, help="limit for each of them")
    parser.add_argument("--empty", action="store_true", help="the empty 7 x 6 board")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    if given.boards:
        measured = boards(given.seconds)
    elif given.empty:
        measured = empty()
    else:
        measured = sets(given.sets, given.count, given.peer)
    rows = []
    for each in measured:
        print(f"{each.task}, {each.program}: {each.mean:,.1f} us", file=sys.stderr, flush=True)
        rows.append(each)
    if given.json:
        print(json.dumps([asdict(each) for each in rows], indent=2))
        return
    table = Table(title="Connect-N: microseconds of CPU time a position", title_justify="left")
    for column in fields(Row):
        table.add_column(column.name, justify="left" if column.type == "str" else "right")
    for each in rows:
        task, program, *figures = asdict(each).values()
        table.add_row(task, program, *map(shown, figures))
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def shown(figure: float | None) -> str:
    """Write a figure with three digits, or with all those before the point."""
    if figure is None:
        return ""
    return f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.3g}"


if __name__ == "__main__":
    main()
