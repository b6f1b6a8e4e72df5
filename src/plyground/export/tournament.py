"""The page of a tournament: ranking, cross table, forfeits, replays and settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from itertools import permutations
from typing import TYPE_CHECKING, Any

from plyground import __version__
from plyground.arena.record import FINISHED, Record
from plyground.arena.tournament import Standing, plain_number
from plyground.errors import PlygroundError
from plyground.export.replay import in_script, replay_data, replay_template
from plyground.games import GAMES
from plyground.text import counted

if TYPE_CHECKING:
    from plyground.export.standings import Result

WIDE = ("games", "points/game", "forfeits", "faults", "points", "95% interval", "ms/move")
"""Columns of the ranking that phones leave out."""

MOST_REPLAYS, LARGEST = 40, 4_000_000
"""Replays on a page at most, and their characters together."""


def tournament_page(result: Result) -> str:
    """Return a self-contained page; the replays that it links to are part of it."""
    replays = _replays(result)
    body = [
        f"<h1>{escape(result.title)}</h1>",
        f"<p class=faint>{_origin(result)}</p>",
        *_ranking(result),
        *_cross_table(result, replays),
        *_forfeits(result, replays),
        *_games(result, replays),
        *_settings(result),
    ]
    template = files("plyground.export").joinpath("tournament.html").read_text(encoding="utf-8")
    # The data is inserted last, so that names of agents are never taken for placeholders.
    head, foot = template.replace("TITLE", escape(result.title), 1).split("<!--BODY-->")
    foot = foot.replace("/*TEMPLATE*/null", in_script(replay_template()), 1)
    start, end = foot.split("/*GAMES*/null")
    games = in_script({number + 1: data for number, data in replays.items()})
    return "".join([head, "\n".join(body), start, games, end])


def _origin(result: Result) -> str:
    """Return when the page was written, and which versions of Plyground played the games."""
    versions = sorted({record.version for record in result.records} or {__version__})
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return escape(f"Written {date}; played by Plyground {', '.join(versions)}.")


def _replays(result: Result) -> dict[int, dict[str, Any]]:
    """Return the replays' data by game number, as many as a page may have.

    Every agent has one at least, whatever the page's bounds. A game that cannot be replayed,
    because the rules' file has changed since, is left out.
    """
    replays: dict[int, dict[str, Any]] = {}
    size, shown = 0, set[int]()
    for record in _worth_watching(result):
        is_full = size > LARGEST or len(replays) >= MOST_REPLAYS
        if is_full and shown.issuperset(record.entrants):
            continue
        try:
            data = replay_data(GAMES.recall(record.game), record)
        except PlygroundError:
            continue
        size += len(json.dumps(data))
        replays[record.number] = data
        shown.update(record.entrants)
    return replays


def _worth_watching(result: Result) -> Iterator[Record]:
    """Yield one game per group that met, then one per kind of forfeit.

    The best agents' come first, but for those that show an agent for the first time.

    The game of a group is its longest finished one.
    """
    rank = {row.entrant: place for place, row in enumerate(result.rows)}
    best: dict[frozenset[int], Record] = {}
    for record in result.records:
        group = frozenset(record.entrants)
        if group not in best or _quality(record) > _quality(best[group]):
            best[group] = record
    games = sorted(best.values(), key=lambda record: sum(map(rank.__getitem__, record.entrants)))
    shown: set[int] = set()
    others = []
    for record in games:
        if shown.issuperset(record.entrants):
            others.append(record)
        else:
            shown.update(record.entrants)
            yield record
    yield from others
    yielded = {record.number for record in best.values()}
    kinds = set()
    for record in result.forfeits:
        assert record.fault is not None
        kind = record.entrants[record.fault], record.ending, record.reason
        if record.number not in yielded and kind not in kinds:
            kinds.add(kind)
            yield record


def _quality(record: Record) -> tuple[bool, int]:
    return record.ending == FINISHED, len(record.actions)


# Sections ---------------------------------------------------------------------------------------


def _ranking(result: Result) -> Iterator[str]:
    columns = {heading: _class_of(heading) for heading in _cells(0, Standing(""), result.sides)}
    yield _table_head(*columns.items())
    for rank, row in enumerate(result.rows, start=1):
        cells = (
            f'<td class="{columns[heading]}">{escape(text)}</td>'
            for heading, text in _cells(rank, row, result.sides).items()
        )
        yield f"<tr>{''.join(cells)}</tr>"
        counted = result.reasons(row.entrant).most_common()
        if counted:
            reasons = "".join(f"<li>{count} x {escape(reason)}" for reason, count in counted)
            below = f"<ul class=fault>{reasons}</ul>"
            yield f"<tr class=reasons>{_below(below, len(columns))}</tr>"
    for name, reason in result.absent:
        line = f"{escape(name)} <span class=fault>not entered: {escape(reason)}</span>"
        yield f"<tr class=absent>{_below(line, len(columns))}</tr>"
    yield "</tbody></table></div>"


def _below(content: str, columns: int) -> str:
    return f"<td></td><td colspan={columns - 1}>{content}</td>"


def _class_of(heading: str) -> str:
    return "name" if heading == "bot" else "n wide" if heading in WIDE else "n"


def _cells(rank: int, row: Standing, sides: int) -> dict[str, str]:
    """Return the texts of a row of the ranking, by heading."""
    low, high = row.interval
    return {
        "": str(rank),
        "bot": row.agent,
        "games": str(row.games),
        **row.results(sides),
        "forfeits": str(row.forfeits or ""),
        "faults": str(row.faults or ""),
        "points": plain_number(row.points),
        "score": f"{row.score:.1%}",
        "95% interval": f"{low:.0%} - {high:.0%}",
        "ms/move": f"{1000 * row.seconds / max(1, row.moves):.1f}",
    }


def _cross_table(result: Result, replays: dict[int, dict[str, Any]]) -> Iterator[str]:
    """Yield the table of points against each other; a cell links to a game of the two."""
    meetings = result.cross_table()
    if not meetings:
        return
    links: dict[tuple[int, int], int] = {}
    for record in result.records:
        if record.number in replays:
            pairs = permutations(record.entrants, 2)
            links |= dict.fromkeys(pairs, record.number)
    order = [row.entrant for row in result.rows]
    yield "<h2>Points against each other</h2>"
    ranks = ((str(rank), "n") for rank in range(1, len(order) + 1))
    yield _table_head(("", "n"), ("bot", "name"), *ranks)
    for rank, entrant in enumerate(order, start=1):
        cells = []
        for other in order:
            meeting = meetings.get((entrant, other))
            text = "" if meeting is None else f"{plain_number(meeting.points)}/{meeting.games}"
            number = links.get((entrant, other))
            cells.append(f"<td class=n>{text if number is None else _link(number, text)}</td>")
        name = escape(result.names[entrant])
        row = f"<td class=n>{rank}</td><td class=name>{name}</td>{''.join(cells)}"
        yield f"<tr>{row}</tr>"
    yield "</tbody></table></div>"


def _forfeits(result: Result, replays: dict[int, dict[str, Any]]) -> Iterator[str]:
    if not result.forfeits:
        return
    yield "<h2>Every forfeit</h2>"
    yield _table_head(
        ("game", "n"),
        ("bot", "name"),
        ("against", "name wide"),
        ("plies", "n wide"),
        ("reason", ""),
    )
    shown = set()
    for record in sorted(result.forfeits, key=lambda record: record.number):
        assert record.fault is not None
        names = [result.names[entrant] for entrant in record.entrants]
        others = ", ".join(name for seat, name in enumerate(names) if seat != record.fault)
        number = str(record.number + 1)
        link = _link(record.number, number) if record.number in replays else number
        reason = escape(f"{record.ending}: {record.reason}")
        kind = record.entrants[record.fault], reason
        if record.logs and kind not in shown:  # the log of one forfeit of a kind is enough
            shown.add(kind)
            reason += _log(record.logs[record.fault])
        yield (
            f"<tr><td class=n>{link}</td><td class=name>{escape(names[record.fault])}</td>"
            f'<td class="name wide">{escape(others)}</td>'
            f'<td class="n wide">{len(record.actions)}</td>'
            f"<td class=fault>{reason}</td></tr>"
        )
    yield "</tbody></table></div>"


def _log(written: str) -> str:
    """Return what a program wrote to standard error, folded up; "" if it wrote nothing."""
    if not written:
        return ""
    return f"<details><summary>standard error</summary><pre>{escape(written)}</pre></details>"


def _games(result: Result, replays: dict[int, dict[str, Any]]) -> Iterator[str]:
    if not replays:
        return
    tables = len({frozenset(record.entrants) for record in result.records})
    yield "<h2>Games to watch</h2>"
    selection = f"The longest finished game of each of the {tables} groups of agents that met"
    if len(replays) < tables:
        shown = counted(len(replays), "game")
        selection = (
            f"{counted(tables, 'group')} of agents met; {shown}, of every agent at least one"
        )
    yield f"<p class=faint>{selection}; click a number to watch the game.</p>"
    yield _table_head(("game", "n"), ("players", "name"), ("plies", "n wide"), ("result", "name"))
    for record in result.records:
        if record.number in replays:
            names = " - ".join(result.names[entrant] for entrant in record.entrants)
            yield (
                f"<tr><td class=n>{_link(record.number, str(record.number + 1))}</td>"
                f'<td class=name>{escape(names)}</td><td class="n wide">{len(record.actions)}</td>'
                f"<td class=name>{escape(record.outcome)}</td></tr>"
            )
    yield "</tbody></table></div>"


def _settings(result: Result) -> Iterator[str]:
    """Yield a table of the plan's options that are set."""
    if result.plan is None:
        return
    yield "<h2>Settings</h2>"
    yield _table_head(("option", ""), ("value", "name"), ("meaning", "name"))
    for option in type(result.plan).declared():
        value = getattr(result.plan, option.name)
        if option.name not in ("agents", "names") and value not in (None, (), False):
            text = ", ".join(value) if isinstance(value, tuple) else str(value)
            yield (
                f"<tr><td>{option.name}</td><td class=name>{escape(text)}</td>"
                f"<td class=name>{escape(option.help)}</td></tr>"
            )
    yield "</tbody></table></div>"


def _table_head(*columns: tuple[str, str]) -> str:
    """Return the head of a table with these headings and CSS classes of columns."""
    headings = "".join(f'<th class="{kind}">{heading}</th>' for heading, kind in columns)
    return f"<div class=scroll><table><thead><tr>{headings}</tr></thead><tbody>"


def _link(number: int, text: str) -> str:
    """Return a link to a replay; `number` counts from 0, the link from 1."""
    return f'<a href="#game-{number + 1}">{escape(text)}</a>'
