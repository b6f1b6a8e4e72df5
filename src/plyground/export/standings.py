"""The result of a tournament as a file: who came where, and why anyone forfeited."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from unicodedata import normalize

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.tournament import Standing
from plyground.errors import BadOption, cleaned

HEADINGS = (
    "rank", "bot", "games", "won", "drawn", "lost", "forfeits", "points", "score", "low", "high",
    "ms a move", "reasons",
)  # fmt: skip
FORFEIT = ("game", "bot", "against", "plies", "reason")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem;
  color: #1f2933; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { padding: .35rem .6rem; text-align: left; border-bottom: 1px solid #dde3ec;
  vertical-align: top }
th { border-bottom: 2px solid #4a5568 }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.absent td { color: #7b8794 }
.fault, .absent .fault { color: #b3262b; overflow-wrap: anywhere }
ul { margin: 0; padding-left: 1.1rem }
@media (prefers-color-scheme: dark) {
  body { color: #e4e7eb; background: #1f2933 }
  th, td { border-color: #3e4c59 }
  .fault, .absent .fault { color: #f29b9b }
}
"""


@dataclass(frozen=True)
class Result:
    """What a tournament came to."""

    title: str
    rows: Sequence[Standing]
    """The best first."""
    names: Sequence[str]
    """By entrant."""
    forfeits: Sequence[Record]
    absent: Sequence[tuple[str, str]]
    """Who could not take part, and why."""
    plan: Tournament | None = None
    """Its options."""
    records: Sequence[Record] = ()
    """All games, by number; those with `faults` had a lenient referee."""

    def reasons(self, name: str) -> Counter[str]:
        """Count why a bot forfeited."""
        return Counter(
            f"{record.ending}: {record.reason}"
            for record in self.forfeits
            if record.fault is not None and self.names[record.entrants[record.fault]] == name
        )


def report_form(path: Path) -> Callable[[Result], str]:
    """Choose the form by the file's ending; an unknown one is an error."""
    forms = {".html": as_html, ".csv": as_csv}
    try:
        return forms[path.suffix.lower()]
    except KeyError:
        raise BadOption(f"{path}: a report is a file ending in {' or '.join(forms)}") from None


def cells(rank: int, row: Standing) -> list[str]:
    """Give the cells of a row but for its reasons."""
    low, high = row.interval
    return [
        str(rank), row.agent, str(row.games), str(row.wins), str(row.draws), str(row.losses),
        str(row.forfeits), f"{row.points:g}", f"{row.score:.3f}", f"{low:.3f}", f"{high:.3f}",
        f"{1000 * row.seconds / max(1, row.moves):.1f}",
    ]  # fmt: skip


def as_csv(result: Result) -> str:
    """Write a row a bot, reasons in the last cell; nothing in it is a formula to a spreadsheet."""
    written = io.StringIO()
    sheet = csv.writer(written, lineterminator="\n")
    sheet.writerow(HEADINGS)
    for rank, row in enumerate(result.rows, start=1):
        counted = result.reasons(row.agent).most_common()
        reasons = "; ".join(f"{count} x {reason}" for reason, count in counted)
        sheet.writerow([_harmless(cell) for cell in (*cells(rank, row), reasons)])
    for name, reason in result.absent:
        empty = [""] * (len(HEADINGS) - 3)
        sheet.writerow([_harmless(cell) for cell in ("", name, *empty, f"not entered: {reason}")])
    return written.getvalue()


def _harmless(cell: str) -> str:
    """Keep a spreadsheet from computing a cell; some of them take wide letters for signs too."""
    cell = cleaned(cell)
    begin = normalize("NFKC", cell).lstrip(" '\"")
    return f"'{cell}" if begin.startswith(("=", "+", "-", "@")) else cell


def as_html(result: Result) -> str:
    """Write a page that needs nothing else."""
    standing = [
        f"<tr>{_cells(HEADINGS, cells(rank, row))}<td class=fault>{_listed(result, row)}</td></tr>"
        for rank, row in enumerate(result.rows, start=1)
    ]
    absent = [
        f"<tr class=absent><td></td><td>{escape(name)}</td><td colspan={len(HEADINGS) - 3}></td>"
        f"<td class=fault>not entered: {escape(reason)}</td></tr>"
        for name, reason in result.absent
    ]
    lines = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width,initial-scale=1'>",
        f"<title>{escape(result.title)}</title><style>{STYLE}</style>",
        f"<h1>{escape(result.title)}</h1>",
        *_table(HEADINGS, standing + absent),
    ]
    if result.forfeits:
        ordered = sorted(result.forfeits, key=_number)
        lines.append("<h2>Every forfeit</h2>")
        lines += _table(FORFEIT, [_forfeit(result, record) for record in ordered])
    return "\n".join(lines) + "\n"


def _table(headings: Sequence[str], rows: Sequence[str]) -> list[str]:
    named = "".join(f"<th{_kind(each)}>{escape(each)}</th>" for each in headings)
    return [f"<table><thead><tr>{named}</tr></thead><tbody>", *rows, "</tbody></table>"]


def _cells(headings: Sequence[str], texts: Sequence[str]) -> str:
    pairs = zip(headings, texts, strict=False)
    return "".join(f"<td{_kind(heading)}>{escape(text)}</td>" for heading, text in pairs)


def _kind(heading: str) -> str:
    return "" if heading in ("bot", "against", "reason", "reasons") else " class=n"


def _listed(result: Result, row: Standing) -> str:
    counted = result.reasons(row.agent).most_common()
    listed = "".join(f"<li>{count} x {escape(reason)}" for reason, count in counted)
    return f"<ul>{listed}</ul>" if listed else ""


def _number(record: Record) -> int:
    return record.number


def _forfeit(result: Result, record: Record) -> str:
    seated = [result.names[entrant] for entrant in record.entrants]
    assert record.fault is not None
    others = ", ".join(name for seat, name in enumerate(seated) if seat != record.fault)
    told = [str(record.number + 1), seated[record.fault], others, str(len(record.actions))]
    reason = f"{record.ending}: {record.reason}"
    return f"<tr>{_cells(FORFEIT, told)}<td class=fault>{escape(reason)}</td></tr>"
