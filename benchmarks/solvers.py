"""The exact solvers, measured: `python -m benchmarks.solvers --out docs/games`.

Sections, each of which may be named alone:

    connect_n, robots   the solver and the general search at sets of positions with known scores
    boards              the known results of empty Connect-N boards, proved
    empty               the exact score of the empty 7 x 6 board
    deals               starts of Robot Reboot

All times are CPU time of this process. At sets of positions the two programs take turns,
`--repeats` times; a position's figure is the median of its repeats. Another program given by its
path (`--peer`) is measured as a whole: it reads one position per line on its standard input and
writes a line whose last word is the score, as Pascal Pons's `c4solver` does.

The sets are those of the tests, or with `--folder` the files of a folder: `Test_*` for Connect
Four (columns from 1, then the score), `*.jsonl` for Robots (`walls`, `robots`, `target_robot`,
`target`, `opt`). With `--out` each section is written into the record and page of that folder as
soon as it is measured; the other sections stay as they are.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress

from benchmarks.puzzles import HARD, Puzzle, hard_starts, sets_of_folder, sets_of_tests
from benchmarks.record import PROGRAM_HEADINGS, Row, add, command_of, section
from plyground import Position, load_agent, load_game
from plyground.agents.agent import Limit
from plyground.control import CLOCK, DEADLINE
from plyground.export.report import Table
from plyground.game import Stop
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.solve import ConnectNSolver
from plyground.games.robots.solve import RobotsSolver

MICROSECONDS, MILLISECONDS = 1e6, 1e3
RESULTS = {1: "won", 0: "drawn", -1: "lost"}
DEALS = (
    "robots",
    "robots(board=classic, starts=uniform)",
    "robots(robots=8)",
    "robots(board=classic, starts=uniform, robots=8)",
    "robots(board=maze, width=32, height=32)",
    "robots(board=maze, width=32, height=32, starts=uniform)",
    "robots(board=maze, width=32, height=32, robots=8)",
    "robots(board=maze, width=32, height=32, robots=8, starts=uniform)",
)
"""Games whose starts are dealt."""


class Run(NamedTuple):
    """What a program found in a set: CPU time and score of each position, and all its nodes."""

    seconds: Sequence[float]
    scores: Sequence[float | None]
    nodes: int


Program = Callable[[Sequence[Position]], Run]


def spread(seconds: Sequence[float], unit: float) -> tuple[float, ...]:
    """Return mean, median, 90th and 99th percentile and the largest of some times."""
    times = np.array(seconds) * unit
    return times.mean().item(), *np.percentile(times, (50, 90, 99, 100)).tolist()


# The programs ------------------------------------------------------------------------------------


def one_by_one(solve: Callable[[Position], tuple[float | None, int]]) -> Program:
    """Make a program of what returns a position's score and the nodes it took."""

    def run(positions: Sequence[Position]) -> Run:
        solve(positions[0])
        seconds, answers = [], []
        for position in positions:
            began = process_time()
            answers.append(solve(position))
            seconds.append(process_time() - began)
        scores, nodes = zip(*answers, strict=True)
        return Run(seconds, scores, sum(nodes))

    return run


def robots_solver() -> Program:
    """Make the solver of Robots."""
    solver = RobotsSolver(load_game("robots"))

    def solve(position: Position) -> tuple[float | None, int]:
        solution = solver.solve(position)
        assert solution is not None
        return solution.score, solution.nodes

    return one_by_one(solve)


def connect_n_solver() -> Program:
    """Make the solver of Connect-N: from an empty table, in one call for all positions."""
    solver = ConnectNSolver(load_game("connect_n"), use_book=False)

    def run(positions: Sequence[Position]) -> Run:
        solver.forget()  # the system hands memory out when it is first touched, and not for nothing
        result = solver.scores(positions)
        return Run(result.nanoseconds / 1e9, result.scores.tolist(), result.nodes.sum().item())

    return run


def shortest(nodes: int | None) -> Program:
    """Make the search for puzzles of any game."""
    player = load_agent("shortest(depth=20)").sit(load_game("robots"), 0)  # no depth: the solver

    def solve(position: Position) -> tuple[float | None, int]:
        thought = player.think(position, Limit(nodes=nodes))
        return thought.proof and thought.proof.plies, thought.nodes or 0

    return one_by_one(solve)


def alphabeta(nodes: int | None) -> Program:
    """Make the search for games of two, with one table for all positions: it finds who wins."""
    agent = load_agent("alphabeta(depth=42, evaluate=nothing)")
    player = agent.sit(load_game("connect_n"), 0)

    def solve(position: Position) -> tuple[float | None, int]:
        thought = player.think(position, Limit(nodes=nodes))
        return thought.proof and thought.proof.value, thought.nodes or 0

    return one_by_one(solve)


def measure(
    game: str, task: str, puzzles: Sequence[Puzzle], repeats: int, nodes: int | None
) -> Iterator[Row]:
    """Measure the solver and the search of before by turns."""
    positions = [puzzle.position for puzzle in puzzles]
    scores = [puzzle.score for puzzle in puzzles]
    if game == "robots":
        programs = {"solver": robots_solver(), "`shortest`": shortest(nodes)}
        right = {"solver": scores, "`shortest`": scores}
    else:
        programs = {"solver": connect_n_solver(), "`alphabeta`": alphabeta(nodes)}
        right = {"solver": scores, "`alphabeta`": np.sign(scores).tolist()}
    runs: dict[str, list[Run]] = {name: [] for name in programs}
    with Progress(console=Console(stderr=True)) as progress:
        for _ in progress.track(range(repeats), description=f"{game}, {task}"):
            for name, run in programs.items():
                runs[name].append(run(positions))
    for name, done in runs.items():
        wrong = sum(a != b for a, b in zip(done[-1].scores, right[name], strict=True))
        seconds, count = np.median([run.seconds for run in done], axis=0), len(positions)
        rate = done[-1].nodes / seconds.sum().item()
        times = spread(seconds, MICROSECONDS)
        yield task, name, count, wrong, *times, done[-1].nodes / count, rate


