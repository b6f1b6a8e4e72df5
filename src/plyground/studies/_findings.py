"""What tables of figures show: sentences that claim no more than the intervals allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from plyground.export.report import Cell, Table, written

NO_DIFFERENCE = "no difference shown"
"""What is said wherever two intervals of 95% overlap."""

_INTERVAL = re.compile(r"([-+]?\d+(?:\.\d+)?)%? to ([-+]?\d+(?:\.\d+)?)%?")


class Figure(NamedTuple):
    """A measured figure, and the interval in which the true one lies with 95%."""

    name: str
    told: str
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.name} ({self.told})"


def figure(name: Cell, told: Cell, interval: Cell) -> Figure:
    """Read a figure from the cells of a table."""
    found = _INTERVAL.search(str(interval))
    if found is None:
        raise ValueError(f"{interval!r} is no interval")
    return Figure(written(name), written(told), float(found[1]), float(found[2]))


def figures(
    table: Table, score: str, interval: str = "95% interval", name: str | None = None
) -> list[Figure]:
    """Read the figures of the rows that have an interval; the first column names them."""
    names, told, bounds = (
        0 if heading is None else table.headings.index(heading)
        for heading in (name, score, interval)
    )
    return [
        figure(row[names], row[told], row[bounds]) for row in table.rows if row[bounds] is not None
    ]


def comparison(one: Figure, other: Figure) -> str:
    """Return which of two figures is higher, if their intervals show it."""
    if one.low > other.high:
        return f"{one} is above {other}"
    if other.low > one.high:
        return f"{one} is below {other}"
    return f"{one} and {other}: {NO_DIFFERENCE}"


def leader(found: Sequence[Figure], where: str) -> str:
    """Return which figure is the highest, and which others might be."""
    best = max(found, key=lambda each: (each.low + each.high, each.high))
    near = [each for each in found if each is not best and each.high >= best.low]
    if len(found) == 1:
        return f"{where}: {best}"
    if not near:
        return f"{where}: {best} is above all others"
    told = "any other" if len(near) == len(found) - 1 else listed(each.name for each in near)
    return f"{where}: the highest is {best}; {NO_DIFFERENCE} to {told}"


def steps(found: Sequence[Figure]) -> str:
    """Return between which neighbours of an ordered list the figure changes."""
    pairs = list(pairwise(found))
    rises = [f"from {one.name} to {two.name}" for one, two in pairs if two.low > one.high]
    falls = [f"from {one.name} to {two.name}" for one, two in pairs if two.high < one.low]
    told = [f"{verb} {listed(way)}" for verb, way in (("rises", rises), ("falls", falls)) if way]
    if not told:
        return f"between neighbours {NO_DIFFERENCE}"
    others = f"; between other neighbours {NO_DIFFERENCE}" * (len(rises + falls) < len(pairs))
    return f"{' and '.join(told)}{others}"


def listed(texts: Iterable[str]) -> str:
    """Join texts by commas and an `and`, or by semicolons where they have commas of their own."""
    *first, last = texts
    if any("," in each for each in (*first, last)):
        return "; ".join((*first, last))
    return f"{', '.join(first)} and {last}" if first else last


def sentence(text: str) -> str:
    """Write what was found as a sentence; a name such as `empty_room` stays as it is."""
    is_name = "_" in text.split()[0]
    return f"{text if is_name else text[0].upper() + text[1:]}."
