"""The store, a database of played games: an SQLite file, or PostgreSQL by its URL.

One table holds the runs with their plans, another their games, each a complete record as JSON. A
game is identified by its run and its number, and stored once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Self, TypeVar

import platformdirs

from plyground.arena.database import Database, PostgreSQL, Row, SQLite
from plyground.arena.plan import MOST_GAMES, Run, Tournament, digest, timestamp
from plyground.arena.record import Record
from plyground.arena.summary import FIELDS, Summary
from plyground.errors import PlygroundError, StoreError, TextError
from plyground.text import cleaned, counted

SCHEMA = 2
"""The version of the tables below."""

MIGRATIONS: dict[int, Sequence[str]] = {
    1: ("ALTER TABLE runs ADD COLUMN verdict VARCHAR(2) NOT NULL DEFAULT ''",),
}
"""By version: the statements that migrate the tables to the next version."""

PATIENCE = 60.0
"""Seconds to wait for a store that another program has locked, or that does not answer."""

PAGE = 1000
"""Games read or written at a time."""

NAMED = 5
"""Unreadable games of a run that are named; the others are only counted."""

MARK = "plyground"
"""The table that holds the version; a database without it is not a store."""

_TABLES = (
    "CREATE TABLE plyground (version INTEGER NOT NULL)",
    "CREATE TABLE runs (id {numbered}, digest VARCHAR(32) NOT NULL, spec TEXT NOT NULL, "
    "total INTEGER NOT NULL, begun VARCHAR(32) NOT NULL, verdict VARCHAR(2) NOT NULL DEFAULT '')",
    "CREATE INDEX ix_runs_digest ON runs (digest)",
    "CREATE TABLE games (run INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL, "
    "ending VARCHAR(16) NOT NULL, record TEXT NOT NULL, PRIMARY KEY (run, number))",
)
_ENTER = "INSERT INTO runs (digest, spec, total, begun) VALUES (?, ?, ?, ?)"
_CHANGE = "UPDATE runs SET digest = ?, spec = ?, total = ? WHERE id = ?"
_DECIDE = "UPDATE runs SET verdict = ? WHERE id = ?"
_ENTERED = "SELECT id FROM runs WHERE digest = ? AND begun = ?"
_KEEP = "INSERT INTO games (run, number, ending, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_DROP = "DELETE FROM games WHERE run = ? AND number = ?"
_RUNS = (
    "SELECT id, spec, total, begun, (SELECT count(*) FROM games WHERE run = runs.id), verdict "
    "FROM runs {} ORDER BY id"
)
_RECORDS = "SELECT number, record FROM games"
_FROM = " WHERE run = ? AND games.number >= ? ORDER BY games.number LIMIT ?"
"""What selects games of a run from a number on."""
_RECORD = "SELECT number, record FROM games WHERE run = ? AND number = ?"

_REMOVE = ("DELETE FROM games WHERE run = ?", "DELETE FROM runs WHERE id = ?")

_UNREADABLE = (PlygroundError, ValueError, TypeError, RecursionError)
"""Exceptions raised by a row that another program may have written."""

T = TypeVar("T")
G = TypeVar("G", Record, Summary)
_write = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def default_location() -> str:
    """Return the store named by PLYGROUND_STORE, else the file in the user's data folder."""
    location = os.environ.get("PLYGROUND_STORE")
    return location or str(Path(platformdirs.user_data_dir("plyground")) / "games.sqlite")


def connection(location: str, patience: float = PATIENCE) -> Database:
    """Return a connection to the database at a location, for one thread."""
    if location == "none":
        raise StoreError("the store 'none' keeps nothing: name another with --store")
    if "://" in location:
        return PostgreSQL(location, patience)
    return SQLite(Path(location), MARK, patience)


def _print_warning(line: str) -> None:
    print(cleaned(line), file=sys.stderr)


