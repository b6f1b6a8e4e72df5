"""The exact solvers beside the general searches: `python -m benchmarks.solvers connect_n robots`.

CPU time of this process. For each set of positions with known scores the solver and the search of
before take turns, `--repeats` times; a position's figure is the median of its repeats. Another
program given by its path (`--peer`) is measured as a whole: it reads one position per line on its
standard input and writes a line whose last word is the score, as Pascal Pons's `c4solver` does.

The sets are those of the tests, or with `--folder` the files of a folder: `Test_*` for Connect
Four (columns from 1, then the score), `*.jsonl` for Robots (`walls`, `robots`, `target_robot`,
`target`, `opt`). `--boards` proves the known values of empty Connect-N boards instead, `--empty`
the exact score of the empty 7 x 6 board.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from textwrap import wrap
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from plyground import Position, load_agent, load_game
from plyground.agents.agent import Limit
from plyground.game import Stop
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.solve import ConnectNSolver
from plyground.games.robots.boards import LETTERS
from plyground.games.robots.solve import RobotsSolver
from plyground.games.robots.text import place_name

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

GAMES = ("connect_n", "robots")
MICROSECONDS = 1e6
HARD, FIRST_SEED = 13, 10_000
"""Moves of the hard starts of Robots, and the seed from which on they are drawn."""


class Puzzle(NamedTuple):
    """A position, its text for other programs, and its score."""

    position: Position
    text: str
    score: int


class Run(NamedTuple):
    """What a program found in a set: CPU time and score of each position, and all its nodes."""

    seconds: Sequence[float]
    scores: Sequence[float | None]
    nodes: int


Program = Callable[[Sequence[Position]], Run]


@dataclass(frozen=True)
class Row:
    """What a program took for a set of positions, in microseconds of CPU time per position."""

    task: str
    program: str
    positions: int
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
    rate, count = nodes / (times.sum() / MICROSECONDS), len(times)
    return Row(task, program, count, wrong, times.mean().item(), *spread, nodes / count, rate)


# The sets ----------------------------------------------------------------------------------------


def connect_four(columns: Sequence[int], score: int) -> Puzzle:
    """Make a puzzle of the columns played, from 0."""
    position = load_game("connect_n").start()
    for column in columns:
        position = position.play(column)
    return Puzzle(position, "".join(str(column + 1) for column in columns), score)


def robots(text: str, fewest: int) -> Puzzle:
    """Make a puzzle of a position's text."""
    return Puzzle(load_game("robots").parse(text), text, fewest)


def sets_of_tests(game: str) -> dict[str, list[Puzzle]]:
    """Return the sets that come with the tests."""
    if game == "connect_n":
        from solved_connect_four import solved_sets

        return {
            name: [connect_four(*each) for each in rows] for name, rows in solved_sets().items()
        }
    from solved_robots import puzzles

    return {
        kind: [robots(each.text, each.fewest) for each in puzzles() if each.kind == kind]
        for kind in ("classic", "velasquez")
    }


def sets_of_folder(game: str, folder: Path) -> dict[str, list[Puzzle]]:
    """Read the sets of a folder."""
    if game == "connect_n":
        return {
            file.name: [
                connect_four([int(column) - 1 for column in columns], int(score))
                for columns, score in map(str.split, file.read_text().splitlines())
            ]
            for file in sorted(folder.glob("Test_*"))
        }
    return {
        file.name.partition(".")[0]: [
            robots(robots_text(each), each["opt"])
            for each in map(json.loads, file.read_text().splitlines())
        ]
        for file in sorted(folder.glob("*.jsonl"))
    }


