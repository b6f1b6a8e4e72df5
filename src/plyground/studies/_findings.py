"""Sentences about tables of figures, which claim no more than the intervals allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from plyground.export.report import Cell, Table, written

NO_DIFFERENCE = "no difference shown"
"""The conclusion wherever two intervals of 95% overlap."""

_INTERVAL = re.compile(r"([-+]?\d+(?:\.\d+)?)%? to ([-+]?\d+(?:\.\d+)?)%?")


class Figure(NamedTuple):
    """A measured figure with its 95% confidence interval."""

    name: str
    text: str
    """The figure as the table shows it."""
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.name} ({self.text})"


def figure(name: Cell, value: Cell, interval: Cell) -> Figure:
    """Return the figure in the cells of a table."""
    match = _INTERVAL.search(str(interval))
    if match is None:
        raise ValueError(f"{interval!r} is not an interval such as '1% to 2%'")
    return Figure(written(name), written(value), float(match[1]), float(match[2]))


def figures(
    table: Table, score: str, interval: str = "95% interval", name: str | None = None
) -> list[Figure]:
    """Return the figures of the rows that have an interval.

    The parameters are headings of columns; by default the first column is the name.
    """
    names, values, bounds = (
        0 if heading is None else table.headings.index(heading)
        for heading in (name, score, interval)
    )
    return [
        figure(row[names], row[values], row[bounds])
        for row in table.rows
        if row[bounds] is not None
    ]


def comparison(one: Figure, other: Figure) -> str:
    """Return a sentence about which of two figures is higher, if their intervals do not overlap."""
    if one.low > other.high:
        return f"{one} is above {other}"
    if other.low > one.high:
        return f"{one} is below {other}"
    return f"{one} and {other}: {NO_DIFFERENCE}"


def leader(candidates: Sequence[Figure], where: str) -> str:
    """Return a sentence about the highest figure, and those whose intervals overlap with it."""
    best = max(candidates, key=lambda figure: (figure.low + figure.high, figure.high))
    near = [figure for figure in candidates if figure is not best and figure.high >= best.low]
    if len(candidates) == 1:
        return f"{where}: {best}"
    if not near:
        return f"{where}: {best} is above all others"
    all_near = len(near) == len(candidates) - 1
    others = "any other" if all_near else listed(figure.name for figure in near)
    return f"{where}: the highest is {best}; {NO_DIFFERENCE} to {others}"


def steps(ordered: Sequence[Figure]) -> str:
    """Return a sentence about the neighbours in an ordered list between which figures differ."""
    pairs = list(pairwise(ordered))
    rises = [f"from {one.name} to {two.name}" for one, two in pairs if two.low > one.high]
    falls = [f"from {one.name} to {two.name}" for one, two in pairs if two.high < one.low]
    changes = [f"{verb} {listed(way)}" for verb, way in (("rises", rises), ("falls", falls)) if way]
    if not changes:
        return f"between neighbours {NO_DIFFERENCE}"
    others = f"; between other neighbours {NO_DIFFERENCE}" * (len(rises + falls) < len(pairs))
    return f"{' and '.join(changes)}{others}"


def listed(texts: Iterable[str]) -> str:
    """Return texts joined by commas and `and`; by semicolons if they contain commas."""
    *first, last = texts
    if any("," in text for text in (*first, last)):
        return "; ".join((*first, last))
    return f"{', '.join(first)} and {last}" if first else last


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop; a name such as `empty_room` is not changed."""
    is_name = "_" in text.split()[0]
    return f"{text if is_name else text[0].upper() + text[1:]}."
