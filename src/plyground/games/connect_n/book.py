"""Build the opening book: `python -m plyground.games.connect_n.book --plies 8 --folder FOLDER`.

Every position of the last ply is solved, mirror images once, by as many processes as wanted. What
is solved is kept in the folder at once, so that a build can be broken off and resumed at any time,
also on another machine. The scores of earlier plies follow from those of the last.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from plyground.errors import BadText
from plyground.game import Position
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.openings import Book, key_of
from plyground.games.connect_n.solve import ConnectNSolver

CHUNK = 16
"""Positions that a worker solves at a time. Those of a chunk follow one another in the tree and
have much in common, which its table remembers."""

WORKER_TABLE_BITS = 23

BETWEEN = 10
"""Seconds between two lines about the progress."""

Progress = Callable[[int, int], None]
"""What hears how many positions are solved, and how many there are."""

Moves = tuple[int, ...]


def build(
    plies: int,
    workers: int,
    folder: Path,
    progress: Progress | None = None,
    seconds: float | None = None,
    game: ConnectN | None = None,
) -> Book | None:
    """Solve what is not yet solved of a book, for so many seconds at most; return it once complete.

    The finished book is also written to the folder, as `book.npz`.
    """
    game = game or ConnectN.make({})
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / f"{game.width}x{game.height}-{game.n}-ply{plies}.txt"
    scores = read_journal(journal)
    last = list(positions_at(game, plies))
    missing = [moves for key, moves in last if key not in scores]
    chunks = [missing[at : at + CHUNK] for at in range(0, len(missing), CHUNK)]
    if chunks:
        deadline = None if seconds is None else time.monotonic() + seconds
        ConnectNSolver(game, WORKER_TABLE_BITS)  # compiled here, once for all workers
        context = multiprocessing.get_context("spawn")
        with context.Pool(workers, _begin, (game,)) as pool, journal.open("a") as file:
            results = pool.imap_unordered(_solve, chunks)
            for _ in chunks:
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                try:
                    solved = results.next(left)
                except multiprocessing.TimeoutError:
                    return None
                scores |= solved
                file.writelines(f"{key} {score}\n" for key, score in solved.items())
                file.flush()
                if progress is not None:
                    progress(len(scores), len(last))
    book = complete(game, plies, scores)
    book.save(folder / "book.npz")
    return book


def positions_at(game: ConnectN, plies: int) -> Iterator[tuple[int, Moves]]:
    """List the unfinished positions of a ply, mirror images once: the key, and moves to get there.

    They come in the order of the tree, so that neighbours are alike.
    """
    seen: set[tuple[int, int]] = set()

    def walk(position: Position, moves: Moves) -> Iterator[tuple[int, Moves]]:
        key = key_of(position)
        if position.is_over or (len(moves), key) in seen:
            return
        seen.add((len(moves), key))
        if len(moves) == plies:
            yield key, moves
            return
        for action in position.legal_actions:
            yield from walk(position.play(action), (*moves, action))

    yield from walk(game.start(), ())


def read_journal(path: Path) -> dict[int, int]:
    """Read the scores that are kept by key; a last line that was cut short is removed."""
    scores: dict[int, int] = {}
    if not path.exists():
        return scores
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            key, score = map(int, line.split())
        except ValueError:
            raise BadText(f"{path}:{number}: {line!r} is not a key and a score") from None
        scores[key] = score
    return scores


def complete(game: ConnectN, plies: int, last: dict[int, int]) -> Book:
    """Make a book of the scores of the last ply and of those that follow for all earlier plies.

    What is won or lost at once is left out: there is nothing to search.
    """
    cells = game.width * game.height
    known: list[dict[int, int]] = [{} for _ in range(plies)] + [last]

    def score_of(position: Position, ply: int) -> int:
        if position.is_over:
            return -((cells - ply + 2) // 2) if any(position.returns) else 0
        key = key_of(position)
        if key not in known[ply]:
            following = map(position.play, position.legal_actions)
            known[ply][key] = -min(score_of(after, ply + 1) for after in following)
        return known[ply][key]

    score_of(game.start(), 0)
    hard = sorted(
        (key, score)
        for ply, scores in enumerate(known)
        for key, score in scores.items()
        if -((cells - ply) // 2) < score < (cells - ply + 1) // 2
    )
    keys, scores = zip(*hard, strict=True)
    arrays = np.array(keys, np.uint64), np.array(scores, np.int8)
    return Book(game.width, game.height, game.n, plies, *arrays)


_solver: ConnectNSolver


def _begin(game: ConnectN) -> None:
    """Make the solver of this worker; Ctrl-C is its parent's business."""
    global _solver
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _solver = ConnectNSolver(game, WORKER_TABLE_BITS, use_book=False)


def _solve(chunk: list[Moves]) -> dict[int, int]:
    """Solve positions; return their scores by key."""
    positions = []
    for moves in chunk:
        position = _solver.game.start()
        for action in moves:
            position = position.play(action)
        positions.append(position)
    scores = _solver.scores(positions).scores.tolist()
    return {key_of(position): score for position, score in zip(positions, scores, strict=True)}


def main() -> None:
    """Read the command line, and build."""
    parser = argparse.ArgumentParser(description="Build the opening book of Connect Four.")
    parser.add_argument("--plies", type=int, default=8, help="the last ply of the book")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--folder", type=Path, required=True, help="what is solved is kept there")
    parser.add_argument("--minutes", type=float, help="stop after so long, to be resumed")
    given = parser.parse_args()
    seconds = None if given.minutes is None else 60 * given.minutes
    began = shown = time.monotonic()

    def show(solved: int, count: int) -> None:
        nonlocal shown
        if solved == count or time.monotonic() >= shown + BETWEEN:
            shown = time.monotonic()
            print(f"{shown - began:.0f} s: {solved:,} of {count:,}", flush=True)

    book = build(given.plies, given.workers, given.folder, show, seconds)
    if book is None:
        print("not finished: run it again to go on")
    else:
        print(f"{len(book.keys):,} positions in {given.folder / 'book.npz'}")


if __name__ == "__main__":
    main()
