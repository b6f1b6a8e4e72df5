"""Pairings: balanced tables, rounds of a Swiss tournament, and points by place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from random import Random

from plyground.arena.record import Record

Table = tuple[int, ...]
"""Numbers of the agents that play each other."""

Met = Counter[tuple[int, int]]
"""How often two agents have met, by their numbers in ascending order."""

TRIES = 20_000
"""Steps of the search for a round without rematches; after that, rematches are accepted."""


def _pairs(table: Iterable[int]) -> Iterable[tuple[int, int]]:
    return combinations(sorted(table), 2)


def _repeats(table: Iterable[int], met: Met) -> int:
    return sum(2 * met[pair] + 1 for pair in _pairs(table) if met[pair])


def balanced_tables(agents: int, players: int, rounds: int, seed: int) -> list[Table]:
    """Return tables for all rounds; all pairs meet, and all agents sit out, about equally often.

    Law: an agent that has sat out more often than another is not the next to sit out.
    """
    random = Random(seed)
    met: Met = Counter()
    rests: Counter[int] = Counter()
    drawn: list[Table] = []
    for _ in range(rounds):
        order = sorted(range(agents), key=lambda agent: (-rests[agent], random.random()))
        seated = agents - agents % players
        rests.update(order[seated:])
        best = min(
            (
                _with_fewer_rematches(random.sample(order[:seated], seated), players, met)
                for _ in range(10)
            ),
            key=lambda tables: sum(_repeats(table, met) for table in tables),
        )
        for table in best:
            met.update(_pairs(table))
        drawn += best
    return drawn


def _with_fewer_rematches(order: list[int], players: int, met: Met) -> list[Table]:
    """Return tables after swapping agents between them as long as that reduces rematches."""

    def cost(place: int) -> int:
        begin = place - place % players
        return _repeats(order[begin : begin + players], met)

    better = True
    while better:
        better = False
        for one, other in combinations(range(len(order)), 2):
            if one // players == other // players:
                continue
            before = cost(one) + cost(other)
            order[one], order[other] = order[other], order[one]
            if cost(one) + cost(other) < before:
                better = True
            else:
                order[one], order[other] = order[other], order[one]
    return [tuple(order[place : place + players]) for place in range(0, len(order), players)]


def swiss_round(
    agents: int,
    players: int,
    games: int,
    seed: int,
    stage: int,
    results: Iterable[Record],
    places: Sequence[float] = (),
) -> list[Table]:
    """Return the tables of a round: neighbours in the ranking meet, if possible without rematches.

    Points are by place, as in the game's `Facts.places`. If the last table would not be full, the
    lowest-ranked agents that have sat out least often sit out; that counts as a win.
    """
    records = sorted(results, key=lambda record: record.number)
    met: Met = Counter()
    rests: Counter[int] = Counter()
    points = [0.0] * agents
    points_of_win = rank_points((1.0, *[0.0] * (players - 1)), places)[0]
    drawn: list[Table] = []
    lots = Random(seed).sample(range(agents), agents)
    for earlier in range(stage + 1):
        ranking = sorted(range(agents), key=lambda agent: (-points[agent], lots[agent]))
        ranking.reverse()
        resting = sorted(ranking, key=lambda agent: rests[agent])[: agents % players]
        ranking.reverse()
        drawn = _neighbours([agent for agent in ranking if agent not in resting], players, met)
        for table in drawn:
            met.update(_pairs(table))
        for agent in resting:
            rests[agent] += 1
            points[agent] += points_of_win
        size = len(drawn) * games
        for record in records:
            if earlier * size <= record.number < (earlier + 1) * size:
                gains = rank_points(record.returns, places)
                for entrant, gained in zip(record.entrants, gains, strict=True):
                    points[entrant] += gained / games
    return drawn


def _neighbours(ranking: list[int], players: int, met: Met) -> list[Table]:
    """Return tables filled from the top of the ranking; pairs without rematches if possible."""
    if players == 2:
        steps = iter(range(TRIES))
        pairs = _paired(ranking, met, lambda: next(steps, None) is not None)
        if pairs is not None:
            return pairs
    tables: list[Table] = []
    left = list(ranking)
    while left:
        table = [left.pop(0)]
        while len(table) < players:
            nearest = min(left, key=lambda agent: _repeats((*table, agent), met))
            left.remove(nearest)
            table.append(nearest)
        tables.append(tuple(table))
    return tables


def _paired(ranking: Sequence[int], met: Met, go_on: Callable[[], bool]) -> list[Table] | None:
    """Return pairs without rematches, of neighbours where possible; None if there are none."""
    if not ranking:
        return []
    first, *others = ranking
    for other in others:
        if not go_on():
            return None
        if met[min(first, other), max(first, other)]:
            continue
        rest = _paired([agent for agent in others if agent != other], met, go_on)
        if rest is not None:
            return [(first, other), *rest]
    return None


# Points -----------------------------------------------------------------------------------------


def rank_points(returns: Sequence[float], places: Sequence[float] = ()) -> list[float]:
    """Return points by place, as in the game's `Facts.places`; ties share their points."""
    last = len(returns) - 1
    table = places or [1 - place / max(1, last) for place in range(len(returns))]
    shared = []
    for gained in returns:
        better = sum(other > gained for other in returns)
        level = returns.count(gained)
        shared.append(sum(table[better : better + level]) / level)
    return shared
