"""Ratings of many agents: equations added up by pairs, beside a row of the matrix for each pair.

`python -m benchmarks.ratings` stores games between agents of known strength, reads them and rates
the agents. Reading is compared with reading whole records, and the equations with a dense design
matrix on fewer agents, as its costs grow with pairs times agents squared.
"""

from __future__ import annotations

import argparse
import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from tempfile import TemporaryDirectory
from time import process_time
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import show
from plyground import Tournament, play_game
from plyground.arena.elo import ELO, PRIOR, Pairs, Reals, _draws, fit
from plyground.arena.ratings import rate
from plyground.arena.record import Record
from plyground.arena.store import PAGE, Store

T = TypeVar("T")


def dense_fit(
    pairs: Pairs, agents: int, weight: float = 1.0, first_seat: bool = False
) -> tuple[Reals, Reals, float]:
    """Return what `fit` does, by a design matrix with a row for each pair."""
    games, points, drawn = (weight * counts for counts in pairs[2:])
    design = np.eye(agents)[pairs.first] - np.eye(agents)[pairs.second]
    if first_seat:
        design = np.column_stack([design, np.ones(len(design))])
    prior = np.eye(design.shape[1]) * (ELO / PRIOR) ** 2
    strengths, step = np.zeros(design.shape[1]), np.ones(1)
    while np.abs(step).max() > 1e-9:
        expected = 1 / (1 + np.exp(-design @ strengths))
        curvature = (design.T * (games * expected * (1 - expected))) @ design + prior
        step = np.linalg.solve(
            curvature, design.T @ (points - games * expected) - prior @ strengths
        )
        strengths += step / max(1.0, np.abs(step).max())
    likely, equals = _draws(expected, games, drawn.sum())
    variance = (design.T * (games * (expected * (1 - expected) - likely / 4))) @ design + prior
    inverse = np.linalg.inv(curvature)
    return strengths * ELO, inverse @ variance @ inverse * ELO**2, equals


def games_between(agents: int, count: int) -> Iterator[Record]:
    """Yield games between agents whose strengths are 800 Elo apart in all."""
    whole = play_game("connect_n", ["random", "random"], seed=1, opening=2)
    specs = [f"mcts(simulations={number + 1})" for number in range(agents)]
    drawing = random.Random(1)
    for number in range(count):
        one, other = drawing.sample(range(agents), 2)
        lead = drawing.random() - 1 / (1 + 10 ** (2 * (other - one) / agents))
        gained = 1.0 if lead < -0.1 else 0.0 if lead < 0.1 else -1.0
        seated = specs[one], specs[other]
        yield replace(
            whole, number=number, seed=number, entrants=(one, other), agents=seated,
            identities=seated, names=seated, returns=(gained, -gained),
        )  # fmt: skip


def random_pairs(agents: int, games: int) -> Pairs:
    """Return the results of games between random agents of equal strength."""
    drawing = np.random.default_rng(1)
    met = drawing.integers(0, agents * agents, games)
    codes, counts = np.unique(met[met // agents != met % agents], return_counts=True)
    won = drawing.binomial(counts, 0.5)
    first, second = np.divmod(codes, agents)
    return Pairs(first, second, counts.astype(float), won.astype(float), np.zeros(len(codes)))


def measured(work: Callable[[], T]) -> tuple[T, float]:
    """Return what the work returns, and its CPU seconds."""
    began = process_time()
    done = work()
    return done, process_time() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ratings", description=__doc__)
    parser.add_argument("--agents", type=int, default=1000, help="default 1000")
    parser.add_argument("--games", type=int, default=200_000, help="default 200000")
    parser.add_argument("--dense", type=int, default=200, help="agents of the dense equations; 200")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    with TemporaryDirectory() as folder, Store(f"{folder}/games.sqlite") as store:
        names = tuple(f"mcts(simulations={number + 1})" for number in range(given.agents))
        run = store.begin(Tournament(game="connect_n", agents=names, games=2))
        batch: list[Record] = []
        for record in games_between(given.agents, given.games):
            batch.append(record)
            if len(batch) == PAGE:
                store.add(run, batch)
                batch.clear()
        store.add(run, batch)
        summaries, brief = measured(lambda: list(store.summaries(run)))
        _, whole = measured(lambda: sum(1 for _ in store.records(run)))
    rated, seconds = measured(lambda: rate(summaries))
    assert len(rated.rows) <= given.agents
    tracemalloc.start()
    rate(summaries)
    memory = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    pairs = random_pairs(given.dense, given.dense**2)
    _, sparse = measured(lambda: fit(pairs, given.dense))
    _, dense = measured(lambda: dense_fit(pairs, given.dense))
    rows = {
        "read summaries: CPU s": brief,
        "read whole records / read summaries": whole / brief,
        "rate: CPU s": seconds,
        "rate: MiB": memory,
        f"dense / by pairs, {given.dense} agents": dense / sparse,
    }
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(f"{given.agents:,} agents, {given.games:,} games", "", title_justify="left")
    for name, value in rows.items():
        table.add_row(name, show(value))
    Console().print(table)


if __name__ == "__main__":
    main()
