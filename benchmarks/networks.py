"""How well the shipped network of Robot Reboot plays: `python -m benchmarks.networks`.

Starts are those of the tests (near starts of the study, uniform ones of the physical boards), whose
fewest moves are proved, and uniform starts of the study's boards, solved here. The network plays
alone (agent `network`) or with best-first search (agent `alphazero`); a start counts as solved
within 20 moves. With `--out FOLDER` the figures are written as a record, beside the curve of the
training if `--curve FILE` gives it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time
from typing import NamedTuple

from plyground import Position, __version__, load_agent, load_game
from plyground.cli.reproduce import write_report
from plyground.cli.train import training_plots
from plyground.export.report import Report, Table

TESTS = Path(__file__).parent.parent / "tests"
FIRST_SEED = 2 * 10**9
"""The seed of the first uniform start of the study's boards: none that training dealt."""
COMMAND = (
    "plyground train \"robots(starts='uniform')\" --starts \"robots(starts='near')\" "
    "--starts \"robots(board='classic', starts='uniform')\" --from solver --preset full "
    "--minutes 8.1 --seed 1"
)
"""The training of the shipped network."""


class Result(NamedTuple):
    """The games of an agent on one set of starts."""

    solved: int
    count: int
    excess: float
    """Moves above the fewest, in the mean over the solved starts."""
    exact: float
    """Share of the solved starts that took the fewest moves."""
    seconds: float
    """CPU time per move."""


def sets(count: int | None) -> dict[str, list[tuple[Position, int]]]:
    """Return the starts of each set with their fewest moves."""
    sys.path.insert(0, str(TESTS))
    from solved_robots import puzzles

    stored = {"study, near": "velasquez", "physical, uniform": "classic"}
    found = {
        name: [
            (load_game("robots", board=kind).parse(puzzle.text), puzzle.fewest)
            for puzzle in puzzles()
            if puzzle.kind == kind
        ][:count]
        for name, kind in stored.items()
    }
    game = load_game("robots(starts='uniform')")
    solver = game.solver()
    assert solver is not None
    starts = [game.start(FIRST_SEED + seed) for seed in range(count or 1000)]
    solutions = [(start, solver.solve(start)) for start in starts]
    known = [(start, each.score) for start, each in solutions if each and each.score]
    return found | {"study, uniform": known}


def play(spec: str, starts: list[tuple[Position, int]]) -> Result:
    """Let an agent solve starts."""
    agent, lengths, moves, began = load_agent(spec), [], 0, process_time()
    for start, fewest in starts:
        with agent.sit(start.game, 0) as player:
            position = start
            while not position.is_over:
                position = position.play(player.think(position).action)
        moves += position.ply
        if position.returns[0] > -1.0:
            lengths.append(position.ply - fewest)
    exact = sum(each == 0 for each in lengths) / max(1, len(lengths))
    excess = sum(lengths) / max(1, len(lengths))
    return Result(len(lengths), len(starts), excess, exact, (process_time() - began) / moves)


def main() -> None:
    """Read the command line, play, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, help="starts of each set (default: all)")
    parser.add_argument("--searched", type=int, help="of these, starts for agents that search")
    parser.add_argument(
        "--agents", nargs="+", default=["network", "alphazero(evaluations=64)"], metavar="SPEC"
    )
    parser.add_argument("--curve", type=Path, help="curve.jsonl of the training")
    parser.add_argument("--out", type=Path, help="write a record into this folder")
    given = parser.parse_args()
    rows = []
    for name, starts in sets(given.count).items():
        for spec in given.agents:
            result = play(spec, starts if spec == "network" else starts[: given.searched])
            rows.append(
                (
                    name, f"`{spec}`", f"{result.solved} of {result.count}",
                    round(result.excess, 2), f"{result.exact:.0%}", round(1000 * result.seconds),
                )
            )  # fmt: skip
            print(*rows[-1], sep="  ", flush=True)
    if given.out is not None:
        curve = given.curve.read_text().splitlines() if given.curve else []
        progress = [json.loads(line) for line in curve if line.startswith("{")]
        headings = "starts", "agent", "solved", "moves above the fewest", "fewest", "ms/move"
        report = Report(
            name="robots",
            title="The network of Robot Reboot",
            about="8 blocks of 128 channels, taught by the exact solver on one accelerator with 13 "
            "worker processes. It sees walls, robots and target as planes, no distances.",
            command=COMMAND,
            tables=(Table("Starts that it was not trained on", headings, tuple(rows)),),
            plots=training_plots(progress),
            remarks=(),
            seconds=progress[-1]["seconds"] if progress else 0.0,
            version=__version__,
        )
        write_report(report, given.out)


if __name__ == "__main__":
    main()
