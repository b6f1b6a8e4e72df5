"""Compare sides by CPU time: interleaved rounds, and the median of each side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import process_time

SHORTEST = 0.3
"""CPU seconds that a measurement takes at least: short work is repeated."""

LONGEST = 15.0
"""CPU seconds of a measurement after which a side is not measured again."""

Work = Callable[[int, int], int]
"""Function that does work of a size from a seed, and returns the units done."""


@dataclass(frozen=True)
class Side:
    """One library at one task; `prepare` imports it and is not measured."""

    name: str
    package: str
    how: str
    prepare: Callable[[], Work]
    size: int
    warm_up: int
    """A size at which everything is compiled and loaded."""


@dataclass(frozen=True)
class Task:
    """One kind of work; `ours` is compared with every one of `peers`."""

    name: str
    title: str
    ours: Side
    peers: tuple[Side, ...]


@dataclass(frozen=True)
class Result:
    """The figures of one task, in units per CPU second, one per round."""

    task: Task
    figures: dict[Side, list[float]] = field(default_factory=dict)
    missing: dict[Side, str] = field(default_factory=dict)
    """The peers that could not be imported, and why."""

    def figure(self, side: Side) -> float:
        return median(self.figures[side])

    def ratio(self, peer: Side) -> float:
        return self.figure(self.task.ours) / self.figure(peer)

    @property
    def peers(self) -> list[Side]:
        """The peers that were measured."""
        return [side for side in self.task.peers if side in self.figures]


def run(
    task: Task,
    rounds: int,
    report: Callable[[str], None],
    clock: Callable[[], float] = process_time,
) -> Result:
    """Measure every side of a task once per round; `report` receives a line per measurement."""
    result = Result(task)
    works: dict[Side, Work] = {}
    for side in (task.ours, *task.peers):
        try:
            works[side] = side.prepare()
        except ImportError as error:
            result.missing[side] = str(error)
    if len(works) == 1:  # ours alone: there is nothing to compare with
        return result
    for side, work in works.items():
        work(side.warm_up, 0)
    slow: set[Side] = set()
    for number in range(1, rounds + 1):
        for side, work in works.items():
            if side in slow:
                continue
            done, seconds = _measure(side, work, number, clock)
            result.figures.setdefault(side, []).append(done / seconds)
            if seconds > LONGEST:
                slow.add(side)
            figure = show(done / seconds)
            report(f"{task.title}, round {number} of {rounds}: {side.name} {figure}/s")
    return result


def _measure(side: Side, work: Work, number: int, clock: Callable[[], float]) -> tuple[int, float]:
    """Repeat the work with new seeds for long enough; return the units done and the seconds."""
    done = repeats = 0
    began = clock()
    while (seconds := clock() - began) < SHORTEST:
        done += work(side.size, 1_000_000 * number + repeats)
        repeats += 1
    return done, seconds


def show(figure: float) -> str:
    """Return a figure with three digits, or with all digits before the point."""
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"
