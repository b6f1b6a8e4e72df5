"""Pictures of positions: shapes on a plane, written as SVG; and coloured rows for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape

from plyground.errors import cleaned

Span = tuple[str, str]
"""A piece of terminal text and its style in rich's words ("" is plain)."""

Rows = list[list[Span]]

Click = int | str
"""Something to point at: a cell of the picture, or a choice offered beside it."""

Area = tuple[float, float, float, float]
"""A rectangle: x and y of its upper left corner, width, height."""


@dataclass
class Picture:
    """A drawing of `width` by `height` units; later shapes lie on top of earlier ones."""

    width: float
    height: float
    title: str = ""
    shapes: list[str] = field(default_factory=list)
    areas: dict[int, Area] = field(default_factory=dict)
    """Where each cell lies: what a person can point at."""

    @contextmanager
    def piece(self, name: str, x: float, y: float) -> Iterator[None]:
        """Draw a piece round (x, y), which what is drawn inside `with` takes for (0, 0).

        The piece is one shape. It keeps its name from position to position of a line of play, so
        that a page can move it from where it was.
        """
        outside, self.shapes = self.shapes, []
        yield
        inside, self.shapes = "".join(self.shapes), outside
        place = f"translate({_number(x)} {_number(y)})"
        self.shapes.append(f'<g data-id="{escape(name)}" transform="{place}">{inside}</g>')

    def area(self, cell: int, x: float, y: float, width: float, height: float) -> None:
        """Note where a cell lies, by its upper left corner (x, y); nothing is drawn."""
        self.areas[cell] = x, y, width, height

    def rectangle(
        self, x: float, y: float, width: float, height: float, fill: str, *, corner: float = 0
    ) -> None:
        """Draw a filled rectangle whose upper left corner is (x, y)."""
        self._add("rect", x=x, y=y, width=width, height=height, rx=corner, fill=fill)

    def circle(
        self, x: float, y: float, radius: float, fill: str, *, edge: str = "none", line: float = 0
    ) -> None:
        """Draw a circle round (x, y), with an edge `line` units wide."""
        self._add("circle", cx=x, cy=y, r=radius, fill=fill, stroke=edge, stroke_width=line)

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str, width: float) -> None:
        """Draw a line with round ends."""
        self._add(
            "line", x1=x, y1=y, x2=to_x, y2=to_y,
            stroke=colour, stroke_width=width, stroke_linecap="round",
        )  # fmt: skip

    def text(self, x: float, y: float, words: str, colour: str, size: float) -> None:
        """Write words centred on (x, y)."""
        self._add(
            "text", escape(cleaned(words)), x=x, y=y, fill=colour, font_size=size,
            font_family="system-ui, sans-serif", text_anchor="middle", dominant_baseline="central",
        )  # fmt: skip

    def svg(self, scale: float = 40, *, areas: bool = False) -> str:
        """Write the picture as one SVG element, `scale` pixels to the unit.

        With `areas` an unseen rectangle with the attribute `data-cell` lies over each cell.
        """
        box = f"0 0 {_number(self.width)} {_number(self.height)}"
        size = f'width="{_number(self.width * scale)}" height="{_number(self.height * scale)}"'
        title = f"<title>{escape(cleaned(self.title))}</title>" if self.title else ""
        inside = "".join(self.shapes) + (self._targets() if areas else "")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size}>{title}{inside}</svg>'
        )

    def _targets(self) -> str:
        written = (
            f'<rect data-cell="{cell}" x="{x:.4g}" y="{y:.4g}" width="{w:.4g}" height="{h:.4g}"/>'
            for cell, (x, y, w, h) in self.areas.items()
        )
        # "fill", not "all": that would count a stroke one unit wide, though none is drawn.
        return f'<g fill="none" pointer-events="fill">{"".join(written)}</g>'

    def _add(self, tag: str, inside: str = "", **attributes: float | str) -> None:
        written = "".join(
            f' {name.replace("_", "-")}="{_number(value)}"'
            for name, value in attributes.items()
            if value not in (0, "none")
            or name in ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "fill")
        )
        self.shapes.append(f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>")


def _number(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.4g}"


def plain(rows: Rows) -> str:
    """Write rows without their colours."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


def grid(rows: Rows, title: str = "") -> Picture:
    """Draw rows letter by letter: the picture of a game that has none of its own."""
    lines = plain(rows).split("\n")
    picture = Picture(max(map(len, lines)) * 0.6 + 1, len(lines) + 1, title)
    picture.rectangle(0, 0, picture.width, picture.height, "#f6f4ee", corner=0.3)
    for y, line in enumerate(lines):
        for x, letter in enumerate(line):
            if letter != " ":
                picture.text(0.8 + 0.6 * x, 1 + y, letter, "#222", 0.9)
    return picture
