"""The champion in endings of Connect-N on 10 x 8: `python -m benchmarks.endings`.

Two champions play on from random positions with few free cells. Another solver compares the result
of perfect play before and after each move. The table has the moves by which it dropped, which must
be none up to 30 free cells, the moves that were searched without a proof, and CPU milliseconds per
move. `--out docs/games` writes it into the record of `benchmarks.solvers`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import numpy as np

from benchmarks.record import Row, add, command_of, section
from plyground import Limit, Position, load_agent
from plyground.games.connect_n import ConnectN
from plyground.games.connect_n.solve import ConnectNSolver

GAME = ConnectN.make({"width": 10, "height": 8})
CELLS = GAME.width * GAME.height
HEADINGS = (
    "free cells", "endings", "CPU seconds per move", "moves", "dropped the result", "not solved",
    "median ms", "p99 ms", "longest ms",
)  # fmt: skip


def ending(seed: int, free: int) -> Position:
    """Return a position after random plies, none of which ends the game or allows a win at once."""
    random = Random(seed)
    while True:
        position = GAME.start()
        while position.ply < CELLS - free:
            following = map(position.play, position.legal_actions)
            careful = [after for after in following if not _can_end(after)]
            if not careful:
                break
            position = random.choice(careful)
        else:
            return position


def _can_end(position: Position) -> bool:
    return any(after.is_over for after in map(position.play, position.legal_actions))


def measure(free: int, endings: int, seconds: float) -> Row:
    """Play endings and return a row of the table."""
    judge, champion = ConnectNSolver(GAME), load_agent("champion")
    limit = Limit(seconds=seconds, cpu=True)
    times: list[float] = []
    dropped = unsolved = 0
    for seed in range(endings):
        position = ending(seed, free)
        with champion.sit(GAME, 0) as first, champion.sit(GAME, 1) as second:
            while not position.is_over:
                began = process_time()
                thought = (first, second)[position.player].think(position, limit)
                times.append(1000 * (process_time() - began))
                after = position.play(thought.action)
                before, later = judge.scores([position, after], weak=True).scores
                unsolved += thought.proof is None
                if np.sign(later) != -np.sign(before):
                    dropped += 1
                    print(f"dropped: {position.to_text()}", file=sys.stderr, flush=True)
                position = after
    spread = np.percentile(times, (50, 99, 100)).tolist()
    return free, endings, seconds, len(times), dropped, unsolved, *spread


def main() -> None:
    """Play, and print or record the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endings", description=__doc__)
    parser.add_argument("--endings", type=int, default=200, help="per number of free cells; 200")
    parser.add_argument("--seconds", type=float, default=0.1, help="CPU seconds per move; 0.1")
    parser.add_argument("--out", type=Path, help="folder for solvers.json and solvers.md")
    given = parser.parse_args()
    began = perf_counter()
    load_agent("champion").prepare(GAME)
    rows = [measure(free, given.endings, given.seconds) for free in (22, 26, 30, 36)]
    table = section("endings", HEADINGS, rows)
    report = add(given.out, None, table, command_of(parser, given), perf_counter() - began)
    if given.out is None:
        print(report.page())


if __name__ == "__main__":
    main()
