"""How strong the site's levels are: `python -m benchmarks.levels`.

In games of several players every level meets the one above, from random openings; all seats are
rotated. Elo ratings follow from these games, with the lowest level at 0. In a puzzle each level
solves the same starts; its figure is the mean of moves over the fewest. With `--out FOLDER` the
figures of the games measured replace those of the record `levels.json` there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import numpy as np

from plyground import __version__, load_agent, load_game
from plyground.agents.agent import Limit
from plyground.arena.match import play_match
from plyground.arena.ratings import rate
from plyground.arena.record import Record
from plyground.cli.reproduce import write_report
from plyground.export.report import Report, Table
from plyground.game import Game
from plyground.web.levels import AGENTS, LEVELS

ABOUT = (
    "The levels of the site, from the weakest to the strongest, each with its agent. Elo ratings "
    "are from games of neighbouring levels after random openings, the lowest level at 0; intervals "
    "are 95%. Robot Reboot has one player: its figure is the mean of moves over the fewest."
)
HEADINGS = ("level", "agent", "Elo", "interval", "games", "score against the level below")
PUZZLE_HEADINGS = ("level", "agent", "moves over the fewest", "standard error", "starts", "solved")
OPENING = 4
FIRST_SEED = 3 * 10**9


def neighbours(game: Game, games: int) -> Iterator[tuple[int, list[Record]]]:
    """Play each level against the one above; both have half of the seats."""
    specs, half = AGENTS[game.name], game.facts.players // 2
    for low in range(len(LEVELS) - 1):
        table = [specs[low + 1], specs[low]] * half
        yield low + 1, list(play_match(game, table, games, opening=OPENING))


def rated(game: Game, games: int) -> Table:
    """Return the ratings of a game's levels."""
    records: list[Record] = []
    names = [repr(load_agent(spec)) for spec in AGENTS[game.name]]
    scores: dict[int, str] = {0: ""}
    for level, played in neighbours(game, games):
        records += played
        row = next(each for each in rate(played).rows if each.agent == names[level])
        scores[level] = f"{row.score:.0%}"
        print(f"{game.name}: {LEVELS[level].name} {scores[level]}", file=sys.stderr, flush=True)
    ratings = {each.agent: each for each in rate(records, anchor=names[0]).rows}
    rows = []
    for number, level in enumerate(LEVELS):
        rating = ratings[names[number]]
        low, high = rating.interval()
        spec = f"`{names[number]}`"
        interval = f"{low:.0f} to {high:.0f}" if number else ""
        rows.append((level.name, spec, round(rating.elo), interval, rating.games, scores[number]))
    return Table(game.title, HEADINGS, tuple(rows))


def solved(game: Game, starts: int) -> Table:
    """Return how many moves more than needed a puzzle's levels make."""
    solver, rows = game.solver(), []
    assert solver is not None
    dealt = [game.start(FIRST_SEED + each) for each in range(starts)]
    fewest = [(solution := solver.solve(start)) and solution.plies for start in dealt]
    for level, spec in zip(LEVELS, AGENTS[game.name], strict=True):
        player = load_agent(spec).sit(game, 0)
        over, count = [], 0
        for seed, (start, least) in enumerate(zip(dealt, fewest, strict=True)):
            position = start
            while not position.is_over:
                position = position.play(player.think(position, Limit(), seed).action)
            count += position.returns[0] > -1.0
            over.append(position.ply - (least or 0))
        error = float(np.std(over) / np.sqrt(starts))
        mean = round(float(np.mean(over)), 2)
        rows.append((level.name, f"`{spec}`", mean, round(error, 2), starts, count))
        print(f"{game.name}: {level.name} {mean}", file=sys.stderr, flush=True)
    return Table(game.title, PUZZLE_HEADINGS, tuple(rows))


def main() -> None:
    """Measure games; print their tables, or write them into a record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(AGENTS), help="all")
    parser.add_argument("--count", type=int, default=100, help="games of a pair, or starts; 100")
    parser.add_argument("--out", type=Path, help="folder of the record")
    given = parser.parse_args()
    for name in given.games:
        began, game = monotonic(), load_game(name)
        alone = game.facts.players == 1
        table = solved(game, given.count) if alone else rated(game, given.count)
        path = given.out and given.out / "levels.json"
        before = Report.from_json(path.read_text()) if path and path.exists() else None
        kept = before.tables if before else ()
        tables = [each for each in kept if each.title != table.title] + [table]
        report = Report(
            name="levels", title="Levels of the site, measured", about=ABOUT,
            tables=tuple(sorted(tables, key=lambda each: each.title)), plots=(), remarks=(),
            command="python -m benchmarks.levels --out docs/games",
            seconds=monotonic() - began + (before.seconds if before else 0.0), version=__version__,
        )  # fmt: skip
        if given.out:
            write_report(report, given.out)
        else:
            print(table)


if __name__ == "__main__":
    main()
