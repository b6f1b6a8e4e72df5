"""Build opening books: `plyground solve connect_n --book`.

Every position of the last ply is solved, mirror images once, by as many processes as wanted. What
is solved is kept in the folder at once, so that a build can be broken off and resumed at any time,
also on another machine. The scores of earlier plies follow from those of the last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from plyground.errors import OptionError, TextError
from plyground.game import Position
from plyground.game.solver import Progress
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.boards import bits_of
from plyground.games.connect_n.openings import Book, key_of
from plyground.games.connect_n.solve import ConnectNSolver
from plyground.processes import spread

CHUNK = 16
"""Positions that a worker solves at a time. Those of a chunk follow one another in the tree and
have much in common, which its table remembers."""

WORKER_TABLE_BITS = 23

Moves = tuple[int, ...]


def build(
    game: ConnectN,
    folder: Path,
    plies: int,
    workers: int,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Path | None:
    """Solve what is not yet solved of a book, for so many seconds at most; see `build_book`."""
    if bits_of(game.width, game.height, game.n) != 64:
        raise OptionError(f"{game} can have no opening book: its boards need more than 64 bits")
    if not 0 <= plies < game.width * game.height:
        most = game.width * game.height - 1
        raise OptionError(f"an opening book of {plies} plies; allowed for {game}: 0 to {most}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _build(game, folder, plies, workers, seconds, progress)
    except OSError as error:
        raise OptionError(f"{folder} cannot be used for a book: {error.strerror}") from None


def _build(
    game: ConnectN,
    folder: Path,
    plies: int,
    workers: int,
    seconds: float | None,
    progress: Progress | None,
) -> Path | None:
    journal = folder / f"{game.width}x{game.height}-{game.n}-ply{plies}.txt"
    scores = read_journal(journal)
    last = list(positions_at(game, plies))
    missing = [moves for key, moves in last if key not in scores]
    chunks = [missing[at : at + CHUNK] for at in range(0, len(missing), CHUNK)]
    if progress is not None:
        progress(len(scores), len(last))
    if chunks:
        ConnectNSolver(game, WORKER_TABLE_BITS)  # compiled here, once for all workers
        with journal.open("a") as file:
            try:
                for _, solved in spread(_solve, chunks, workers, _begin, game, seconds=seconds):
                    scores |= solved
                    file.writelines(f"{key} {score}\n" for key, score in solved.items())
                    file.flush()
                    if progress is not None:
                        progress(len(scores), len(last))
            except TimeoutError:
                return None
    path = folder / "book.npz"
    complete(game, plies, scores).save(path)
    return path


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
            raise TextError(f"{path}:{number}: {line!r} is not a key and a score") from None
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
    """Make the solver of this worker."""
    global _solver
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
