"""Agent `perfect` at Connect Four: `python -m benchmarks.perfect`.

It plays games from random openings, in both seats, against `alphabeta`. Another solver, without a
book, compares the exact scores before and after each of its moves. Printed are the moves by which
the score dropped, which must be none, and CPU milliseconds per move later than the last ply of the
book (`--book-plies` where no book is shipped).
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from random import Random
from time import process_time

import numpy as np

from plyground import Position, load_agent, load_game
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.openings import shipped_book
from plyground.games.connect_n.rules import PLIES
from plyground.games.connect_n.solve import ConnectNSolver
from plyground.processes import spread

GAME = ConnectN.make({})
OPPONENT = "alphabeta(depth=4)"
CHUNK = 5


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
    """Play, and print the figures; Ctrl-C prints those of the games so far."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.perfect", description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--opening", type=int, default=8, help="random plies before each game")
    parser.add_argument("--book-plies", type=int, default=8, help="later moves are timed")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args()
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
    times = np.array(whole.milliseconds)[np.array(whole.plies) > last]
    print(f"games {games}, moves {len(whole.plies)}, not solved {whole.unsolved}")
    print(f"moves that dropped value: {len(whole.dropped)} {' '.join(whole.dropped)}")
    if len(times):
        median, p90, p99 = np.percentile(times, (50, 90, 99))
        shown = f"median {median:.2f}, p90 {p90:.1f}, p99 {p99:.1f}, max {times.max():.1f}"
        print(f"CPU ms per move after ply {last} ({len(times)} moves): {shown}")


if __name__ == "__main__":
    main()
