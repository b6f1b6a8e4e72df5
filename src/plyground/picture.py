"""Pictures of positions: shapes written as SVG, and coloured rows of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import NamedTuple

from plyground.text import cleaned

Span = tuple[str, str]
"""A piece of terminal text and its style in the notation of `rich`; "" is plain."""

Rows = list[list[Span]]

Click = int | str
"""One click of a person: the number of a cell, or the text of a choice beside the picture."""

Area = tuple[float, float, float, float]
"""A rectangle: x and y of its upper left corner, width, height."""

COLOURS = (
    "#0072b2", "#d55e00", "#cc79a7", "#333333", "#e69f00", "#009e73", "#56b4e9", "#f0e442",
)  # fmt: skip
"""The players' colours, by seat: the palette of Okabe and Ito, safe for colour-blind people.

Pictures still write a letter or a number beside each colour."""

PANEL, INK, FAINT = "#ffffff", "#2e3440", "#5b6472"
"""The background of a picture and the colours of its text, on dark and light pages alike."""

NAMES = tuple(f"player {seat}" for seat in range(1, 9))

STRIP = 0.9
"""Height of the strip below a board that holds its caption."""


class Piece(NamedTuple):
    """A group of shapes with a name of its own, drawn round the point (x, y)."""

    name: str
    x: float
    y: float
    inside: str


@dataclass
class Picture:
    """A drawing of `width` by `height` units; later shapes lie on top of earlier ones."""

    width: float
    height: float
    title: str = ""
    shapes: list[str] = field(default_factory=list)
    pieces: dict[int, Piece] = field(default_factory=dict)
    """The pieces among the shapes, by their index."""
    areas: dict[int, Area] = field(default_factory=dict)
    """The area of each cell that a person can click."""
    colours: tuple[str, ...] = COLOURS
    """Each player's colour, by seat; pages use it for the player's moves and charts too."""
    marks: Sequence[str] = "12345678"
    """The letters on the players' tokens, by seat."""
    turnable: bool = True
    """Whether it can be shown turned round, from the other player's side; not where things fall."""

    @contextmanager
    def piece(self, name: str, x: float, y: float) -> Iterator[None]:
        """Draw a piece at (x, y); inside the `with` block that point is the origin (0, 0).

        The shapes drawn in the block become one group. A piece that keeps its name from position
        to position can be animated by a page.
        """
        outside, self.shapes = (self.shapes, self.pieces), []
        self.pieces = {}
        yield
        inside = "".join(self.shapes)
        self.shapes, self.pieces = outside
        transform = f"translate({_number(x)} {_number(y)})"
        self.pieces[len(self.shapes)] = Piece(name, x, y, inside)
        self.shapes.append(f'<g data-id="{escape(name)}" transform="{transform}">{inside}</g>')

    def panel(self) -> None:
        """Draw the background of the whole picture, so that text can be read on any page."""
        self.rectangle(0, 0, self.width, self.height, PANEL, corner=0.3)

    def caption(self, words: str, fill: str = "", mark: str = "", *, row: int = 0) -> None:
        """Write a caption in a strip below the board, beside a token in the colour `fill`.

        `row` counts the strips from the bottom of the picture.
        """
        y = self.height - STRIP * (row + 0.5)
        size = fitting(words, self.width - 1.4, 0.45)
        if not fill:
            self.text(self.width / 2, y, words, INK, size)
            return
        left = (self.width - 0.75 - LETTER * size * len(words)) / 2
        self.token(left + 0.27, y, fill, mark)
        self.text(left + 0.75, y, words, INK, size, anchor="start")

    def token(self, x: float, y: float, fill: str, mark: str) -> None:
        """Draw the disc that stands for a player or a piece in captions and lists."""
        self.circle(x, y, 0.27, fill, edge=FAINT, line=0.03)
        self.text(x, y, mark, ink_on(fill), 0.34)

    def turn(
        self,
        marks: Sequence[str],
        player: int,
        returns: Sequence[float] | None,
        *,
        names: Sequence[str] = NAMES,
        row: int = 0,
    ) -> None:
        """Write who is to move, or who won: `returns` is None until the game is over.

        `marks` are the letters on the players' tokens and `names` the players' names, by seat.
        """
        self.marks = marks
        if returns is None:
            self.caption(f"{names[player]} to move", self.colours[player], marks[player], row=row)
            return
        winners = [seat for seat, gained in enumerate(returns) if gained == max(returns)]
        if len(winners) == len(returns) > 1:
            self.caption("a draw", row=row)
        else:
            words = " and ".join(names[seat] for seat in winners)
            outcome = "won" if max(returns) > 0 else "lost"
            mark = self.colours[winners[0]], marks[winners[0]]
            self.caption(f"{words} {outcome}", *mark, row=row)

    def area(self, cell: int, x: float, y: float, width: float, height: float) -> None:
        """Record the area of a cell, with its upper left corner at (x, y); nothing is drawn."""
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

    def text(
        self, x: float, y: float, words: str, colour: str, size: float, *, anchor: str = "middle"
    ) -> None:
        """Write text centred on (x, y), or starting there if the anchor is "start"."""
        self._add(
            "text", escape(cleaned(words)), x=x, y=y, fill=colour, font_size=size,
            font_family="system-ui, sans-serif", text_anchor=anchor, dominant_baseline="central",
        )  # fmt: skip

    def svg(self, scale: float = 40, *, areas: bool = False) -> str:
        """Return the picture as one SVG element, `scale` pixels to the unit.

        With `areas` an invisible rectangle with the attribute `data-cell` lies over each cell.
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
        self.shapes.append(_element(tag, inside, tuple(attributes.items())))


@lru_cache(maxsize=20_000)
def _element(tag: str, inside: str, attributes: tuple[tuple[str, float | str], ...]) -> str:
    """Return an element; most of a board is drawn again after every move, hence the cache."""
    written = "".join(
        f' {name.replace("_", "-")}="{_number(value)}"'
        for name, value in attributes
        if value not in (0, "none")
        or name in ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "fill")
    )
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"


def _number(value: float | str) -> str:
    """Return an attribute's value; adding 0 turns -0.0 into 0.0, which a cache takes for equal."""
    return escape(value) if isinstance(value, str) else f"{value + 0:.4g}"


LETTER = 0.52
"""Average width of a letter as a share of the font size."""


def fitting(words: str, width: float, size: float) -> float:
    """Return the largest font size up to `size` at which the words are at most `width` wide."""
    return min(size, width / (LETTER * max(1, len(words))))


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour "#rrggbb", from 0 to 1, as WCAG defines it."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(colour: str) -> str:
    """Return black or white, whichever is easier to read on a colour."""
    return "#ffffff" if luminance(colour) < 0.19 else "#111111"


def tint(colour: str, share: float) -> str:
    """Return a mix of `share` of a colour "#rrggbb" and the rest white."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)


def plain(rows: Rows) -> str:
    """Return rows as plain text, without their colours."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


def grid(rows: Rows, title: str = "") -> Picture:
    """Return a picture of terminal rows, for a game without a drawing of its own."""
    lines = plain(rows).split("\n")
    width = max(6.0, max(map(len, lines)) * 0.6 + 1)
    picture = Picture(width, len(lines) + 1 + STRIP, title, turnable=False)
    picture.panel()
    for y, line in enumerate(lines):
        for x, letter in enumerate(line):
            if letter != " ":
                picture.text(0.8 + 0.6 * x, 1 + y, letter, INK, 0.9)
    return picture
