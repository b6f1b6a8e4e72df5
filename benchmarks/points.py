"""The record of MCTS tests in games of more than two players: `python -m benchmarks.points`.

    plyground tournament sheep "old=mcts" "new=mcts(...)" ... --json > run.json
    python -m benchmarks.points run.json --title "..." --verdict "..." --command "..."

It takes the points of a tournament by place, and the difference of each agent to the first one,
game by game, with its 95% interval; equal agents with different labels count as one. With
`--out FOLDER` the table is added to the record `mcts.json` there, and the page is written again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from plyground import __version__, load_game
from plyground.arena.scores import rank_points
from plyground.cli.reproduce import write_report
from plyground.export.report import Report, Table

NAME = "mcts"
ABOUT = (
    "Changes of Monte Carlo tree search and of its defaults that were tried in games of more than "
    "two players, accepted or not. All agents of a table play each other; every start is played "
    "once from every seat. Points are those of the game by place; differences are taken game by "
    "game to the first agent, with their 95% intervals."
)
HEADINGS = ("agent", "points per game", "difference", "interval", "games")
COMMANDS = "How the figures were made"
COMMAND_HEADINGS = ("table", "command", "verdict")


def points_of(run: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return each agent's points in each game, the mean of its seats where it has several."""
    places = load_game(run["game"]).facts.places
    points: dict[str, list[float]] = {entrant["agent"]: [] for entrant in run["entrants"]}
    for game in run["games"]:
        gains: dict[str, list[float]] = {}
        for agent, gained in zip(game["agents"], rank_points(game["returns"], places), strict=True):
            gains.setdefault(agent, []).append(gained)
        for agent, seats in gains.items():
            points[agent].append(sum(seats) / len(seats))
    return points


def compared(title: str, points: Mapping[str, Sequence[float]]) -> Table:
    """Return the table of points and of differences to the first agent."""
    first, *_ = points.values()
    rows = []
    for agent, gains in points.items():
        difference = np.subtract(gains, first)
        mean, error = difference.mean(), 1.96 * difference.std(ddof=1) / sqrt(len(gains))
        interval = f"{mean - error:+.2f} to {mean + error:+.2f}" if gains is not first else ""
        shown = f"{mean:+.2f}" if gains is not first else ""
        rows.append((f"`{agent}`", round(float(np.mean(gains)), 2), shown, interval, len(gains)))
    return Table(title, HEADINGS, tuple(rows))


def recorded(
    before: Report | None, table: Table, command: str, verdict: str, seconds: float
) -> Report:
    """Return the record with a table added or replaced."""
    tables = {each.title: each for each in before.tables} if before else {}
    commands = tables.pop(COMMANDS, Table(COMMANDS, COMMAND_HEADINGS, ()))
    kept = [row for row in commands.rows if row[0] != table.title]
    tables[table.title] = table
    rows = (*kept, (table.title, f"`{command}`", verdict))
    return Report(
        name=NAME, title="Tests of Monte Carlo tree search", about=ABOUT,
        tables=(*tables.values(), Table(COMMANDS, COMMAND_HEADINGS, rows)), plots=(), remarks=(),
        command="python -m benchmarks.points RUN.json --out docs/games",
        seconds=seconds + (before.seconds if before else 0.0), version=__version__,
    )  # fmt: skip


def main() -> None:
    """Read a tournament; print its table, or write it into the record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.points", description=__doc__)
    parser.add_argument("run", type=Path, help="what `plyground tournament --json` printed")
    parser.add_argument("--title", default="Points", help="title of the table")
    parser.add_argument("--command", default="plyground tournament", help="command of the run")
    parser.add_argument("--verdict", default="", help="what was decided")
    parser.add_argument("--out", type=Path, help="folder of the record")
    given = parser.parse_args()
    run = json.loads(given.run.read_text())
    table = compared(given.title, points_of(run))
    if given.out is None:
        print(table)
        return
    path = given.out / f"{NAME}.json"
    before = Report.from_json(path.read_text()) if path.exists() else None
    seconds = sum(sum(game["seconds"]) for game in run["games"])  # of thinking
    write_report(recorded(before, table, given.command, given.verdict, seconds), given.out)


if __name__ == "__main__":
    main()
