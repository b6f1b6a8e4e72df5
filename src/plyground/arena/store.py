"""Where games are kept: an SQLite file, or PostgreSQL by its URL.

One table holds the runs, each a tournament's spec, another their games, each a whole record as
JSON. A game is kept once: its run and its number are its identity.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
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
from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    Select,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from plyground.arena.plan import Run, Tournament, digest, timestamp
from plyground.arena.record import Record
from plyground.errors import PlygroundError, StoreFailed, cleaned

SCHEMA = 1
"""The version of the tables below."""

MIGRATIONS: dict[int, Sequence[str]] = {}
"""By version: the statements that make the next one of it."""

PATIENCE = 60.0
"""Seconds for which a server that went away is waited for."""

PAGE = 1000
"""Games that are read at a time."""

_TABLES = MetaData()
_MARK = Table("plyground", _TABLES, Column("version", Integer, nullable=False))
_RUNS = Table(
    "runs",
    _TABLES,
    Column("id", Integer, primary_key=True),
    Column("digest", String(32), nullable=False, index=True),
    Column("spec", Text, nullable=False),
    Column("total", Integer, nullable=False),
    Column("begun", String(32), nullable=False),
)
_GAMES = Table(
    "games",
    _TABLES,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("ending", String(16), nullable=False),
    Column("record", Text, nullable=False),
)

_UNREADABLE = (PlygroundError, ValueError, TypeError, RecursionError)
"""What a row raises that was not written by us."""

T = TypeVar("T")
_write = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def default_location() -> str:
    """Give the store named by PLYGROUND_STORE, else the file in the user's data folder."""
    own = Path(platformdirs.user_data_dir("plyground")) / "games.sqlite"
    return os.environ.get("PLYGROUND_STORE") or str(own)


def _tell(line: str) -> None:
    print(cleaned(line), file=sys.stderr)