class Store:
    """An open store; a run is written by one process, in transactions of many games.

    `location` is a file path or a postgresql:// URL, by default `default_location()`. `warn`
    receives warnings, such as a run or a game that cannot be read; they do not name the location.
    A store that is locked or away is waited for: for `patience` seconds.
    """

    def __init__(
        self,
        location: str = "",
        warn: Callable[[str], None] = _print_warning,
        patience: float = PATIENCE,
    ) -> None:
        location = location or default_location()
        self._warn, self._patience = warn, patience
        self._database = connection(location, patience)
        self.name = self._database.name
        self._opened = False
        self._unreadable: set[tuple[int, int]] = set()
        """Run and number of the games that were found unreadable."""
        self._attempt(self._prepare)
        self._opened = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def warn(self, line: str) -> None:
        """Tell the user of this store something about its runs."""
        self._warn(line)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def begin(self, tournament: Tournament) -> int:
        """Add a new run of a tournament; return its number."""
        run = Run(tournament.changed(), tournament.total, timestamp())
        return self._attempt(partial(_enter, run))

    def add(self, run: int, records: Iterable[Record]) -> None:
        """Store games in one transaction; games that are stored already are not changed.

        Those that `records` found unreadable are replaced.
        """
        rows = [_row(run, record) for record in records]
        replaced = self._unreadable.intersection(row[:2] for row in rows)

        def insert(to: Database) -> None:
            if replaced:
                to.run_for_each(_DROP, list(replaced))
            to.run_for_each(_KEEP, rows)

        if rows:
            self._attempt(insert)
            self._unreadable -= replaced

    def decide(self, run: int, verdict: str) -> None:
        """Note what a sequential test of a run's games has decided: "H0" or "H1"."""
        self._attempt(lambda to: to.run(_DECIDE, (verdict, run)))

    def drop(self, run: int, numbers: Iterable[int]) -> None:
        """Delete games of a run, all of them or none."""
        rows = [(run, number) for number in numbers]
        if rows:
            self._attempt(lambda to: to.run_for_each(_DROP, rows))

    def change(self, run: int, tournament: Tournament, records: Iterable[Record]) -> None:
        """Make a run that of another plan, and replace some of its games, in one transaction."""
        changed = Run(tournament.changed(), tournament.total, "")
        values = *_plan_values(changed), run
        rows = [_row(run, record) for record in records]

        def update(to: Database) -> None:
            to.run(_CHANGE, values)
            to.run_for_each(_DROP, [row[:2] for row in rows])
            to.run_for_each(_KEEP, rows)

        self._attempt(update)

    def add_all(self, games: Callable[[], Iterable[tuple[Run, Record]]]) -> list[int]:
        """Store games of several runs, all of them or none; return the runs' numbers.

        A game that is stored already is not changed; if it is another one, an error is raised.
        `games` is called again when the transaction is retried.
        """

        def insert_all(to: Database) -> list[int]:
            numbers: dict[str, int] = {}
            known: set[int] = set()
            batch: list[Row] = []
            for run, record in games():
                identity = f"{run.begun} {digest(run.tournament)}"
                if identity not in numbers:
                    stored = to.run(_ENTERED, (digest(run.tournament), run.begun))
                    numbers[identity] = _enter(run, to)
                    known.update(number for (number,) in stored)
                if numbers[identity] in known:
                    self._check_same(numbers[identity], record, to)
                batch.append(_row(numbers[identity], record))
                if len(batch) == PAGE:
                    to.run_for_each(_KEEP, batch)
                    batch.clear()
            if batch:
                to.run_for_each(_KEEP, batch)
            return list(numbers.values())

        return self._attempt(insert_all)

    def _check_same(self, run: int, record: Record, to: Database) -> None:
        """Raise StoreError if another game is stored with a record's run and number.

        A stored game that cannot be read is deleted.
        """
        for row in to.run(_RECORD, (run, record.number)):
            try:
                stored = _record(row)
            except _UNREADABLE:
                to.run(_DROP, (run, record.number))
                continue
            if stored != record:
                another = f"game {record.number + 1} of run {run} is another one than in the file"
                raise StoreError(f"{self.name}: {another}; remove that run to store this one")

    def remove(self, run: int) -> None:
        """Delete a run and its games."""

        def delete(to: Database) -> None:
            for statement in _REMOVE:
                to.run(statement, (run,))

        self._attempt(delete)

    def runs(self, tournament: Tournament | None = None) -> list[Run]:
        """Return the runs, or those of one plan, the latest last; warn of unreadable ones."""
        rows = (
            self._rows(_RUNS.format(""))
            if tournament is None
            else self._rows(_RUNS.format("WHERE digest = ?"), tournament.digest)
        )
        runs = []
        for row in rows:
            try:
                runs.append(_run(row))
            except _UNREADABLE as error:
                self._warn(f"run {row[0]} is left out, it cannot be read: {error}")
        return runs

    def run(self, number: int) -> Run:
        """Return a run by its number."""
        for row in self._rows(_RUNS.format("WHERE id = ?"), number):
            try:
                return _run(row)
            except _UNREADABLE as error:
                raise StoreError(f"{self.name}: run {number} cannot be read: {error}") from None
        raise StoreError(f"{self.name} has no run {number}; `plyground runs list` lists them")

    def records(
        self, run: int, chosen: Callable[[int], bool] = lambda number: True
    ) -> Iterator[Record]:
        """Yield a run's games in the order of their numbers; warn of unreadable ones.

        `chosen` returns whether the game of a number is wanted.
        """
        rows = (row for row in self._games(run) if chosen(row[0]))
        return self._readable(run, rows, _record)

    def summaries(self, run: int) -> Iterator[Summary]:
        """Yield the summaries of a run's games in their order; warn of unreadable ones."""
        select = self._database.select_fields(FIELDS)
        return self._readable(run, self._games(run, select), _summary)

    def _readable(self, run: int, rows: Iterable[Row], read: Callable[[Row], T]) -> Iterator[T]:
        """Yield what is read from each row of a game; warn once of each that cannot be read."""
        unreadable = 0
        for row in rows:
            try:
                game = read(row)
            except _UNREADABLE as error:
                if (run, row[0]) in self._unreadable:
                    continue
                self._unreadable.add((run, row[0]))
                unreadable += 1
                if unreadable <= NAMED:
                    named = f"game {row[0] + 1} of run {run}"
                    self._warn(f"{named} is left out, it cannot be read: {error}")
            else:
                yield game
        if unreadable > NAMED:
            self._warn(f"{counted(unreadable - NAMED, 'more game')} of run {run} cannot be read")

    def record(self, run: int, number: int) -> Record | None:
        """Return one game of a run; None if there is none of that number, from 0."""
        for row in self._rows(_RECORD, run, number) if 0 <= number < MOST_GAMES else ():
            try:
                return _record(row)
            except _UNREADABLE as error:
                wrong = f"game {number + 1} of run {run} cannot be read: {error}"
                raise TextError(wrong) from None
        return None

    def _games(self, run: int, select: str = _RECORDS) -> Iterator[Row]:
        """Yield the rows of a run's games, in the order of their numbers.

        A page with a record that is no JSON, of which nothing can be selected, has whole records.
        """
        first = 0
        while True:  # page by page, to save memory and let other processes write in between
            try:
                rows = self._rows(select + _FROM, run, first, PAGE)
            except StoreError:
                if select == _RECORDS:
                    raise
                rows = self._rows(_RECORDS + _FROM, run, first, PAGE)
            yield from rows
            if len(rows) < PAGE:
                return
            first = rows[-1][0] + 1

    def _rows(self, statement: str, *values: Any) -> Sequence[Row]:
        return self._attempt(lambda to: to.run(statement, values))

    def _prepare(self, to: Database) -> None:
        """Create the tables if there are none; migrate those of earlier versions."""
        to.lock()
        if not to.has_table(MARK):
            for statement in _TABLES:
                to.run(statement.format(numbered=to.NUMBERED))
            to.run("INSERT INTO plyground (version) VALUES (?)", (SCHEMA,))
        ((version,),) = to.run("SELECT version FROM plyground")
        if not isinstance(version, int) or version < 1:
            raise StoreError(f"{self.name} has the version {version!r}; known: 1 to {SCHEMA}")
        if version > SCHEMA:
            newer = f"was written by a newer Plyground (version {version}, this one knows {SCHEMA})"
            raise StoreError(f"{self.name} {newer}: update, or choose another with --store")
        for older in range(version, SCHEMA):
            for statement in MIGRATIONS[older]:
                to.run(statement)
        if version < SCHEMA:
            to.run("UPDATE plyground SET version = ?", (SCHEMA,))

    def _attempt(self, work: Callable[[Database], T]) -> T:
        """Do work in a transaction; if the server cannot be reached, retry for a while."""
        deadline = time.monotonic() + (self._patience if self._opened else 0.0)
        while True:
            try:
                with _delayed_interrupt(), self._database.transaction() as database:
                    return work(database)
            except self._database.failures as error:
                if not self._database.is_away(error) or time.monotonic() > deadline:
                    reason = " ".join(str(error).split())
                    raise StoreError(f"{self.name}: {reason}") from error
            self._warn("the store does not answer: trying again")
            time.sleep(1.0)


