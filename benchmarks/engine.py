"""Tests of alpha-beta's refinements: the record and page docs/games/engine.

`python -m benchmarks.engine test FEATURE GAME A B` plays a sequential test of the agent A with a
refinement against B without it, and adds a row. `python -m benchmarks.engine nodes` counts the
nodes to a depth with each refinement switched off. With `--out FOLDER` the record there is updated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import count
from math import exp, log
from pathlib import Path
from random import Random
from statistics import fmean
from time import monotonic, process_time

from benchmarks.strength import last_trial
from plyground import Position, __version__, load_agent, load_game
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.sprt import Sprt, Trial, run_trial
from plyground.arena.tournament import play_tournament
from plyground.cli.playing import new_pool
from plyground.cli.reproduce import write_report
from plyground.export.report import Cell, Report, Table
from plyground.search.timing import AT_ONCE

NAME = "engine"
ABOUT = (
    "Every test of a refinement of alpha-beta, accepted or not. Games come in pairs that have the "
    "same opening, four random plies that a shallow search finds about even, and swapped seats; "
    "Elo intervals are 95%. H1 accepted means that A is stronger by the second of the two Elo "
    "bounds rather than the first, H0 the opposite, none that the games did not decide, stopped "
    "that somebody ended an unpromising or repeated test before. Equal "
    "nodes compare trees, CPU time or a bank of it per game compares players. A refinement "
    "without a switch was tested in a build that had one: its name is in words."
)
TESTS, NODES = "Tests", "Nodes to a depth, all positions together"
TEST_HEADINGS = (
    "refinement", "game", "A", "B", "limit of a move", "Elo bounds", "games", "score",
    "Elo (95%)", "LLR", "verdict",
)  # fmt: skip
NODE_HEADINGS = ("game", "plies", "agent", "nodes", "ratio per position", "same move", "CPU s")

SETTINGS = {
    "expendibots": ("unwise=suicides, quiet=4", 6),
    "tron": ("unwise=crashes", 20),
    "connect_n": ("", 13),
    "connect_n(width=10, height=8)": ("", 9),
}
"""The games in which nodes are counted: options of the agents, and the depth.

The depths are about those that a hundredth of a second reaches.
"""
SWITCHED = (
    "exact=True", "", "reduce=False", "skip=nothing", "aspiration=True", "killers=False",
    "history=False",
)  # fmt: skip
"""The agents that are compared; the first is the measure of the others."""
POSITIONS, LONGEST = 40, 60
DRAWN_AFTER = 140
"""Plies after which a test's game is a draw: endings of one token each go on for 500."""


# Sequential tests ---------------------------------------------------------------------------------


def tested(given: argparse.Namespace) -> tuple[Cell, ...]:
    """Play a test and return its row."""
    limits = {
        name: value for name in ("nodes", "seconds", "bank") if (value := getattr(given, name))
    }
    about = given.feature, ", ".join(f"{name}={value}" for name, value in limits.items())
    if given.nodes:
        limits["seconds"] = AT_ONCE  # never reached: it lets searches run in this thread
    plan = Tournament.make(
        {
            "game": given.game,
            "agents": [f"A={given.a}", f"B={given.b}"],
            "games": given.max_games,
            "opening": 4,
            "opening_rule": "even",
            "max_plies": DRAWN_AFTER,
            "clock": "cpu",
            "seed": given.seed,
        }
        | limits
    )
    forfeits: list[Record] = []
    sprt = Sprt(given.elo0, given.elo1)
    with new_pool(1, None, plan.total) as pool:
        trial = last_trial(run_trial(sprt, watched(play_tournament(plan, pool), forfeits)))
    if forfeits:
        print(f"{len(forfeits)} games were forfeited", file=sys.stderr)
    return row_of(about, plan, trial)


def watched(records: Iterator[Record], forfeits: list[Record]) -> Iterator[Record]:
    """Yield records; add those of forfeited games to a list."""
    for record in records:
        if record.fault is not None:
            forfeits.append(record)
        yield record


def row_of(about: tuple[str, str], plan: Tournament, trial: Trial) -> tuple[Cell, ...]:
    """Return a test's row; it is about a refinement, under a limit."""
    feature, limit = about
    low, middle, high = trial.elo
    bounds = f"{trial.sprt.elo0:g}, {trial.sprt.elo1:g}"
    elo = f"{middle:+.0f} ({low:+.0f} to {high:+.0f})"
    agents = [f"`{agent}`" for agent in plan.agents]
    figures = f"{trial.score:.1%}", elo, f"{trial.ratio:+.2f}", trial.verdict or "none"
    return feature, f"`{plan.game}`", *agents, limit, bounds, 2 * trial.pairs, *figures


