"""How strong the levels of `champion` are: `python -m benchmarks.levels`.

In games of several players every level meets the one below from random openings, both in half of
the seats, and all seats are rotated. In a puzzle each level solves the same starts. With
`--out FOLDER` the figures are written into the record `levels.json` there after every level; levels
whose agents and limits are those of the record are not measured again, so that an interrupted run
can be continued.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.engine import DRAWN_AFTER
from plyground import __version__, load_agent, load_game
from plyground.agents.agent import Limit
from plyground.agents.champion import TOP, choice_of
from plyground.arena.match import play_match
from plyground.arena.scores import rank_points
from plyground.arena.sprt import difference
from plyground.cli.reproduce import write_report
from plyground.export.report import Cell, Report, Table
from plyground.game import Game

GAMES = (
    "connect_n", "tron", "tron(simultaneous=True)", "expendibots", "sheep", "robots",
)  # fmt: skip
ABOUT = (
    "The levels 1 to 10 of `champion`, each with the agent that plays it. In games of two players "
    "a level's Elo is measured in games with the level below, after random openings of 4 plies; "
    "the lowest level is at 0. In Battle Sheep two seats of each level share a table, and the gain "
    "is that of tournament points a game. Robot Reboot has one player: its figure is the mean of "
    "moves over the fewest. A game of Expendibots that reaches 140 plies is a draw. Intervals are "
    "95%; seconds are the CPU time that a move may take."
)
ELO = ("level", "agent", "Elo", "above the level below", "interval", "games", "seconds")
POINTS = ("level", "agent", "points", "above the level below", "interval", "games", "seconds")
MOVES = ("level", "agent", "moves over the fewest", "standard error", "solved", "starts", "seconds")
SPEC, GAIN, COUNT = 1, 3, 5
"""Columns of a record's rows."""

OPENING = 4
USUAL = 1.0
"""Seconds that a move may take; most levels need far less, level 10 takes what it gets."""
GRACE = 1.0
"""Seconds by which a move may be late, so that nobody loses on a busy machine's clock."""
FIRST_SEED = 3 * 10**9
SURE = 1.96
"""Standard errors on either side of a figure, in an interval of 95%."""

Row = tuple[Cell, ...]


