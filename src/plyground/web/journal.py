"""The journal: every game on the site as a row of events, in tables beside those of the store.

An event is stored before anybody is told of it. A game is read back by repeating its events.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar

from plyground.arena.database import Database
from plyground.arena.store import Store, connection
from plyground.errors import PlygroundError, StoreError
from plyground.text import one_line

Event = dict[str, Any]
"""A change of a game; `do` names its kind."""

T = TypeVar("T")

_TABLES = (
    "CREATE TABLE IF NOT EXISTS site_games (id VARCHAR(40) PRIMARY KEY, "
    "changed DOUBLE PRECISION NOT NULL)",
    "CREATE TABLE IF NOT EXISTS site_events (game VARCHAR(40) NOT NULL "
    "REFERENCES site_games (id), version INTEGER NOT NULL, event TEXT NOT NULL, "
    "PRIMARY KEY (game, version))",
    "CREATE TABLE IF NOT EXISTS site_seats (owner VARCHAR(40) NOT NULL, "
    "game VARCHAR(40) NOT NULL REFERENCES site_games (id), PRIMARY KEY (owner, game))",
)
_GAME = "INSERT INTO site_games (id, changed) VALUES (?, ?) ON CONFLICT DO NOTHING"
_EVENT = "INSERT INTO site_events (game, version, event) VALUES (?, ?, ?)"
_OWNER = "INSERT INTO site_seats (owner, game) VALUES (?, ?) ON CONFLICT DO NOTHING"
_TOUCH = "UPDATE site_games SET changed = ? WHERE id = ?"
_EVENTS = "SELECT version, event FROM site_events WHERE game = ? ORDER BY version"
_MINE = (
    "SELECT site_games.id, changed FROM site_games JOIN site_seats ON game = id "
    "WHERE owner = ? ORDER BY changed DESC LIMIT ?"
)
_OLDEST = "SELECT id FROM site_games ORDER BY changed LIMIT ?"
_COUNT = "SELECT count(*) FROM site_games"
_FORGET = (
    "DELETE FROM site_events WHERE game = ?",
    "DELETE FROM site_seats WHERE game = ?",
    "DELETE FROM site_games WHERE id = ?",
)
MOST_GAMES = 20_000
"""Games that are kept; the oldest are forgotten."""

PATIENCE = 3.0
"""Seconds to wait for a store that another program has locked: somebody waits for the answer."""

PRUNED = 500
"""New games after which, on average, the oldest are forgotten."""


class DamagedRowError(PlygroundError):
    """A game's events cannot be read; the text is for visitors, the reason for the log."""

    def __init__(self, version: int, reason: str) -> None:
        self.version, self.reason = version, reason
        why = f"its event {version} is damaged"
        if version == 1:
            why += ", or needs a game or agent that was not named when the server was started"
        super().__init__(f"this game cannot be read: {why}")


class RefusedFileError(StoreError):
    """An event that cannot be stored, while others can."""


class Entry(NamedTuple):
    """An event that waits to be stored."""

    game: str
    version: int
    event: Event
    owners: tuple[str, ...]
    stored: asyncio.Future[None]