class Store:
    """An open store; only one process writes a run, in transactions of many games."""

    def __init__(self, location: str = "", tell: Callable[[str], None] = _tell) -> None:
        location = location or default_location()
        self.tell = tell
        self.local = "://" not in location
        if self.local:
            self.name = cleaned(location)
            _make_room(Path(location))
            _refuse_strange(Path(location))
            self._engine = _sqlite(Path(location))
        else:
            self._engine = _server(location)
            self.name = self._engine.url.render_as_string(hide_password=True)
        dialect: Any = sqlite if self._engine.dialect.name == "sqlite" else postgresql
        self._keep = dialect.insert(_GAMES).on_conflict_do_nothing()
        self._opened = False
        self._attempt(self._prepare)
        self._opened = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the file or the server go."""
        self._engine.dispose()

    def begin(self, tournament: Tournament) -> int:
        """Enter a tournament's new run; give its number."""
        run = Run(tournament.changed(), tournament.total, timestamp())
        return self._attempt(partial(self._enter, run))

    def _enter(self, run: Run, to: Connection) -> int:
        """Enter a run, or find it; give its number."""
        row = {
            "digest": digest(run.tournament),
            "spec": json.dumps(run.tournament),
            "total": run.total,
            "begun": run.begun,
        }
        same = select(_RUNS.c.id).where(
            _RUNS.c.digest == row["digest"], _RUNS.c.begun == row["begun"]
        )

        found = to.execute(same).scalar()
        return int(found or to.execute(insert(_RUNS).returning(_RUNS.c.id), row).scalar_one())

    def add(self, run: int, records: Iterable[Record]) -> None:
        """Keep games in one transaction; one that is there already stays as it is."""
        rows = [_row(run, record) for record in records]
        if rows:
            self._attempt(lambda to: to.execute(self._keep, rows))

    def add_all(self, games: Callable[[], Iterable[tuple[Run, Record]]]) -> None:
        """Keep games of several runs, all of them or none; `games` may be called again."""

        def insert_all(to: Connection) -> None:
            numbers: dict[str, int] = {}
            batch: list[dict[str, Any]] = []
            for run, record in games():
                identity = f"{run.begun} {digest(run.tournament)}"
                if identity not in numbers:
                    numbers[identity] = self._enter(run, to)
                batch.append(_row(numbers[identity], record))
                if len(batch) == PAGE:
                    to.execute(self._keep, batch)
                    batch.clear()
            if batch:
                to.execute(self._keep, batch)

        self._attempt(insert_all)

    def runs(self, tournament: Tournament | None = None) -> list[Run]:
        """List the runs, or those of one tournament, the latest last; say which are unreadable."""
        wanted = _WITH_COUNTS.order_by(_RUNS.c.id)
        if tournament is not None:
            wanted = wanted.where(_RUNS.c.digest == tournament.digest)
        found = []
        for row in self._attempt(partial(_rows, wanted)):
            try:
                found.append(_run(row))
            except _UNREADABLE as error:
                self.tell(f"{self.name}: run {row.id} is left out, it cannot be read: {error}")
        return found

    def run(self, number: int) -> Run:
        """Find a run by its number."""
        for row in self._attempt(partial(_rows, _WITH_COUNTS.where(_RUNS.c.id == number))):
            try:
                return _run(row)
            except _UNREADABLE as error:
                raise StoreFailed(f"{self.name}: run {number} cannot be read: {error}") from None
        raise StoreFailed(f"{self.name} has no run {number}; `plyground games list` lists them")

    def records(self, run: int, number: int | None = None) -> Iterator[Record]:
        """Give a run's games, or one of them, in the order of their numbers."""
        first = 0 if number is None else number
        last = 2**31 - 1 if number is None else number
        wanted = select(_GAMES).where(_GAMES.c.run == run).order_by(_GAMES.c.number)
        while True:  # by the page, so that memory stays small and a writer does not wait
            page = wanted.where(_GAMES.c.number.between(first, last)).limit(PAGE)
            rows = self._attempt(partial(_rows, page))
            for row in rows:
                try:
                    record = Record.from_json(json.loads(row.record))
                    if record.number != row.number:
                        raise StoreFailed(f"it says that it is game {record.number}")
                except _UNREADABLE as error:
                    place = f"game {row.number} of run {run}"
                    raise StoreFailed(f"{self.name}: {place} cannot be read: {error}") from None
                first = row.number + 1
                yield record
            if len(rows) < PAGE:
                return

    def _prepare(self, to: Connection) -> None:
        """Make the tables where there are none; bring older ones up to date."""
        if self._engine.dialect.name == "postgresql":  # SQLite locks the file itself
            to.execute(text("SELECT pg_advisory_xact_lock(7091959)"))
        if not inspect(to).has_table(_MARK.name):
            _TABLES.create_all(to)
            to.execute(insert(_MARK), {"version": SCHEMA})
        found = to.execute(select(_MARK.c.version)).scalar_one()
        if not isinstance(found, int) or found < 1:
            raise StoreFailed(f"{self.name} has the version {found!r}; known: 1 to {SCHEMA}")
        if found > SCHEMA:
            newer = f"was written by a newer Plyground (version {found}, this one knows {SCHEMA})"
            raise StoreFailed(f"{self.name} {newer}: update, or choose another with --store")
        for version in range(found, SCHEMA):
            for statement in MIGRATIONS[version]:
                to.execute(text(statement))
        if found < SCHEMA:
            to.execute(update(_MARK), {"version": SCHEMA})

    def _attempt(self, work: Callable[[Connection], T]) -> T:
        """Do work in a transaction; where a server went away, do it again when it is back."""
        until = time.monotonic() + (PATIENCE if self._opened else 0.0)
        while True:
            try:
                with _undisturbed(), self._engine.begin() as connection:
                    return work(connection)
            except (SQLAlchemyError, sqlite3.Error) as error:
                away = isinstance(error, DBAPIError) and not self.local and _is_away(error)
                if not away or time.monotonic() > until:
                    told = str(error.orig if isinstance(error, DBAPIError) else error)
                    raise StoreFailed(f"{self.name}: {' '.join(told.split())}") from error
            self.tell(f"{self.name} does not answer: trying again")
            time.sleep(1.0)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait: a transaction broken off half-way may stay open, and lock the others out.

    Whoever asks twice does not wait.
    """
    heard = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(heard):
        yield
        return
    asked: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        if asked:
            heard(number, frame)
        asked.append((number, frame))

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heard)
    if asked:
        heard(*asked[0])


_WITH_COUNTS = select(
    _RUNS,
    select(func.count()).where(_GAMES.c.run == _RUNS.c.id).scalar_subquery().label("kept"),
)
"""Every run, and how many of its games are kept."""


def _rows(wanted: Select[Any], connection: Connection) -> Sequence[Row[Any]]:
    return connection.execute(wanted).all()


def _run(row: Row[Any]) -> Run:
    return Run.read(json.loads(row.spec), row.total, row.begun, row.id, row.kept)


def _row(run: int, record: Record) -> dict[str, Any]:
    content = _write(record.to_json())
    return {"run": run, "number": record.number, "ending": record.ending, "record": content}


def _is_away(error: DBAPIError) -> bool:
    kind = type(error.orig).__mro__
    return any(each.__name__ in ("OperationalError", "InterfaceError") for each in kind)


def _refuse_strange(path: Path) -> None:
    """Look at an existing file without changing it: a stranger's is left alone."""
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)
        try:
            tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreFailed(f"{path} is no store of games: {error}") from None
    if tables and (_MARK.name,) not in tables:
        raise StoreFailed(f"{path} is a database, but no store of games")


def _make_room(path: Path) -> None:
    """Make the folder of a file, and see that both can be written: also who reads a store does."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        needed = (path.parent, path) if path.is_file() else (path.parent,)
    except OSError as error:
        raise StoreFailed(f"{path}: {error.strerror}") from None
    if not path.is_dir() and not all(os.access(each, os.W_OK) for each in needed):
        raise StoreFailed(f"{path} is read-only: copy it to a folder of yours, or take another")


def _sqlite(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _server(location: str) -> Engine:
    try:
        url = make_url(location)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        if url.drivername != "postgresql+psycopg":
            raise ArgumentError
        return create_engine(url, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError):
        raise StoreFailed("a store is a file, or postgresql://user@host/database") from None
    except ImportError:
        raise StoreFailed("PostgreSQL needs more: pip install 'plyground[postgres]'") from None
