"""A shipped network after each of its trainings: `python -m benchmarks.stages connect_n`.

Where one training went on from the weights of another, the curve of the last one alone does not
show how the network came to its strength. Here the networks of all stages, which earlier revisions
of this repository have, choose in the same positions, and the game's exact solver judges them.
With `--out FOLDER` page, record and plot are written.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

from benchmarks import strength
from benchmarks.networks import FIRST_SEED, ROOT, TRAININGS
from plyground import __version__
from plyground.arena.tournament import wilson
from plyground.cli.reproduce import check_folder, show_report, write_report
from plyground.export.report import Curve, Plot, Report, Table


class Stage(NamedTuple):
    """A network on the way to the shipped one."""

    minutes: float
    """How long it was trained, all trainings together."""
    revision: str
    """The revision of this repository that has its weights."""


STAGES = {"connect_n": (Stage(12.4, "d5f9791"), Stage(38.1, "7f62d7b"), Stage(50.1, "88a4a2e"))}
"""By the name of the network; the last one is that which is shipped."""
PLAYER = "alphabeta(depth=6)"
"""The agent in whose games the networks choose: they have not played these."""
OPENING = 4
AGENTS = {
    "alone": "network(weights={weights!r})",
    "100 evaluations": "alphazero(weights={weights!r}, evaluations=100)",
}
HEADINGS = ("minutes", "revision", "agent", "keeps the result", "best-valued", "positions")


def weights_of(name: str, revision: str, folder: Path) -> Path:
    """Write the weights that a revision has to a folder; return their path."""
    command = ["git", "show", f"{revision}:src/plyground/weights/{name}.onnx"]
    content = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    path = folder / f"{revision}.onnx"
    path.write_bytes(content)
    return path


def measured(name: str, games: int) -> tuple[Table, Plot]:
    """Return how the networks of all stages choose in the positions of some games."""
    stages = STAGES[name]
    with TemporaryDirectory() as folder:
        paths = [str(weights_of(name, stage.revision, Path(folder))) for stage in stages]
        specs = [agent.format(weights=path) for agent in AGENTS.values() for path in paths]
        sides = TRAININGS[name].game, PLAYER, games, OPENING, FIRST_SEED
        judged = strength.judged_agents(specs, *sides)
    rows, curves = [], []
    for number, agent in enumerate(AGENTS):
        found = judged[number * len(stages) :][: len(stages)]
        for stage, each in zip(stages, found, strict=True):
            shares = (f"{count / each.positions:.2%}" for count in (each.kept, each.best))
            rows.append((*stage, agent, *shares, each.positions))
        minutes = tuple(stage.minutes for stage in stages)
        for label, counts in (
            ("keeps the result", [each.kept for each in found]),
            ("best-valued", [each.best for each in found]),
        ):
            shares = tuple(
                count / each.positions for count, each in zip(counts, found, strict=True)
            )
            low, high = zip(
                *(wilson(share, each.positions) for share, each in zip(shares, found, strict=True)),
                strict=True,
            )
            curves.append(Curve(f"{agent}: {label}", minutes, shares, low, high))
    title = f"Positions of games between `{PLAYER}` after {OPENING} random plies"
    table = Table(title, HEADINGS, tuple(rows))
    return table, Plot("Moves by minutes of training", "minutes", "share", tuple(curves))


def main() -> None:
    """Read the command line, measure, and print or write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    parser.add_argument("name", choices=sorted(STAGES), help="a shipped network")
    parser.add_argument("--games", type=int, default=40, help="games whose positions are judged")
    parser.add_argument("--out", type=Path, help="folder for page, record and plot")
    given = parser.parse_args()
    if given.out is not None:
        check_folder(given.out)
    began = monotonic()
    table, plot = measured(given.name, given.games)
    report = Report(
        name=f"{given.name}-stages",
        title=f"{TRAININGS[given.name].title}, after each of its trainings",
        about="Each training began with the weights of the one before. All networks choose in the "
        "same positions, and the exact solver judges their moves. Intervals in the plot are 95%.",
        command=f"python -m benchmarks.stages {given.name} --games {given.games}",
        tables=(table,),
        plots=(plot,),
        remarks=(),
        seconds=monotonic() - began,
        version=__version__,
    )
    show_report(report)
    if given.out is not None:
        write_report(report, given.out)


if __name__ == "__main__":
    main()