def peer_row(task: str, path: str, puzzles: Sequence[Puzzle]) -> Row:
    """Measure another program as a whole, with all that it does to start."""
    given = "".join(puzzle.text + "\n" for puzzle in puzzles)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([path], input=given, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = [int(line.split()[-1]) for line in done.stdout.splitlines() if line.strip()]
    wrong = sum(answer != puzzle.score for answer, puzzle in zip(answers, puzzles, strict=True))
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    mean = seconds * MICROSECONDS / len(puzzles)
    return task, Path(path).name, len(puzzles), wrong, mean, *[None] * 6


def compared(game: str, given: argparse.Namespace) -> Table:
    """Compare the programs of a game at all its sets."""
    sets = sets_of_folder(game, given.folder) if given.folder else sets_of_tests(game)
    if game == "robots" and given.hard:
        sets[f"{HARD} moves and more"] = hard_starts(given.hard)
    rows: list[Row] = []
    for name, puzzles in sets.items():
        some = puzzles[: given.count]
        rows += measure(game, name, some, given.repeats, given.nodes)
        if given.peer:
            rows.append(peer_row(name, given.peer, some))
    return section(game, PROGRAM_HEADINGS, rows)


# Empty boards of Connect-N, and starts of Robots -------------------------------------------------


def cpu_limit(seconds: float) -> Stop:
    """Return a limit in CPU time of this process; those of `Stop` are by the clock on the wall."""
    stop = Stop()
    stop.control[CLOCK] = time.CLOCK_PROCESS_CPUTIME_ID
    stop.control[DEADLINE] = time.process_time_ns() + int(seconds * 1e9)
    return stop


def boards(given: argparse.Namespace) -> Table:
    """Prove the known results of empty boards, at each height until a board takes too long."""
    from solved_connect_four import FIRST_WIDTH, VALUES, value_of

    rows: list[Row] = []
    for height, values in VALUES.items():
        for width in range(FIRST_WIDTH, FIRST_WIDTH + len(values)):
            game = ConnectN.make({"width": width, "height": height})
            solver = ConnectNSolver(game, use_book=False)
            solution = solver.solve(game.start(), cpu_limit(given.seconds), weak=True)
            known, board = RESULTS[value_of(width, height)], f"{width} x {height}"
            print(f"{board}: {solution and solution.seconds}", file=sys.stderr, flush=True)
            if solution is None:
                rows.append((board, known, f"not within {given.seconds:g} s", None, None))
                break
            rows.append(
                (board, known, RESULTS[round(solution.value)], solution.seconds, solution.nodes)
            )
    return section("boards", ("board", "known", "proved", "CPU s", "nodes"), rows)


def empty(given: argparse.Namespace) -> Table:
    """Find the exact score of Connect Four without a book."""
    game = ConnectN.make({})
    result = ConnectNSolver(game, use_book=False).scores([game.start()])
    seconds, nodes = result.nanoseconds[0].item() / 1e9, result.nodes.sum().item()
    headings = ("known score", "score", "CPU s", "nodes", "nodes/s")
    row = 1, result.scores[0].item(), seconds, nodes, nodes / seconds
    return section("empty", headings, [row])


def deals(given: argparse.Namespace) -> Table:
    """Deal starts by seeds from 0 on."""
    rows: list[Row] = []
    for spec in DEALS:
        game = load_game(spec)
        game.start(given.deals)  # compiles
        seconds = []
        for seed in range(given.deals):
            began = process_time()
            game.start(seed)
            seconds.append(process_time() - began)
        rows.append((f"`{spec}`", given.deals, *spread(seconds, MILLISECONDS)))
        print(f"{spec}: {max(seconds):.3f} s at most", file=sys.stderr, flush=True)
    headings = ("game", "deals", "mean", "median", "p90", "p99", "longest")
    return section("deals", headings, rows)


# The command -------------------------------------------------------------------------------------

SECTIONS: dict[str, Callable[[argparse.Namespace], Table]] = {
    "connect_n": lambda given: compared("connect_n", given),
    "robots": lambda given: compared("robots", given),
    "boards": boards,
    "empty": empty,
    "deals": deals,
}


def main() -> None:
    """Measure; print the tables, or write them into the record of a folder."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solvers", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("sections", nargs="*", metavar="section", help="all")
    parser.add_argument("--folder", type=Path, help="folder of sets; those of the tests")
    parser.add_argument("--count", type=int, help="positions of each set; all")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each program; 3")
    parser.add_argument("--nodes", type=int, help="limit of the general search; none")
    parser.add_argument("--hard", type=int, default=30, help=f"Robots starts of {HARD}+ moves; 30")
    parser.add_argument("--peer", help="another solver's program, for one game")
    parser.add_argument("--seconds", type=float, default=60, help="CPU limit for each board; 60")
    parser.add_argument("--deals", type=int, default=2000, help="starts of each kind; 2000")
    parser.add_argument("--out", type=Path, help="folder for solvers.json and solvers.md")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    report = None
    for name in given.sections or SECTIONS:
        began = perf_counter()
        table = SECTIONS[name](given)
        command = command_of(parser, given, name)
        report = add(given.out, report, table, command, perf_counter() - began)
    if given.out is None:
        print(report.page())


if __name__ == "__main__":
    main()
