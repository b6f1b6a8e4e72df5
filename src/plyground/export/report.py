"""Reports of studies and searches: tables, plots and remarks, as JSON, as a page and as SVG."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from io import StringIO
from textwrap import fill
from typing import Any, Protocol, Self

from plyground.errors import PlygroundError
from plyground.picture import COLOURS

LINES, MARKERS = (*COLOURS[:7], "#8c8c8c"), list("os^DvP*X")
"""Colours, and beside them marks, by which curves are told apart; yellow is too pale on white."""

Cell = str | int | float | None
"""What a cell of a table holds; None where there is no figure."""


@dataclass(frozen=True)
class Table:
    """Figures side by side: what was reported before, and what was measured now."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Estimate(Protocol):
    """A figure with its interval; a `Standing` is one."""

    @property
    def score(self) -> float: ...

    @property
    def interval(self) -> tuple[float, float]: ...


@dataclass(frozen=True)
class Curve:
    """One line of a plot; `low` and `high` are the bounds of its interval, or empty."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @classmethod
    def of(cls, name: str, x: Iterable[float], estimates: Sequence[Estimate]) -> Self:
        """Return a line through estimates, with their intervals."""
        low, high = zip(*(each.interval for each in estimates), strict=True)
        return cls(name, tuple(x), tuple(each.score for each in estimates), low, high)


@dataclass(frozen=True)
class Plot:
    """Curves over an axis, or one row of points per name."""

    title: str
    across: str
    up: str
    curves: tuple[Curve, ...]
    logarithmic: bool = False
    """Whether the horizontal axis is logarithmic."""
    names: tuple[str, ...] = ()
    """Names of rows: x is then the number of a row, from the top, and y the horizontal axis."""

    def svg(self) -> str:
        """Return the plot as SVG; equal figures make equal files."""
        require_plots()
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        height = 1.2 + len(self.names) * max(0.3, 0.13 * len(self.curves)) if self.names else 4.2
        written = StringIO()
        with rc_context({"svg.hashsalt": self.title}):
            figure = Figure(figsize=(7, height), layout="constrained")
            self._draw(figure)
            figure.savefig(written, format="svg", metadata={"Date": None})
        return written.getvalue()

    def _draw(self, figure: Any) -> None:
        axes = figure.subplots()
        axes.set_prop_cycle(color=LINES, marker=MARKERS, linestyle=["-", "--", ":", "-."] * 2)
        axes.set(title=self.title, xlabel=self.across, ylabel=self.up)
        axes.spines[["top", "right"]].set_visible(False)
        if self.logarithmic:
            axes.set_xscale("log")
        if self.names:
            self._draw_marks(axes)
        else:
            self._draw_lines(axes)
        if len(self.curves) > 1:  # below the axes, where it hides no curve
            columns = 2 if max(len(curve.name) for curve in self.curves) > 24 else 4
            figure.legend(
                frameon=False, loc="outside lower center", ncols=columns, fontsize="small"
            )

    def _draw_lines(self, axes: Any) -> None:
        """Draw each curve as a line, in a band where it has an interval."""
        for curve in self.curves:
            (line,) = axes.plot(curve.x, curve.y, markersize=4, label=curve.name)
            if curve.low:
                axes.fill_between(
                    curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.15, linewidth=0
                )
        axes.grid(alpha=0.3)

    def _draw_marks(self, axes: Any) -> None:
        """Draw each curve's points in the rows of the names, a little below the curve before."""
        for number, curve in enumerate(self.curves):
            beside = (number - (len(self.curves) - 1) / 2) * 0.6 / len(self.curves)
            places = [place + beside for place in curve.x]
            (marks,) = axes.plot(curve.y, places, linestyle="", markersize=4, label=curve.name)
            if curve.low:
                axes.hlines(places, curve.low, curve.high, color=marks.get_color(), linewidth=1)
        axes.set_yticks(range(len(self.names)), [fill(name, 36) for name in self.names])
        axes.set_ylim(len(self.names) - 0.5, -0.5)
        axes.grid(alpha=0.3, axis="x")


def require_plots() -> None:
    """Raise an error where matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise PlygroundError("plots need more: pip install 'plyground[plot]'")


@dataclass(frozen=True)
class Report:
    """The result of a study or a search: the record from which its page is made."""

    name: str
    title: str
    about: str
    """The question, and how the original study tried to answer it."""
    command: str
    """The command that runs it again."""
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...]
    remarks: tuple[str, ...]
    """What the tables show, one sentence each."""
    seconds: float
    version: str

    def to_json(self) -> str:
        """Return the record as text."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        data["tables"] = tuple(
            Table(each["title"], tuple(each["headings"]), tuple(map(tuple, each["rows"])))
            for each in data["tables"]
        )
        data["plots"] = tuple(_plot(each) for each in data["plots"])
        return cls(**data | {"remarks": tuple(data["remarks"])})

    def page(self, notes: str = "") -> str:
        """Return the page in Markdown; plots are files beside it, named as by `pictures`.

        Notes are what the author adds that cannot be computed from the tables.
        """
        return "\n".join(self._lines(notes))

    def pictures(self) -> dict[str, str]:
        """Return the plots: each file's name and its SVG."""
        return {f"{self.name}-{number}.svg": plot.svg() for number, plot in enumerate(self.plots)}

    def _lines(self, notes: str) -> Iterator[str]:
        yield f"# {self.title}\n"
        yield f"{self.about}\n"
        for table in self.tables:
            yield f"## {table.title}\n"
            yield _row(table.headings)
            yield _row(["---"] + ["---:"] * (len(table.headings) - 1))
            yield from (_row([written(cell) for cell in row]) for row in table.rows)
            yield ""
        for number, plot in enumerate(self.plots):
            yield f"![{plot.title}]({self.name}-{number}.svg)\n"
        if self.remarks:
            yield "## What the tables show\n"
            yield "\n".join(f"- {remark}" for remark in self.remarks) + "\n"
        if notes:
            yield f"## Notes\n\n{notes.strip()}\n"
        yield f"Made by `{self.command}` in {self.seconds:,.0f} s with version {self.version}."
        yield f"The record is [{self.name}.json]({self.name}.json).\n"


def written(cell: Cell) -> str:
    """Return a figure as text, rounded for a reader."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plot(data: dict[str, Any]) -> Plot:
    curves = tuple(
        Curve(each["name"], *(tuple(each[name]) for name in ("x", "y", "low", "high")))
        for each in data["curves"]
    )
    return Plot(**data | {"curves": curves, "names": tuple(data.get("names", ()))})
