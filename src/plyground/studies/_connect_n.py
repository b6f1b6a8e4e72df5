"""Shared by the studies of Connect-N: the original agent, its stages, and rows of results."""

from __future__ import annotations

from collections.abc import Iterable

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.tournament import Standing, Standings
from plyground.export.report import Cell

WEIGHTS = (0, 10, 50, 5000, 1000000)
"""The best weights that the original study found, with an offensiveness of 0.35."""

RESULTS = ("games", "won", "drawn", "lost", "score", "95% interval")


def original_agent(depth: int = 6, offensiveness: float = 0.35, weights: object = WEIGHTS) -> str:
    """Return the original agent; our alpha-beta returns the same values in less time."""
    windows = f"windows(offensiveness={offensiveness}, weights={weights})"
    return f"alphabeta(depth={depth}, evaluate={windows}, table_bits=16, exact=True)"


def staged_agent(width: int, height: int) -> str:
    """Return the original agent with its depth by stage, from the code at the study's end.

    A search to the end of the game is written as the plies left when that stage begins. The
    original's first condition for depth 6 (n = 4) is part of its second: n makes no difference.
    """
    cells = width * height
    depths = {height: 2, 2 * height + width: 4, (height - 1) * (width - 1): 6}
    if width >= 10:
        depths[height // 2 + width + 1] = 3
    depths[cells] = cells - (height - 1) * (width - 1)
    stages = tuple(number for end in sorted(depths) for number in (end / cells, depths[end]))
    return f"alphabeta(stages={stages}, evaluate=windows, table_bits=16, exact=True)"


def round_robin(
    agents: Iterable[str], games: int, seed: int, game: str = "connect_n", opening: int = 4
) -> Tournament:
    """Return a round robin in which every random opening is played once with either agent first."""
    return Tournament.make(
        {
            "game": game,
            "agents": list(agents),
            "games": games,
            "opening": opening,
            "opening_rule": "random",
            "seed": seed,
        }
    )


def standings(tournament: Tournament, records: Iterable[Record]) -> list[Standing]:
    """Return the standings of a tournament's games, in the order of its agents."""
    table = Standings(tournament.agents)
    for record in records:
        table.add(record)
    return table.table


def results(row: Standing) -> tuple[Cell, ...]:
    """Return the cells under RESULTS."""
    low, high = row.interval
    interval = f"{low:.1%} to {high:.1%}"
    return row.games, row.wins, row.draws, row.losses, f"{row.score:.1%}", interval
