"""The databases a store can be kept in: an SQLite file, or PostgreSQL by its URL.

The drivers are called directly: a store has three tables, and importing an SQL toolkit took longer
than a whole short match.
"""

from __future__ import annotations

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from plyground.errors import StoreError
from plyground.text import cleaned

Row = tuple[Any, ...]


class Database(ABC):
    """One connection, for one thread; statements have `?` where a value is filled in."""

    NUMBERED: ClassVar[str]
    """The type of a column that numbers the rows from 1."""

    name: str
    """The location that messages show, without a password."""
    failures: tuple[type[Exception], ...]
    """The exceptions of the driver."""
    conflicts: tuple[type[Exception], ...]
    """Those of them by which a statement, and not the database, is wrong."""

    @contextmanager
    def transaction(self) -> Iterator[Database]:
        """Return a context that commits all changes made in it, or none if an error is raised."""
        self.begin()
        try:
            yield self
            self.commit()
        except BaseException:
            self.roll_back()
            raise

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction; connect first if there is no connection."""

    @abstractmethod
    def commit(self) -> None:
        """Make the changes of the transaction permanent."""

    @abstractmethod
    def roll_back(self) -> None:
        """Undo the changes of the transaction, if it is still open."""

    @abstractmethod
    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement within a transaction; return its rows, if it has any."""

    @abstractmethod
    def run_for_each(self, statement: str, rows: Sequence[Row]) -> None:
        """Run a statement within a transaction for each row of values."""

    @abstractmethod
    def select_fields(self, fields: Sequence[str]) -> str:
        """Return a SELECT ... FROM of the games' numbers and these fields of their records.

        Lists are selected as JSON, missing fields as NULL.
        """

    @abstractmethod
    def lock(self) -> None:
        """Keep other processes from creating or changing tables until the transaction ends."""

    @abstractmethod
    def has_table(self, table: str) -> bool:
        """Return whether there is a table of that name."""

    @abstractmethod
    def is_away(self, failure: Exception) -> bool:
        """Return whether the server could not be reached, so that another try may succeed."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


class SQLite(Database):
    """A file; `required` is a table that every store has, as other programs' files are refused.

    `patience` are the seconds to wait for another program that has locked the file.
    """

    NUMBERED = "INTEGER PRIMARY KEY"

    def __init__(self, path: Path, required: str, patience: float) -> None:
        self.name = cleaned(str(path))
        self.failures, self.conflicts = (sqlite3.Error,), (sqlite3.IntegrityError,)
        self.path, self.patience = path, patience
        self._connection: sqlite3.Connection | None = None
        _check_writable(path)
        _check_is_store(path, required, patience)

    def begin(self) -> None:
        if self._connection is None:  # transactions are begun below, not by the driver
            self._connection = sqlite3.connect(
                self.path, timeout=self.patience, isolation_level=None
            )
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
                self._connection.execute(f"PRAGMA {pragma}")
        self.run("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.run("COMMIT")

    def roll_back(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            self.run("ROLLBACK")

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        assert self._connection is not None
        return self._connection.execute(statement, values).fetchall()

    def run_for_each(self, statement: str, rows: Sequence[Row]) -> None:
        assert self._connection is not None
        self._connection.executemany(statement, rows)

    def select_fields(self, fields: Sequence[str]) -> str:
        selected = (f"json_extract(record, '$.{field}')" for field in fields)
        return f"SELECT number, {', '.join(selected)} FROM games"  # noqa: S608 - names in the code

    def lock(self) -> None:
        pass  # the transaction has locked the file

    def has_table(self, table: str) -> bool:
        return bool(self.run("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)))

    def is_away(self, failure: Exception) -> bool:
        return False

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class PostgreSQL(Database):
    """A server, reached by its URL.

    `patience` are the seconds to wait for another program that has locked a table.
    """

    NUMBERED = "SERIAL PRIMARY KEY"

    def __init__(self, url: str, patience: float) -> None:
        if not url.startswith(("postgresql://", "postgres://")):
            raise StoreError("a store must be a file, or postgresql://user@host/database")
        try:
            import psycopg
        except ImportError:
            raise StoreError(
                "PostgreSQL needs psycopg: pip install 'plyground[postgres]'"
            ) from None
        self.failures, self.conflicts = (psycopg.Error,), (psycopg.IntegrityError,)
        self.url, self.patience = url, patience
        self._driver = psycopg
        self._connection: Any = None
        try:
            parts = psycopg.conninfo.conninfo_to_dict(url)
        except psycopg.Error as error:
            raise StoreError(f"the store's URL cannot be read: {cleaned(str(error))}") from None
        shown = {name: parts.get(name) or "" for name in ("user", "host", "port", "dbname")}
        self.name = cleaned("postgresql://{user}@{host}:{port}/{dbname}".format(**shown))

    def begin(self) -> None:
        if self._connection is None or self._connection.closed:
            self._connection = self._driver.connect(self.url)
            self._connection.execute(f"SET lock_timeout = {round(1000 * self.patience)}")
            self._connection.commit()

    def commit(self) -> None:
        self._connection.commit()

    def roll_back(self) -> None:
        if self._connection is not None and not self._connection.closed:
            self._connection.rollback()

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        cursor = self._connection.execute(statement.replace("?", "%s"), values)
        return cursor.fetchall() if cursor.description else []

    def run_for_each(self, statement: str, rows: Sequence[Row]) -> None:
        self._connection.cursor().executemany(statement.replace("?", "%s"), rows)

    def select_fields(self, fields: Sequence[str]) -> str:
        columns = ", ".join(f"{field} text" for field in fields)
        selected = ", ".join(f"fields.{field}" for field in fields)
        read = f"json_to_record(games.record::json) AS fields ({columns})"
        return f"SELECT games.number, {selected} FROM games, {read}"  # noqa: S608 - names in the code

    def lock(self) -> None:
        self.run("SELECT pg_advisory_xact_lock(7091959)")

    def has_table(self, table: str) -> bool:
        return self.run("SELECT to_regclass(?)", (table,)) != [(None,)]

    def is_away(self, failure: Exception) -> bool:
        connection_errors = self._driver.OperationalError, self._driver.InterfaceError
        return isinstance(failure, connection_errors)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _check_writable(path: Path) -> None:
    """Create a file's folder, and check that both are writable, which SQLite needs to read too."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        paths = (path.parent, path) if path.is_file() else (path.parent,)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    if not path.is_dir() and not all(os.access(needed, os.W_OK) for needed in paths):
        raise StoreError(
            f"{path} is read-only: copy it to a folder of your own, or choose another with --store"
        )


def _check_is_store(path: Path, required: str, patience: float) -> None:
    """Raise StoreError for an existing file that is not a store; the file is not changed."""
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return
    try:
        address = f"{path.resolve().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=patience)
        try:
            tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError(f"{path} is not a store of games: {error}") from None
    if tables and (required,) not in tables:
        raise StoreError(f"{path} is a database, but not a store of games")