# Nodes to a depth ---------------------------------------------------------------------------------


def samples(spec: str) -> list[Position]:
    """Return positions of games that a shallow search plays after random openings."""
    game, (options, _) = load_game(spec), SETTINGS[spec]
    agent = load_agent(f"alphabeta({options})", depth=2, exact=True)
    positions: list[Position] = []
    for seed in count():
        if len(positions) == POSITIONS:
            break
        random, position, line = Random(seed), game.start(seed), []
        for ply in range(LONGEST):
            if position.is_over:
                break
            if ply >= 4 and len(position.legal_actions) > 1:
                line.append(position)
            opening = random.choice(position.legal_actions)
            position = position.play(opening if ply < 4 else agent.think(position).action)
        positions += line[len(line) * (seed % 8) // 10 :][:1]  # random moves may end the game
    return positions


def counted(spec: str) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each agent: its nodes, beside those of the first."""
    positions, (options, depth) = samples(spec), SETTINGS[spec]
    first: list[tuple[int, int]] = []
    for switch in SWITCHED:
        agent = load_agent(f"alphabeta({', '.join(filter(None, (options, switch)))})", depth=depth)
        agent.prepare(load_game(spec))
        began = process_time()
        thoughts = [agent.think(position) for position in positions]
        seconds = process_time() - began
        found = [(thought.nodes or 1, thought.action) for thought in thoughts]
        first = first or found
        pairs = list(zip(found, first, strict=True))
        ratio = exp(fmean(log(one[0] / other[0]) for one, other in pairs))
        same = sum(one[1] == other[1] for one, other in pairs)
        nodes = sum(each for each, _ in found)
        yield (
            f"`{spec}`", depth, f"`{agent!r}`", nodes, round(ratio, 3),
            f"{same} of {POSITIONS}", round(seconds, 1),
        )  # fmt: skip


# The record ---------------------------------------------------------------------------------------


def updated(
    before: Report | None, title: str, rows: list[tuple[Cell, ...]], seconds: float
) -> Report:
    """Return the report with tests added to the earlier ones, or with the nodes replaced."""
    tables = {table.title: table for table in before.tables} if before else {}
    if title == TESTS:
        earlier = tables[TESTS].rows if TESTS in tables else ()
        tables[TESTS] = Table(TESTS, TEST_HEADINGS, (*earlier, *rows))
    else:
        tables[NODES] = Table(NODES, NODE_HEADINGS, tuple(rows))
    return Report(
        name=NAME,
        title="Alpha-beta's refinements, tested",
        about=ABOUT,
        command="python -m benchmarks.engine nodes --out docs/games",
        tables=tuple(tables.values()),
        plots=(),
        remarks=(),
        seconds=seconds + (before.seconds if before else 0.0),
        version=__version__,
    )


def main() -> None:
    """Measure; print the rows, or add them to the record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    test, nodes = commands.add_parser("test"), commands.add_parser("nodes")
    for name in ("feature", "game", "a", "b"):
        test.add_argument(name)
    test.add_argument("--elo0", type=float, default=0.0)
    test.add_argument("--elo1", type=float, default=10.0)
    test.add_argument("--max-games", type=int, default=4000)
    test.add_argument("--seed", type=int, default=1)
    test.add_argument("--nodes", type=int, help="nodes of a move")
    test.add_argument("--seconds", type=float, help="CPU time of a move")
    test.add_argument("--bank", type=float, help="CPU time of a game")
    for command in (test, nodes):
        command.add_argument("--out", type=Path, help="folder of the record")
    given = parser.parse_args()
    began = monotonic()
    if given.command == "test":
        title, rows = TESTS, [tested(given)]
    else:
        title, rows = NODES, [row for spec in SETTINGS for row in counted(spec)]
    for row in rows:
        print(*row)
    if given.out:
        path = given.out / f"{NAME}.json"
        before = Report.from_json(path.read_text()) if path.exists() else None
        write_report(updated(before, title, rows, monotonic() - began), given.out)


if __name__ == "__main__":
    main()
