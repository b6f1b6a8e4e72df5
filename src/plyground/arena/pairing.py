"""Pairings: groups, balanced tables, and rounds of a Swiss tournament."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from random import Random
from typing import NamedTuple, Protocol

from plyground.arena.scores import score

Table = tuple[int, ...]
"""Numbers of the agents that play each other."""

Met = Counter[tuple[int, int]]
"""How often two agents have met, by their numbers in ascending order."""

TRIES = 20_000
"""Steps of the search for a round without rematches; after that, rematches are accepted."""

DRAWS = 10
"""Draws of a round of balanced tables, the best of which is taken."""

SWAPS = 300_000
"""Swaps tried in a round of balanced tables: more than 100 agents need."""


class Tables(Protocol):
    """A sequence of tables, which may be computed when they are asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Table: ...


class Result(NamedTuple):
    """The part of a record that later pairings depend on."""

    number: int
    entrants: Table
    returns: tuple[float, ...]


def _repeats_with(agent: int, others: Iterable[int], met: Met) -> int:
    """Return what it costs that an agent meets others: 0 if it has met none of them."""
    cost = 0
    for other in others:
        times = met[(agent, other) if agent < other else (other, agent)]
        if times:
            cost += 2 * times + 1
    return cost


def _repeats(table: Sequence[int], met: Met) -> int:
    return sum(_repeats_with(table[seat], table[:seat], met) for seat in range(1, len(table)))


def _seat_together(tables: Iterable[Table], met: Met) -> None:
    """Count that the agents of each table have met."""
    for table in tables:
        met.update(combinations(sorted(table), 2))


# Groups -----------------------------------------------------------------------------------------


class Groups:
    """All groups of so many agents; or those with agent 0, for a gauntlet.

    Law: further agents continue the sequence; the groups before them keep their places.
    """

    def __init__(self, agents: int, size: int, gauntlet: bool = False) -> None:
        self._always = (0,) if gauntlet else ()
        self._others = range(len(self._always), agents)
        self._size = size - len(self._always)

    def __len__(self) -> int:
        return comb(len(self._others), self._size)

    def __getitem__(self, index: int) -> Table:
        if not 0 <= index < len(self):
            raise IndexError(index)
        places = []
        for size in range(self._size, 0, -1):  # the groups are in colexicographic order
            last = self._last_place(index, size)
            index -= comb(last, size)
            places.append(last)
        return (*self._always, *(self._others[place] for place in reversed(places)))

    def _last_place(self, index: int, size: int) -> int:
        places = range(len(self._others))
        return bisect_right(places, index, key=lambda place: comb(place, size)) - 1


# Balanced tables --------------------------------------------------------------------------------


