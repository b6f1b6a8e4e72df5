"""Pictures for a page: shapes with ids, and the operations that lead from one to the next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from plyground.picture import Picture

Operation = dict[str, Any]
"""One step from a picture to the next, as plain data; see docs/site-protocol.md."""


class Shape(NamedTuple):
    """A part of a picture that a page adds, moves and removes as a whole."""

    id: str
    x: float
    y: float
    svg: str
    is_piece: bool

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json`."""
        return {"id": self.id, "x": self.x, "y": self.y, "svg": self.svg}


@dataclass(frozen=True)
class Drawing:
    """A picture as a page knows it."""

    box: tuple[float, float]
    areas: tuple[tuple[float, ...], ...]
    """Number, x, y, width and height of each cell that can be clicked."""
    shapes: tuple[Shape, ...]
    """In the order in which they are drawn; their ids are distinct."""

    @classmethod
    def of(cls, picture: Picture) -> Drawing:
        """Return the drawing of a picture; what is no piece gets an id made from its content."""
        seen: Counter[str] = Counter()
        shapes = []
        for index, svg in enumerate(picture.shapes):
            piece = picture.pieces.get(index)
            if piece is None:
                shape = Shape(_content_id(svg), 0.0, 0.0, svg, False)
            else:
                shape = Shape(piece.name, _rounded(piece.x), _rounded(piece.y), piece.inside, True)
            seen[shape.id] += 1
            again = seen[shape.id]
            shapes.append(shape if again == 1 else shape._replace(id=f"{shape.id}+{again}"))
        areas = tuple((cell, *map(_rounded, area)) for cell, area in sorted(picture.areas.items()))
        return cls((_rounded(picture.width), _rounded(picture.height)), areas, tuple(shapes))

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json`."""
        return {
            "box": self.box,
            "areas": self.areas,
            "shapes": [shape.to_json() for shape in self.shapes],
        }

    def pieces(self) -> Drawing:
        """Return the drawing without what is no piece."""
        return Drawing(self.box, self.areas, tuple(s for s in self.shapes if s.is_piece))


@lru_cache(maxsize=20_000)
def _content_id(svg: str) -> str:
    return f"-{blake2b(svg.encode(), digest_size=6).hexdigest()}"


def operations(before: Drawing, after: Drawing) -> list[Operation]:
    """Return the operations that turn one drawing into another."""
    if before.box != after.box or before.areas != after.areas:
        return [{"do": "redraw", **after.to_json()}]
    old = {shape.id: shape for shape in before.shapes}
    new = {shape.id: shape for shape in after.shapes}
    steps: list[Operation] = [{"do": "remove", "id": name} for name in old if name not in new]
    order = [name for name in old if name in new]
    kept = _longest_ascending(order, {name: index for index, name in enumerate(new)})
    following: str | None = None
    placed: list[Operation] = []
    for shape in reversed(after.shapes):  # from the top: the shape above is in its place already
        if shape.id not in old:
            placed.append({"do": "add", **shape.to_json(), "before": following})
        elif shape.id not in kept:
            placed.append({"do": "order", "id": shape.id, "before": following})
        following = shape.id
    steps += placed
    for shape in after.shapes:
        was = old.get(shape.id)
        if was is not None and was.svg != shape.svg:
            steps.append({"do": "set", "id": shape.id, "svg": shape.svg})
        if was is not None and (was.x, was.y) != (shape.x, shape.y):
            steps.append({"do": "move", "id": shape.id, "x": shape.x, "y": shape.y})
    return steps


def _longest_ascending(names: list[str], rank: dict[str, int]) -> set[str]:
    """Return the largest set of ids that can stay where they are while the others move."""
    lasts: list[str] = []
    """The id of least rank that ends an ascending row, by the row's length."""
    before: dict[str, str | None] = {}
    for name in names:
        low, high = 0, len(lasts)
        while low < high:
            middle = (low + high) // 2
            if rank[lasts[middle]] < rank[name]:
                low = middle + 1
            else:
                high = middle
        before[name] = lasts[low - 1] if low else None
        lasts[low : low + 1] = [name]
    kept: set[str] = set()
    last = lasts[-1] if lasts else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _rounded(number: float) -> float:
    """Return a number with the digits that are written in an SVG."""
    return float(f"{number:.4g}")
