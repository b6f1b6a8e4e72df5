"""The result of a tournament: standings and reasons of forfeits, as HTML or CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from unicodedata import normalize

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.repeats import Repeats
from plyground.arena.scores import count_sides, score_against
from plyground.arena.tournament import Standing, plain_number
from plyground.errors import OptionError
from plyground.export.tournament import tournament_page
from plyground.games import load_game
from plyground.text import cleaned

HEADINGS = (
    "rank", "bot", "games", "won", "drawn", "lost", "first places", "forfeits", "faults", "points",
    "points/game", "score", "low", "high", "ms/move", "reasons",
)  # fmt: skip


@dataclass
class Meeting:
    """The sum of the scores of one agent against another."""

    points: float = 0.0
    games: int = 0


@dataclass(frozen=True)
class Result:
    """The result of a tournament."""

    title: str
    rows: Sequence[Standing]
    """Standings, best first."""
    names: Sequence[str]
    """Names by entrant."""
    forfeits: Sequence[Record]
    absent: Sequence[tuple[str, str]]
    """Name and reason of each bot that could not take part."""
    plan: Tournament | None = None
    records: Sequence[Record] = ()
    """All games, by number."""

    @property
    def sides(self) -> int:
        """The number of players, or of teams, in a game."""
        if self.plan is None:
            return 2
        facts = load_game(self.plan.game).facts
        return count_sides(facts.players, facts.teams)

    def reasons(self, entrant: int) -> Counter[str]:
        """Return the reasons of a bot's forfeits and of its faults that cost no game, counted."""
        counts = Counter(
            f"{record.ending}: {record.reason}"
            for record in self.forfeits
            if record.fault is not None and record.entrants[record.fault] == entrant
        )
        for record in self.records:
            for _, seat, kind, reason in record.faults:
                if record.entrants[seat] == entrant:
                    counts[f"move replaced by the referee, {kind}: {reason}"] += 1
        return counts

    def cross_table(self) -> dict[tuple[int, int], Meeting]:
        """Return what each bot scored against each other bot, by the numbers of the entrants.

        Games that repeat others are left out, as in the standings.
        """
        if self.plan is None:
            return {}
        facts = load_game(self.plan.game).facts
        repeats, options = Repeats(facts), self.plan.changed()
        counted = (record for record in self.records if repeats.is_new(record, options))
        return meetings(counted, facts.teams)


def meetings(
    records: Iterable[Record], teams: Sequence[int] = ()
) -> dict[tuple[int, int], Meeting]:
    """Return what each entrant scored against each other one that was not of its team."""
    table: dict[tuple[int, int], Meeting] = {}
    for record in records:
        sides = count_sides(len(record.returns), teams)
        for one, other in combinations(range(len(record.entrants)), 2):
            if teams and teams[one] == teams[other]:
                continue
            for seat, opponent in ((one, other), (other, one)):
                pair = record.entrants[seat], record.entrants[opponent]
                meeting = table.setdefault(pair, Meeting())
                meeting.points += score_against(
                    record.returns[seat], record.returns[opponent], sides
                )
                meeting.games += 1
    return table


def report_form(path: Path) -> Callable[[Result], str]:
    """Return the function that makes a report for the file's suffix."""
    forms = {".html": as_html, ".csv": as_csv}
    try:
        return forms[path.suffix.lower()]
    except KeyError:
        raise OptionError(f"{path}: a report's name must end in {' or '.join(forms)}") from None


def cells(rank: int, row: Standing) -> list[str]:
    """Return the cells of a row except for the reasons."""
    low, high = row.interval
    return [
        str(rank), row.agent, str(row.games), str(row.wins), str(row.draws), str(row.losses),
        plain_number(row.firsts), str(row.forfeits), str(row.faults), plain_number(row.points),
        plain_number(row.mean_points), f"{row.score:.3f}", f"{low:.3f}", f"{high:.3f}",
        f"{1000 * row.seconds / max(1, row.moves):.1f}",
    ]  # fmt: skip


def as_csv(result: Result) -> str:
    """Return one row per bot, with the reasons in the last cell; no cell is a formula."""
    output = io.StringIO()
    sheet = csv.writer(output, lineterminator="\n")
    sheet.writerow(HEADINGS)
    for rank, row in enumerate(result.rows, start=1):
        counted = result.reasons(row.entrant).most_common()
        reasons = "; ".join(f"{count} x {reason}" for reason, count in counted)
        sheet.writerow([_harmless(cell) for cell in (*cells(rank, row), reasons)])
    for name, reason in result.absent:
        empty = [""] * (len(HEADINGS) - 3)
        sheet.writerow([_harmless(cell) for cell in ("", name, *empty, f"not entered: {reason}")])
    return output.getvalue()


def as_html(result: Result) -> str:
    """Return a self-contained HTML page."""
    return tournament_page(result)


def _harmless(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, not even with full-width signs."""
    cell = cleaned(cell)
    begin = normalize("NFKC", cell).lstrip(" '\"")
    return f"'{cell}" if begin.startswith(("=", "+", "-", "@")) else cell