class BalancedTables:
    """Tables of several rounds: all pairs meet, and all agents sit out, about equally often.

    A round is drawn when one of its tables is asked for. Law: an agent that has sat out more often
    than another is not the next to sit out.
    """

    def __init__(self, agents: int, players: int, rounds: int, seed: int) -> None:
        self._agents, self._players, self._rounds = agents, players, rounds
        self._random = Random(seed)
        self._met: Met = Counter()
        self._rests: Counter[int] = Counter()
        self._drawn: list[Table] = []

    def __len__(self) -> int:
        return self._rounds * (self._agents // self._players)

    def __getitem__(self, index: int) -> Table:
        if not 0 <= index < len(self):
            raise IndexError(index)
        while len(self._drawn) <= index:
            self._draw_round()
        return self._drawn[index]

    def _draw_round(self) -> None:
        random, seated = self._random, self._agents - self._agents % self._players
        ties = [random.random() for _ in range(self._agents)]
        order = sorted(range(self._agents), key=lambda agent: (-self._rests[agent], ties[agent]))
        self._rests.update(order[seated:])
        draws = [_Draw(random.sample(order[:seated], seated), self._players, self._met)
                 for _ in range(DRAWS)]  # fmt: skip
        left = SWAPS
        for draw in draws:
            left -= draw.improve(left)
            if not draw.cost:
                break
        tables = min(draws, key=lambda draw: draw.cost).tables()
        _seat_together(tables, self._met)
        self._drawn += tables


class _Draw:
    """A draw of the tables of a round, in which agents can be swapped."""

    def __init__(self, order: list[int], players: int, met: Met) -> None:
        self._order, self._players, self._met = order, players, met
        self._costs = [_repeats(table, met) for table in self.tables()]
        self._costly = [table for table, cost in enumerate(self._costs) if cost]
        """The tables with rematches, ascending."""

    @property
    def cost(self) -> int:
        """How undesirable the rematches are; 0 if there is none."""
        return sum(self._costs[table] for table in self._costly)

    def tables(self) -> list[Table]:
        order, players = self._order, self._players
        return [tuple(order[place : place + players]) for place in range(0, len(order), players)]

    def improve(self, most: int) -> int:
        """Swap agents as long as that reduces rematches; return how many swaps were tried.

        Only swaps with a table that has rematches are tried, which at first are few.
        """
        tried, better, places = 0, True, len(self._order)
        while better:
            better = False
            for one in range(places):
                table = one // self._players
                other = (table + 1) * self._players
                while other < places:
                    if not self._costs[table]:
                        other = max(other, self._next_costly(other))
                        if other >= places:
                            break
                    if tried == most:
                        return tried
                    tried += 1
                    better |= self._swap(one, other)
                    other += 1
        return tried

    def _next_costly(self, place: int) -> int:
        """Return the first place of the first table with rematches from that of a place on."""
        index = bisect_left(self._costly, place // self._players)
        table = self._costly[index] if index < len(self._costly) else len(self._costs)
        return table * self._players

    def _swap(self, one: int, other: int) -> bool:
        """Swap the agents in two places of different tables if that reduces rematches."""
        first, second = self._order[one], self._order[other]
        changes = []
        for place, leaves, enters in ((one, first, second), (other, second, first)):
            begin = place - place % self._players
            rest = [
                self._order[seat] for seat in range(begin, begin + self._players) if seat != place
            ]
            change = _repeats_with(enters, rest, self._met) - _repeats_with(leaves, rest, self._met)
            changes.append((place // self._players, change))
        if sum(change for _, change in changes) >= 0:
            return False
        self._order[one], self._order[other] = second, first
        for table, change in changes:
            self._change_cost(table, self._costs[table] + change)
        return True

    def _change_cost(self, table: int, cost: int) -> None:
        if cost and not self._costs[table]:
            insort(self._costly, table)
        elif self._costs[table] and not cost:
            self._costly.remove(table)
        self._costs[table] = cost


# Swiss tournaments ------------------------------------------------------------------------------


def swiss_round(
    agents: int,
    players: int,
    games: int,
    seed: int,
    stage: int,
    results: Iterable[Result],
) -> list[Table]:
    """Return the tables of a round: neighbours in the ranking meet, if possible without rematches.

    The ranking is by score. If the last table would not be full, the lowest-ranked agents that have
    sat out least often sit out; that counts as a win.
    """
    met: Met = Counter()
    rests: Counter[int] = Counter()
    points = [0.0] * agents
    drawn: list[Table] = []
    lots = Random(seed).sample(range(agents), agents)
    size = agents // players * games
    of_stage: list[list[Result]] = [[] for _ in range(stage + 1)]
    for result in sorted(results, key=lambda result: result.number):
        if 0 <= result.number < len(of_stage) * size:
            of_stage[result.number // size].append(result)
    for earlier in of_stage:
        ranking = sorted(range(agents), key=lambda agent: (-round(points[agent], 12), lots[agent]))
        ranking.reverse()
        resting = sorted(ranking, key=lambda agent: rests[agent])[: agents % players]
        ranking.reverse()
        drawn = _neighbours([agent for agent in ranking if agent not in resting], players, met)
        _seat_together(drawn, met)
        for agent in resting:
            rests[agent] += 1
            points[agent] += score(1.0)
        for result in earlier:
            for entrant, gained in zip(result.entrants, result.returns, strict=True):
                points[entrant] += score(gained) / games
    return drawn


def _neighbours(ranking: list[int], players: int, met: Met) -> list[Table]:
    """Return tables filled from the top of the ranking; pairs without rematches if possible."""
    if players == 2:
        pairs = _paired(ranking, met, max(TRIES, 20 * len(ranking)))
        if pairs is not None:
            return pairs
    tables: list[Table] = []
    left = list(ranking)
    while left:
        table = [left.pop(0)]
        while len(table) < players:
            nearest = _nearest(table, left, met)
            left.remove(nearest)
            table.append(nearest)
        tables.append(tuple(table))
    return tables


def _nearest(table: Sequence[int], left: Sequence[int], met: Met) -> int:
    """Return the first agent that has met nobody at the table, else that with fewest rematches."""
    nearest, least = left[0], -1
    for agent in left:
        cost = _repeats_with(agent, table, met)
        if not cost:
            return agent
        if cost < least or least < 0:
            nearest, least = agent, cost
    return nearest


def _paired(ranking: Sequence[int], met: Met, tries: int) -> list[Table] | None:
    """Return pairs without rematches, of neighbours where possible.

    None if there are none, or none was found within so many tries. The first agent that is left
    takes the next one that it has not met; where nobody remains for it, the last pair is undone.
    """
    end = len(ranking)  # of the linked list of those who are left; it comes before the first, too
    after, before = [*range(1, end + 1), 0], [end, *range(end)]
    pairs: list[tuple[int, int]] = []
    candidate = after[after[end]]
    while (first := after[end]) != end:
        if candidate == end:
            if not pairs:
                return None
            for place in reversed(pairs[-1]):
                after[before[place]] = before[after[place]] = place
            candidate = after[pairs.pop()[1]]
            continue
        if not tries:
            return None
        tries -= 1
        if _repeats_with(ranking[first], (ranking[candidate],), met):
            candidate = after[candidate]
            continue
        pairs.append((first, candidate))
        for place in pairs[-1]:
            after[before[place]], before[after[place]] = after[place], before[place]
        candidate = after[after[end]]
    return [(ranking[first], ranking[second]) for first, second in pairs]
