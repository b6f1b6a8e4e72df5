"""The curve of a training: one row of figures per report, as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

CURVE = "curve.jsonl"


class Progress(NamedTuple):
    """What is known of a training under way; a row of its curve."""

    step: int
    seconds: float
    share: float
    """How much of the training is done, from 0 to 1."""
    samples: int
    """How many samples were taken up so far, in how many games."""
    games: int
    evaluations: int
    """Evaluations by the network in games of self-play."""
    policy: float
    """The losses of policy and value, and how often the likeliest action was the best."""
    value: float
    hits: float
    score: float | None = None
    """How the network plays, where it was compared, and the 95% interval: see
    `selection.Verdict`."""
    low: float | None = None
    high: float | None = None
    kept: bool = False

    def write(self, file: TextIO) -> None:
        """Append the row to a curve."""
        print(json.dumps(self._asdict()), file=file, flush=True)


@contextmanager
def open_curve(folder: Path) -> Iterator[TextIO]:
    """Open a training's curve to append rows; a row that was cut short by a kill is removed."""
    path = folder / CURVE
    if path.exists():
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            with path.open("r+b") as file:
                file.truncate(whole)
    with path.open("a") as file:
        yield file


def read_curve(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a training's curve, without those of steps that were made again.

    Damaged rows are left out.
    """
    rows: list[dict[str, Any]] = []
    for line in (folder / CURVE).read_text(errors="replace").splitlines():
        row = _row(line)
        if row is None:
            continue
        while rows and rows[-1]["step"] >= row["step"]:
            rows.pop()
        rows.append(row)
    return rows


def _row(line: str) -> dict[str, Any] | None:
    """Return a row; None if the line is none."""
    try:
        row: dict[str, Any] = json.loads(line)
        progress = Progress(**row)
    except (ValueError, TypeError, RecursionError):
        return None
    verdict = progress.score, progress.low, progress.high
    numbers = [each for name, each in row.items() if name not in ("score", "low", "high")]
    if verdict != (None, None, None):
        numbers += verdict
    return row if all(isinstance(each, int | float) for each in numbers) else None