@contextmanager
def _delayed_interrupt() -> Iterator[None]:
    """Delay Ctrl-C: an interrupted transaction may stay open and lock other processes out.

    A second Ctrl-C is not delayed.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    interrupts: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        if interrupts:
            handler(number, frame)
        interrupts.append((number, frame))

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if interrupts:
        handler(*interrupts[0])


def _enter(run: Run, to: Database) -> int:
    """Add a run, or find it; return its number."""
    identity = digest(run.tournament), run.begun
    if not to.run(_ENTERED, identity):
        to.run(_ENTER, (*_plan_values(run), run.begun))
    return int(to.run(_ENTERED, identity)[0][0])


def _plan_values(run: Run) -> tuple[str, str, int]:
    return digest(run.tournament), json.dumps(run.tournament), run.total


def _run(row: Row) -> Run:
    number, spec, total, begun, kept, verdict = row
    return Run.read(json.loads(spec), total, begun, number, kept, verdict)


def _record(row: Row) -> Record:
    number, text = row
    return _numbered(number, Record.from_json(json.loads(text)))


def _summary(row: Row) -> Summary:
    number, *fields = row
    if len(fields) == len(FIELDS):
        return _numbered(number, Summary.read(*fields))
    return Summary.of(_record(row))


def _numbered(number: int, game: G) -> G:
    """Return a game; raise TextError if its number is not that of its row."""
    if game.number != number:
        raise TextError(f"its record has the number {game.number + 1}")
    return game


def _row(run: int, record: Record) -> Row:
    return run, record.number, record.ending, _write(record.to_json())
