"""The command `solve`: exact results of positions, by the solver that a game brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Annotated, Any

import typer

from plyground.arena.workers import cores
from plyground.cli.arguments import GameName, Json, Settings, print_json, read_game, say
from plyground.cli.playing import Workers
from plyground.cli.terminal import board, console, progress, table
from plyground.control import STOP
from plyground.errors import OptionError, PlygroundError, TextError
from plyground.game import Game, Position, Solution, Solver, Stop
from plyground.game.solver import Progress
from plyground.games import load_game
from plyground.processes import spread
from plyground.text import counted

QUIET = 2.0
"""Seconds before any progress is shown."""

BETWEEN = 10.0
"""Seconds between two lines about the progress, where there is no terminal to draw a bar on."""

CHUNK = 4
"""Positions that a worker is given at a time, at most."""


def solve(
    game: GameName,
    position: Annotated[
        str | None, typer.Option("--position", metavar="TEXT", help="Solve this position.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Solve the positions of a file, one per line. Connect-N also reads columns from 1 "
            "(4453, or 4,10,3 on boards of more than 9), up to the first blank.",
        ),
    ] = None,
    within_cap: Annotated[
        bool,
        typer.Option(
            "--within-cap", help="Count solutions beyond the game's cap on moves as none."
        ),
    ] = False,
    book: Annotated[
        bool, typer.Option("--book", help="Build the opening book; the same command resumes it.")
    ] = False,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the book and what it is built from are.")
    ] = Path("book"),
    plies: Annotated[int, typer.Option(min=0, help="The last ply of the book.")] = 8,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Stop building the book after this time.")
    ] = None,
    workers: Workers = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Solve positions exactly: the result of best play, and a line that leads to it."""
    if (position is not None) + (file is not None) + book != 1:
        raise OptionError("solve: give one of --position TEXT, --file FILE and --book")
    played = read_game(game, settings)
    solver = played.solver(within_cap=within_cap)
    if solver is None:
        raise OptionError(f"{played} has no exact solver")
    count = cores() if workers is None else workers
    if book:
        _build(solver, folder, plies, count, minutes, as_json)
    elif file is not None:
        lines = _read(file)
        positions = [_parsed(solver, text, f"{file}:{number}: ") for number, text in lines]
        numbers = [number for number, _ in lines]
        texts = [text for _, text in lines]
        count = min(count, -(-len(texts) // CHUNK))
        if count > 1:
            solutions = _solved_by_workers(played, within_cap, texts, count)
        else:
            solver.forget()
            solutions = _solved(solver, positions)
        _show(played, positions, solutions, numbers, as_json)
    else:
        start = _parsed(solver, position or "", "")
        if not as_json:
            console.print(board(start))
        _show(played, [start], _solved(solver, [start]), None, as_json)


def _read(path: Path) -> list[tuple[int, str]]:
    """Return the lines of a file that are not blank, with their numbers."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TextError(f"{path} is not a text in UTF-8: byte {error.start + 1}") from None
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _parsed(solver: Solver, text: str, place: str) -> Position:
    try:
        return solver.read(text)
    except PlygroundError as error:
        raise TextError(f"{place}{error}") from None


# Solving ----------------------------------------------------------------------------------------


def _solved(solver: Solver, positions: Sequence[Position]) -> Iterator[Solution | None]:
    """Solve positions in a thread beside this one, so that Ctrl-C is handled at once."""
    stop = Stop()
    ready: SimpleQueue[Solution | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            for position in positions:
                ready.put(solver.solve(position, stop))
        except BaseException as error:
            ready.put(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        for _ in positions:
            result = ready.get()
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        stop.control[STOP] = 1
        thread.join()


def _solved_by_workers(
    game: Game, within_cap: bool, texts: Sequence[str], workers: int
) -> Iterator[Solution | None]:
    """Solve positions in worker processes; yield the solutions in the order of the texts."""
    size = min(CHUNK, -(-len(texts) // (4 * workers)))
    chunks = [texts[at : at + size] for at in range(0, len(texts), size)]
    waiting: dict[int, list[Solution | None]] = {}
    following = 0
    for number, solutions in spread(_work, chunks, workers, _begin, repr(game), within_cap):
        waiting[number] = solutions
        while following in waiting:
            yield from waiting.pop(following)
            following += 1


_solver: Solver


def _begin(game: str, within_cap: bool) -> None:
    """Make the solver of this worker process."""
    global _solver
    solver = load_game(game).solver(within_cap=within_cap)
    assert solver is not None
    solver.forget()
    _solver = solver


def _work(texts: Sequence[str]) -> list[Solution | None]:
    return [_solver.solve(_solver.read(text)) for text in texts]


# Showing ----------------------------------------------------------------------------------------


def _show(
    game: Game,
    positions: Sequence[Position],
    solutions: Iterator[Solution | None],
    numbers: Sequence[int] | None,
    as_json: bool,
) -> None:
    """Print solutions: as JSON one by one, else as a table at the end or after Ctrl-C."""
    rows: list[list[object]] = []
    nodes, seconds, unsolved = 0, 0.0, []
    try:
        with _progress(len(positions), as_json and console.is_terminal) as advance:
            for at, solution in enumerate(solutions):
                if solution is None:
                    unsolved.append(at)
                else:
                    nodes, seconds = nodes + solution.nodes, seconds + solution.seconds
                if as_json:
                    print_json(_described(positions[at], solution))
                rows.append(_row(game, positions[at], solution))
                advance(at + 1, len(positions))
    finally:
        if not as_json and rows:
            headings = ["result", "score", "line", "nodes", "ms"]
            if numbers is not None:
                headings.insert(0, "")
                rows = [[number, *row] for number, row in zip(numbers, rows, strict=False)]
            console.print(table(headings, rows, optional=("score", "nodes", "ms")))
            if numbers is not None:
                share = f"{len(rows):,} of {len(positions):,} positions"
                console.print(f"{share}, {counted(nodes, 'node')}, {seconds:.3f} s of CPU time")
    if unsolved:
        places = [
            f"line {numbers[at]}" if numbers is not None else "the position" for at in unsolved
        ]
        solver = game.solver()
        reason = f": it knows {solver.scope}" if solver is not None and solver.scope else ""
        raise PlygroundError(f"the solver could not solve {', '.join(places)}{reason}")


def _row(game: Game, position: Position, solution: Solution | None) -> list[object]:
    if solution is None:
        return ["not solved", "", "", "", ""]
    score = "" if solution.score is None else solution.score
    line = " ".join(_actions(position, solution.line))
    result = game.verdict(solution.value, solution.plies)
    return [result, score, line, f"{solution.nodes:,}", f"{1000 * solution.seconds:.3f}"]


def _described(position: Position, solution: Solution | None) -> dict[str, Any]:
    """Return a solution as plain data; one that was not found has an error."""
    if solution is None:
        return {"score": None, "actions": [], "nodes": None, "seconds": None, "error": "not solved"}
    return {
        "score": solution.score,
        "actions": _actions(position, solution.line),
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }


def _actions(position: Position, line: Sequence[int]) -> list[str]:
    """Return the actions of a line as people write them, also beyond a puzzle's cap."""
    texts = []
    for action in line:
        texts.append(position.game.format(position, action))
        if action in position.legal_actions:
            position = position.play(action)
    return texts


def _build(
    solver: Solver, folder: Path, plies: int, workers: int, minutes: float | None, as_json: bool
) -> None:
    seconds = None if minutes is None else 60 * minutes
    with _progress(None) as advance:
        path = solver.build_book(folder, plies, workers, seconds, advance)
    if as_json:
        print_json({"book": None if path is None else str(path)})
    elif path is None:
        console.print("the book is not complete: the same command goes on")
    else:
        console.print(f"the book is {path}")


@contextmanager
def _progress(total: int | None, hidden: bool = False) -> Iterator[Progress]:
    """Show on standard error how many positions are solved, once that takes a while."""
    bar = progress()
    task = bar.add_task("solving", total=total)
    solved, count, began, done = 0, total, monotonic(), Event()

    def advance(so_far: int, in_all: int) -> None:
        nonlocal solved, count
        solved, count = so_far, in_all
        bar.update(task, completed=solved, total=count)

    def tell() -> None:
        if done.wait(QUIET) or hidden:
            return
        if not bar.disable:
            bar.start()
            return
        while True:
            so_far = f"{solved:,} of {count:,} positions solved" if count else "listing positions"
            say(f"{so_far}, {monotonic() - began:.0f} s")
            if done.wait(BETWEEN):
                return

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield advance
    finally:
        done.set()
        teller.join()
        bar.stop()
