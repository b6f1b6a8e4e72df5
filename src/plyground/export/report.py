"""Reports of studies and tuning: tables, plots and remarks, as JSON, Markdown and SVG."""

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
"""Colours and markers that distinguish curves; yellow is left out, too pale on white."""

Cell = str | int | float | None
"""The content of a table's cell; None if there is no figure."""


@dataclass(frozen=True)
class Table:
    """A table, for instance of figures reported by a study beside those measured now."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Estimate(Protocol):
    """A figure with its interval; every `Standing` is one."""

    @property
    def score(self) -> float: ...

    @property
    def interval(self) -> tuple[float, float]: ...


@dataclass(frozen=True)
class Curve:
    """One line of a plot; `low` and `high` are the bounds of its intervals, or empty."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @classmethod
    def of(cls, name: str, x: Iterable[float], estimates: Sequence[Estimate]) -> Self:
        """Return a line through estimates, with their intervals."""
        low, high = zip(*(estimate.interval for estimate in estimates), strict=True)
        return cls(name, tuple(x), tuple(estimate.score for estimate in estimates), low, high)


@dataclass(frozen=True)
class Plot:
    """Curves over an axis, or one row of points per name."""

    title: str
    across: str
    """Label of the horizontal axis."""
    up: str
    """Label of the vertical axis."""
    curves: tuple[Curve, ...]
    logarithmic: bool = False
    """Whether the horizontal axis is logarithmic."""
    names: tuple[str, ...] = ()
    """Names of rows; x is then the number of the row, from the top, and y is drawn across."""

    def svg(self) -> str:
        """Return the plot as SVG; equal plots have equal files."""
        require_plots()
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        height = 1.2 + len(self.names) * max(0.3, 0.13 * len(self.curves)) if self.names else 4.2
        output = StringIO()
        with rc_context({"svg.hashsalt": self.title}):
            figure = Figure(figsize=(7, height), layout="constrained")
            self._draw(figure)
            figure.savefig(output, format="svg", metadata={"Date": None})
        return output.getvalue()

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
        if len(self.curves) > 1:  # the legend is below the axes, so that it hides no curve
            columns = 2 if max(len(curve.name) for curve in self.curves) > 24 else 4
            figure.legend(
                frameon=False, loc="outside lower center", ncols=columns, fontsize="small"
            )

    def _draw_lines(self, axes: Any) -> None:
        """Draw each curve as a line, with a band if it has intervals."""
        for curve in self.curves:
            (line,) = axes.plot(curve.x, curve.y, markersize=4, label=curve.name)
            if curve.low:
                axes.fill_between(
                    curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.15, linewidth=0
                )
        axes.grid(alpha=0.3)

    def _draw_marks(self, axes: Any) -> None:
        """Draw each curve's points in the rows of the names, slightly below those of the last."""
        for number, curve in enumerate(self.curves):
            shift = (number - (len(self.curves) - 1) / 2) * 0.6 / len(self.curves)
            rows = [row + shift for row in curve.x]
            (marks,) = axes.plot(curve.y, rows, linestyle="", markersize=4, label=curve.name)
            if curve.low:
                axes.hlines(rows, curve.low, curve.high, color=marks.get_color(), linewidth=1)
        axes.set_yticks(range(len(self.names)), [fill(name, 36) for name in self.names])
        axes.set_ylim(len(self.names) - 0.5, -0.5)
        axes.grid(alpha=0.3, axis="x")


def require_plots() -> None:
    """Raise an error if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise PlygroundError("plots need matplotlib: pip install 'plyground[plot]'")


@dataclass(frozen=True)
class Report:
    """The result of a study or of tuning, from which its page is made."""

    name: str
    title: str
    about: str
    """The question, and how the original study tried to answer it."""
    command: str
    """The command that repeats it."""
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...]
    remarks: tuple[str, ...]
    """What the tables show, one sentence each."""
    seconds: float
    version: str

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the report that `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        data["tables"] = tuple(
            Table(table["title"], tuple(table["headings"]), tuple(map(tuple, table["rows"])))
            for table in data["tables"]
        )
        data["plots"] = tuple(map(_plot, data["plots"]))
        return cls(**data | {"remarks": tuple(data["remarks"])})

    def page(self, notes: str = "") -> str:
        """Return the page in Markdown; plots are files beside it, with the names of `pictures`.

        Notes are the author's own text, which is not computed from the tables.
        """
        return "\n".join(self._lines(notes))

    def pictures(self) -> dict[str, str]:
        """Return the plots as SVG, by file name."""
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
    """Return a cell as text, with figures rounded for readers."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plot(data: dict[str, Any]) -> Plot:
    curves = tuple(
        Curve(curve["name"], *(tuple(curve[name]) for name in ("x", "y", "low", "high")))
        for curve in data["curves"]
    )
    return Plot(**data | {"curves": curves, "names": tuple(data.get("names", ()))})