class Journal:
    """Stores events in a thread of its own; events that wait are stored in one transaction."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._thread = ThreadPoolExecutor(1, "journal")
        self._database: Database | None = None
        self._waiting: list[Entry] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread.submit(self._prepare).result()

    def _prepare(self) -> None:
        with Store(self._location):  # creates the store, or refuses another program's file
            pass
        self._database = connection(self._location, PATIENCE)
        with self._database.transaction() as database:
            for statement in _TABLES:
                database.run(statement)
            _forget_oldest(database)

    async def append(
        self, game: str, version: int, event: Event, owners: tuple[str, ...] = ()
    ) -> None:
        """Store an event, which gives the game its version; `owners` have a seat since then."""
        stored = asyncio.get_running_loop().create_future()
        self._waiting.append(Entry(game, version, event, owners, stored))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        await asyncio.shield(stored)

    async def _write_all(self) -> None:
        """Store what waits; every caller that waits is told that its event is stored or why not."""
        entries: list[Entry] = []
        try:
            while self._waiting:
                entries, self._waiting = self._waiting, []
                try:
                    await self._call(partial(_insert, entries))
                except RefusedFileError:
                    for entry in entries:  # one of them is wrong, not all
                        await self._write_alone(entry)
                except StoreError as error:
                    for entry in entries:
                        _settle(entry.stored, error)
                else:
                    for entry in entries:
                        _settle(entry.stored)
        finally:
            self._writing = None
            for entry in entries:  # those that an unexpected end left over
                _settle(entry.stored, StoreError("the game could not be stored"))

    async def _write_alone(self, entry: Entry) -> None:
        try:
            await self._call(partial(_insert, [entry]))
        except StoreError as error:
            _settle(entry.stored, error)
        else:
            _settle(entry.stored)

    async def events(self, game: str) -> list[Event]:
        """Return the events of a game; empty if there is none of that id, Damaged if unreadable."""
        rows = await self._call(lambda to: to.run(_EVENTS, (game,)))
        return [_event(number, *row) for number, row in enumerate(rows, start=1)]

    async def games_of(self, owner: str, most: int) -> list[tuple[str, float]]:
        """Return ids and times of the last change of a visitor's games, the latest first."""
        rows = await self._call(lambda to: to.run(_MINE, (owner, most)))
        return [(str(game), _number(changed)) for game, changed in rows]

    async def _call(self, work: Callable[[Database], T]) -> T:
        def transact() -> T:
            database = self._database
            assert database is not None
            try:
                with database.transaction():
                    return work(database)
            except Exception as error:  # of the driver, or of an event that cannot be written
                reason = " ".join(str(error).split())
                is_away = isinstance(error, database.failures) and not isinstance(
                    error, database.conflicts
                )
                kind = StoreError if is_away else RefusedFileError
                raise kind(f"the game could not be stored: {reason}") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, transact)

    async def close(self) -> None:
        """Store what waits, and close the connection."""
        if self._writing is not None:
            await self._writing
        assert self._database is not None
        await asyncio.get_running_loop().run_in_executor(self._thread, self._database.close)
        self._thread.shutdown()


def _event(number: int, version: int, text: Any) -> Event:
    """Return the event of a row, as any program may have written it; raise Damaged."""
    if version != number:
        raise DamagedRowError(number, "there is no such row")
    try:
        event = json.loads(text, parse_constant=lambda name: None)
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedRowError(version, one_line(str(error), 100)) from None
    if not isinstance(event, dict):
        raise DamagedRowError(version, "it is no object")
    return event


def _number(value: Any) -> float:
    """Return a column's number; 0 for what is none."""
    return float(value) if isinstance(value, int | float) else 0.0


def _settle(stored: asyncio.Future[None], error: Exception | None = None) -> None:
    """Tell the caller that its event is stored, or why not; it may be gone by now."""
    if stored.done():
        return
    if error is None:
        stored.set_result(None)
    else:
        stored.set_exception(error)
        stored.exception()


def _forget_oldest(to: Database) -> None:
    ((games,),) = to.run(_COUNT)
    for oldest in to.run(_OLDEST, (max(0, games - MOST_GAMES),)):
        for statement in _FORGET:
            to.run(statement, oldest)


def _insert(entries: list[Entry], to: Database) -> None:
    now = time.time()
    for game, version, event, owners, _ in entries:
        if version == 1:
            to.run(_GAME, (game, now))
            if secrets.randbelow(PRUNED) == 0:
                _forget_oldest(to)
        to.run(_EVENT, (game, version, json.dumps(event, separators=(",", ":"))))
        to.run(_TOUCH, (now, game))
        for owner in owners:
            to.run(_OWNER, (owner, game))
