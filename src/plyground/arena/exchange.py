"""Games out of one store and into another: a line of JSON a game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from plyground.arena.plan import Run
from plyground.arena.record import Record, positions
from plyground.errors import BadText, PlygroundError
from plyground.games import load_game
from plyground.options import converted

if TYPE_CHECKING:
    from plyground.arena.store import Store

BATCH = 500


def export_games(store: Store, runs: list[Run], out: TextIO) -> int:
    """Write every game of these runs as a line: its run, and its record; give how many."""
    count = 0
    for run in runs:
        told = {name: value for name, value in asdict(run).items() if name not in ("id", "kept")}
        for record in store.records(run.id):
            line = {"run": told, "record": record.to_json()}
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
            count += 1
    return count


def import_games(store: Store, path: Path) -> int:
    """Keep the games of a file, if all of them are sound; give how many lines it had.

    Law: to import what is there already changes nothing.
    """
    for _ in _lines(path):  # all are looked at before the first is kept
        pass
    count = 0
    known: dict[str, int] = {}
    pending: dict[int, list[Record]] = {}
    for run, record in _lines(path):
        identity = json.dumps(asdict(run))
        if identity not in known:
            known[identity] = store.enter(run)
        batch = pending.setdefault(known[identity], [])
        batch.append(record)
        count += 1
        if len(batch) == BATCH:
            store.add(known[identity], batch)
            batch.clear()
    for number, batch in pending.items():
        store.add(number, batch)
    return count


def _lines(path: Path) -> Iterator[tuple[Run, Record]]:
    try:
        with path.open(encoding="utf-8") as file:
            for row, line in enumerate(file, start=1):
                try:
                    yield _read(json.loads(line))
                except (PlygroundError, ValueError, RecursionError) as error:
                    raise BadText(f"{path}, line {row}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadText(f"{path} cannot be read: {error}") from None


def _read(data: Any) -> tuple[Run, Record]:
    """Read a line; its record must belong to its run, and replay."""
    if not isinstance(data, dict) or set(data) != {"run", "record"}:
        raise BadText('a line is {"run": {...}, "record": {...}}')
    told, record = data["run"], Record.from_json(data["record"])
    if not isinstance(told, dict) or set(told) != {"tournament", "total", "begun"}:
        raise BadText("a run has 'tournament', 'total' and 'begun'")
    run = Run(
        converted(dict, told["tournament"], "run: tournament"),
        converted(int, told["total"], "run: total"),
        converted(str, told["begun"], "run: begun"),
    )
    agents, game = run.tournament.get("agents"), run.tournament.get("game")
    named = dict(enumerate(agents)) if isinstance(agents, list) else {}
    if tuple(named.get(each) for each in record.entrants) != record.agents:
        raise BadText("the record's agents are not those of its tournament")
    if game != record.game or not 0 <= record.number < run.total:
        raise BadText("the record's game or number is not one of its tournament")
    positions(load_game(record.game), record)
    return run, record