def robots_text(puzzle: dict[str, Any]) -> str:
    """Write a puzzle of 16 x 16 cells as the game's text."""
    walls = "/".join(wrap(puzzle["walls"], 16))
    names = [place_name((cell % 16, cell // 16)) for cell in [*puzzle["robots"], puzzle["target"]]]
    placed = " ".join(letter + name for letter, name in zip(LETTERS, names[:-1], strict=False))
    return f"{walls} {placed} {LETTERS[puzzle['target_robot']]}>{names[-1]} 0"


def hard_starts(count: int) -> list[Puzzle]:
    """Draw uniform classic starts of Robots until so many of them take HARD moves or more."""
    game = load_game("robots(board=classic, starts=uniform, solvable=False)")
    solver, found, seed = RobotsSolver(load_game("robots")), [], FIRST_SEED
    with Progress(console=Console(stderr=True)) as progress:
        for _ in progress.track(range(count), description=f"drawing starts of {HARD}+ moves"):
            score = None
            while score is None or score < HARD:
                position, seed = game.start(seed), seed + 1
                solution = solver.solve(position)
                score = solution and solution.score
            found.append(robots(position.to_text(), score))
    return found


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
        programs = {"solver": robots_solver(), "shortest": shortest(nodes)}
        right = {"solver": scores, "shortest": scores}
    else:
        programs = {"solver": connect_n_solver(), "alphabeta": alphabeta(nodes)}
        right = {"solver": scores, "alphabeta": np.sign(scores).tolist()}
    runs: dict[str, list[Run]] = {name: [] for name in programs}
    with Progress(console=Console(stderr=True)) as progress:
        for _ in progress.track(range(repeats), description=f"{game}, {task}"):
            for name, run in programs.items():
                runs[name].append(run(positions))
    for name, done in runs.items():
        wrong = sum(a != b for a, b in zip(done[-1].scores, right[name], strict=True))
        seconds = np.median([run.seconds for run in done], axis=0)
        yield row(task, name, wrong, seconds, done[-1].nodes)


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
    return Row(task, Path(path).name, len(puzzles), wrong, mean)


# Empty boards of Connect-N -----------------------------------------------------------------------


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


# The command -------------------------------------------------------------------------------------


def rows(given: argparse.Namespace) -> Iterator[Row]:
    """Measure what was asked for."""
    if given.boards:
        yield from boards(given.seconds)
    elif given.empty:
        yield from empty()
    else:
        for game in given.games:
            sets = sets_of_folder(game, given.folder) if given.folder else sets_of_tests(game)
            if game == "robots" and given.hard:
                sets[f"{HARD}+ moves"] = hard_starts(given.hard)
            for name, puzzles in sets.items():
                yield from measure(game, name, puzzles[: given.count], given.repeats, given.nodes)
                if given.peer:
                    yield peer_row(name, given.peer, puzzles[: given.count])


def main() -> None:
    """Measure, and print a table for people or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers", description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="game", help="both")
    parser.add_argument("--folder", type=Path, help="folder of sets; those of the tests")
    parser.add_argument("--count", type=int, help="positions of each set; all")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each program; 3")
    parser.add_argument("--nodes", type=int, help="limit of the general search; none")
    parser.add_argument("--hard", type=int, default=30, help=f"Robots starts of {HARD}+ moves; 30")
    parser.add_argument("--peer", help="another solver's program, for one game")
    parser.add_argument("--boards", action="store_true", help="values of empty Connect-N boards")
    parser.add_argument("--seconds", type=float, default=60, help="limit for each of them; 60")
    parser.add_argument("--empty", action="store_true", help="the empty 7 x 6 board")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    if unknown := set(given.games) - set(GAMES):
        parser.error(f"no solver for {', '.join(unknown)}; there are {', '.join(GAMES)}")
    measured = []
    for each in rows(given):
        print(f"{each.task}, {each.program}: {each.mean:,.1f} us", file=sys.stderr, flush=True)
        measured.append(each)
    if given.json:
        print(json.dumps([asdict(each) for each in measured], indent=2))
        return
    table = Table(title="Microseconds of CPU time per position", title_justify="left")
    for column in fields(Row):
        table.add_column(column.name, justify="left" if column.type == "str" else "right")
    for each in measured:
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