def gain(game: Game, specs: Sequence[str], games: int, limit: Limit) -> tuple[float, str, int]:
    """Return what the second agent gains on the first, the interval, and the games that count.

    Games that were forfeited do not count.
    """
    players, places = game.facts.players, game.facts.places
    low, high = specs
    margins = []
    seated, longest = [high, low] * (players // 2), DRAWN_AFTER if game.facts.repetition else None
    for record in play_match(game, seated, games, limit, opening=OPENING, max_plies=longest):
        if record.fault is None:
            points = rank_points(record.returns, places)
            mine = [points[seat] for seat in range(players) if record.entrants[seat] % 2 == 0]
            margins.append(2 * (sum(mine) - sum(points) / 2) / players)
    mean = float(np.mean(margins))
    error = SURE * float(np.std(margins, ddof=1)) / sqrt(len(margins))
    scale, digits = (elo_of, 0) if players == 2 else ((2.0).__mul__, 2)
    bounds = " to ".join(f"{scale(each):+.{digits}f}" for each in (mean - error, mean + error))
    return round(scale(mean), digits), bounds, len(margins)


def elo_of(margin: float) -> float:
    """Return the Elo difference of a mean score, which is a margin above one half."""
    return difference(min(max(0.5 + margin, 0.001), 0.999))


def rows_of_pairs(
    game: Game, specs: Sequence[str], kept: Sequence[Row], count: int, top: float
) -> Iterator[list[Row]]:
    """Yield the rows so far, after each level that was measured."""
    rows: list[Row] = [(1, f"`{specs[0]}`", 0, "", "", "", "")]
    for level in range(2, len(specs) + 1):
        pair = specs[level - 2 : level]
        known = _known(kept, [f"`{spec}`" for spec in pair], level, count)
        seconds = top if level == TOP else USUAL
        if known is None:
            figures = (*gain(game, pair, count, Limit(seconds, grace=GRACE, cpu=True)), seconds)
        else:
            figures = known[GAIN:]
        height = float(rows[-1][2] or 0) + float(figures[0] or 0)
        total = round(height) if game.facts.players == 2 else round(height, 2)
        rows.append((level, f"`{pair[1]}`", total, *figures))
        if known is None:
            print(f"{game}: level {level} {figures}", file=sys.stderr, flush=True)
            yield [*rows, *kept[level:]]
    yield rows


def _known(kept: Sequence[Row], pair: Sequence[str], level: int, count: int) -> Row | None:
    """Return a level's row of the record, if it was measured between the same agents."""
    if len(kept) < level or [row[SPEC] for row in kept[level - 2 : level]] != pair:
        return None
    row = kept[level - 1]
    return row if isinstance(row[COUNT], int) and row[COUNT] >= 0.9 * count else None


def rows_of_starts(game: Game, specs: Sequence[str], starts: int) -> Iterator[list[Row]]:
    """Yield the rows so far of a puzzle: how many moves more than needed the levels make."""
    solver, rows = game.solver(), []
    assert solver is not None
    dealt = [game.start(FIRST_SEED + each) for each in range(starts)]
    fewest = [(solution := solver.solve(start)) and solution.plies for start in dealt]
    for level, spec in enumerate(specs, start=1):
        player = load_agent(spec).sit(game, 0)
        over, solved = [], 0
        for seed, (start, least) in enumerate(zip(dealt, fewest, strict=True)):
            position = start
            while not position.is_over:
                position = position.play(
                    player.think(position, Limit(USUAL, cpu=True), seed).action
                )
            solved += position.returns[0] > -1.0
            over.append(position.ply - (least or 0))
        mean, error = float(np.mean(over)), float(np.std(over, ddof=1)) / sqrt(starts)
        figures = round(mean, 2), round(error, 2), solved, starts, USUAL
        rows.append((level, f"`{spec}`", *figures))
        print(f"{game}: level {level} {figures}", file=sys.stderr, flush=True)
        yield rows


def tables_of(game: Game, kept: Sequence[Row], count: int, top: float) -> Iterator[Table]:
    """Yield the table of a game's levels, after each level that was measured."""
    specs = [repr(choice_of(game, level).agent) for level in range(1, TOP + 1)]
    if game.facts.players == 1:
        headings, made = MOVES, rows_of_starts(game, specs, count)
    else:
        headings = ELO if game.facts.players == 2 else POINTS
        made = rows_of_pairs(game, specs, kept, count, top)
    for rows in made:
        yield Table(title_of(game), headings, tuple(rows))


def title_of(game: Game) -> str:
    """Return a game's title, with its options if some are set."""
    return game.title + (f", `{game}`" if game.changed() else "")


def main() -> None:
    """Measure games; print their tables, or write them into a record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES, help="all")
    parser.add_argument("--count", type=int, default=400, help="games of a pair, or starts; 400")
    parser.add_argument(
        "--top", type=float, default=0.1, help="CPU seconds of a move where level 10 plays; 0.1"
    )
    parser.add_argument("--out", type=Path, help="folder of the record")
    given = parser.parse_args()
    path = given.out and given.out / "levels.json"
    before = Report.from_json(path.read_text()) if path and path.exists() else None
    tables = {table.title: table for table in before.tables} if before else {}
    spent = before.seconds if before else 0.0
    for game in map(load_game, given.games):
        kept = tables[title_of(game)].rows if title_of(game) in tables else ()
        for table in tables_of(game, kept, given.count, given.top):
            tables[table.title] = table
            report = Report(
                name="levels", title="Levels, measured", about=ABOUT,
                tables=tuple(tables[title] for title in sorted(tables)), plots=(), remarks=(),
                command="python -m benchmarks.levels --out docs/games",
                seconds=spent + process_time(), version=__version__,
            )  # fmt: skip
            if given.out:
                write_report(report, given.out)
        if not given.out:
            print(table)


if __name__ == "__main__":
    main()
