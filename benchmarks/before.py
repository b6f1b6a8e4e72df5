"""Compare the speed of searches with another revision: `python -m benchmarks.before main`.

The other side is a folder, or a revision of this repository, which is unpacked to a temporary
folder. Both sides alternate in separate processes with compiled kernels. The median of CPU time
is compared: other programs on the machine disturb both sides alike.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent.parent

SEARCHES = {
    "Connect Four, alpha-beta 12 plies": ("connect_n", "alphabeta(depth=12, evaluate=windows)"),
    "Expendibots, alpha-beta 5 plies": ("expendibots", "alphabeta(depth=5)"),
    "Tron, alpha-beta 13 plies": ("tron", "alphabeta(depth=13)"),
    "Connect Four, MCTS 20,000": ("connect_n", "mcts(simulations=20000)"),
    "Connect Four, MCTS with PUCT 20,000": (
        "connect_n", "mcts(simulations=20000, select=puct, playout=heuristic)",
    ),
    "Battle Sheep, MCTS 5,000": ("sheep", "mcts(simulations=5000)"),
    "Expendibots, MCTS 10,000": ("expendibots", "mcts(simulations=10000)"),
    "Battle Sheep, max^n 3 plies": ("sheep", "maxn(depth=3)"),
    "Connect Four, max^n 7 plies": ("connect_n", "maxn(depth=7, evaluate=windows)"),
    "Robots, shortest 12 plies": ("robots", "shortest(depth=12)"),
}  # fmt: skip
"""Searches by name, from the second start of a game: the first puzzle of robots is too easy."""


def measure(repeats: int, only: str) -> dict[str, float]:
    """Return the median CPU seconds of each search in this process, with a new agent each time."""
    from plyground import load_agent, load_game  # from the side that this process measures

    medians = {}
    for name, (game, agent) in SEARCHES.items():
        if only not in name:
            continue
        position, seconds = load_game(game).start(1), []
        for seed in range(repeats + 1):
            fresh = load_agent(agent)
            began = process_time()
            fresh.think(position, seed=seed)
            seconds.append(process_time() - began)
        medians[name] = median(seconds[1:] or seconds)  # the first loads or compiles kernels
    return medians


def run(side: Path, cache: Path, repeats: int, only: str) -> dict[str, float]:
    """Measure one side in a separate process."""
    command = [sys.executable, "-P", __file__, "--measure", "--repeats", str(repeats)]
    environment = os.environ | {
        "PYTHONPATH": str(side / "src"),
        "PLYGROUND_CACHE_DIR": str(cache),
    }
    done = subprocess.run(
        [*command, "--only", only], env=environment, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def check_out(revision: str, folder: Path) -> Path:
    """Unpack a revision of this repository."""
    command = ["git", "-C", str(HERE), "archive", "--format=tar", revision, "src"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def main() -> None:
    """Measure both sides alternately, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.before", description=__doc__)
    parser.add_argument(
        "other", nargs="?", default="HEAD", help="a folder or revision; default HEAD"
    )
    parser.add_argument("--rounds", type=int, default=11, help="processes per side; default 11")
    parser.add_argument("--repeats", type=int, default=5, help="searches per process; default 5")
    parser.add_argument("--only", default="", help="measure only searches whose name contains this")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.repeats, given.only)))
        return
    with tempfile.TemporaryDirectory(prefix="plyground-before-") as name:
        folder = Path(name)
        other = Path(given.other)
        if not (other / "src").is_dir():
            other = check_out(given.other, folder / "other")
        sides = {"before": other.resolve(), "now": HERE}
        rounds: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
        for number in range(given.rounds + 1):
            order = sides if number % 2 else reversed(sides)
            for side in order:
                print(f"round {number} of {given.rounds}: {side}", file=sys.stderr, flush=True)
                repeats = given.repeats if number else 0  # the first compiles
                rounds[side].append(
                    run(sides[side], folder / f"{side}-kernels", repeats, given.only)
                )
    report({side: figures[1:] for side, figures in rounds.items()}, given.json)


def report(rounds: dict[str, list[dict[str, float]]], as_json: bool) -> None:
    """Print the medians of both sides, their ratio and that of the fastest rounds."""
    rows = []
    for name in rounds["now"][0]:
        before, now = ([figures[name] for figures in rounds[side]] for side in ("before", "now"))
        ratios = median(now) / median(before), min(now) / min(before)
        rows.append((name, median(before), median(now), *ratios))
    headings = ("search", "before", "now", "ratio", "ratio of the fastest")
    if as_json:
        print(json.dumps([dict(zip(headings, row, strict=True)) for row in rows], indent=2))
        return
    table = Table(title="CPU time of a search: medians, and now / before", title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "search" else "right")
    for name, before, now, ratio, fastest in rows:
        times = (f"{1000 * seconds:.1f} ms" for seconds in (before, now))
        table.add_row(name, *times, f"{ratio:.3f}", f"{fastest:.3f}")
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
