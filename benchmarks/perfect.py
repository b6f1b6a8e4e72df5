"""Agent `perfect` at Connect Four: `python -m benchmarks.perfect`.

It plays games from random openings, in both seats, against `alphabeta`. Another solver, without a
book, compares the exact scores before and after each of its moves. The table has the moves by which
the score dropped, which must be none, and CPU milliseconds per move later than the last ply of the
book (`--book-plies` where no book is shipped). `--out docs/games` writes it into the record of
`benchmarks.solvers`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import numpy as np

from benchmarks.record import Row, add, command_of, section
from plyground import Position, load_agent, load_game
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.openings import shipped_book
from plyground.games.connect_n.rules import PLIES
from plyground.games.connect_n.solve import ConnectNSolver
from plyground.processes import spread

GAME = ConnectN.make({})
OPPONENT = "alphabeta(depth=4)"
CHUNK = 5
HEADINGS = (
    "games", "random plies", "moves", "dropped the score", "not solved", "plies of the book",
    "median ms", "p90 ms", "p99 ms", "longest ms",
)  # fmt: skip


@dataclass
class Played:
    """The moves of `perfect` in some games."""

    dropped: list[str] = field(default_factory=list)
    """Positions in which it played a move that was not best."""
    unsolved: int = 0
    plies: list[int] = field(default_factory=list)
    """Stones on the board before each move."""
    milliseconds: list[float] = field(default_factory=list)


def opening(seed: int, plies: int) -> Position:
    """Return a position after random plies that is not over."""
    random = Random(seed)
    while True:
        position = GAME.start()
        for _ in range(plies):
            if not position.is_over:
                position = position.play(random.choice(position.legal_actions))
        if not position.is_over:
            return position


def play(seed: int, plies: int, judge: ConnectNSolver, played: Played) -> None:
    """Play a game and note every move of `perfect`."""
    position, seat = opening(seed, plies), seed % 2
    opponent = load_agent(OPPONENT)
    with load_agent("perfect").sit(GAME, seat) as player:
        while not position.is_over:
            if position.player != seat:
                position = position.play(opponent.think(position).action)
                continue
            began = process_time()
            thought = player.think(position)
            played.milliseconds.append(1000 * (process_time() - began))
            played.plies.append(int(position.state[PLIES]))
            played.unsolved += thought.proof is None
            after = position.play(thought.action)
            before, later = judge.scores([position, after]).scores.tolist()
            if later != -before:
                played.dropped.append(position.to_text())
            position = after


def figures(games: int, opening: int, last: int, played: Played) -> Row:
    """Return the table's row; only moves after the last ply of the book are timed."""
    times = np.array(played.milliseconds)[np.array(played.plies) > last]
    spread = np.percentile(times, (50, 90, 99, 100)).tolist() if len(times) else [None] * 4
    moves, dropped = len(played.plies), len(played.dropped)
    return games, opening, moves, dropped, played.unsolved, last, *spread


_judge: ConnectNSolver


def begin() -> None:
    """Make the judge of this worker."""
    global _judge
    _judge = ConnectNSolver(GAME, use_book=False)


def play_some(task: tuple[range, int]) -> Played:
    """Play games of these seeds."""
    seeds, plies = task
    played = Played()
    for seed in seeds:
        play(seed, plies, _judge, played)
    return played


def main() -> None:
    """Play, and print or record the figures; Ctrl-C does so with those of the games so far."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.perfect", description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="1000")
    parser.add_argument("--opening", type=int, default=8, help="random plies before each game; 8")
    parser.add_argument("--book-plies", type=int, default=8, help="later moves are timed; 8")
    parser.add_argument("--workers", type=int, default=1, help="processes; 1")
    parser.add_argument("--out", type=Path, help="folder for solvers.json and solvers.md")
    given = parser.parse_args()
    began = perf_counter()
    book = shipped_book(GAME.width, GAME.height, GAME.n)
    last = given.book_plies if book is None else book.plies
    load_agent("perfect").prepare(load_game("connect_n"))
    load_agent(OPPONENT).prepare(GAME)
    tasks = [
        (range(at, min(at + CHUNK, given.games)), given.opening)
        for at in range(0, given.games, CHUNK)
    ]
    whole, games = Played(), 0
    try:
        for number, played in spread(play_some, tasks, given.workers, begin):
            games += len(tasks[number][0])
            whole.dropped += played.dropped
            whole.unsolved += played.unsolved
            whole.plies += played.plies
            whole.milliseconds += played.milliseconds
            print(f"{games} games, {len(whole.dropped)} dropped", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        pass
    print("".join(f"dropped: {text}\n" for text in whole.dropped), end="", file=sys.stderr)
    table = section("perfect", HEADINGS, [figures(games, given.opening, last, whole)])
    report = add(given.out, None, table, command_of(parser, given), perf_counter() - began)
    if given.out is None:
        print(report.page())


if __name__ == "__main__":
    main()
