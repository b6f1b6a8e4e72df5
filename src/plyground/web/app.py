"""The application: pages, static files, HTTP interface and channels, behind one guard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from plyground import __version__
from plyground.errors import PlygroundError, StoreError, show_traceback
from plyground.web import api, arena, learning, pages
from plyground.web.catalogue import Catalogue
from plyground.web.channel import BUSY, Channel
from plyground.web.games import Games, NotFoundError
from plyground.web.journal import DamagedRowError, Journal
from plyground.web.live import NotAllowedError, StaleRequestError
from plyground.web.pages import refusal
from plyground.web.paths import shown_text
from plyground.web.pool import BusyError, Pool
from plyground.web.rules_apart import RulesError
from plyground.web.security import Guard

MOST_CHANNELS = 500
SWEEP = 5.0
"""Seconds between two looks for games that nobody looks at."""

STATUS: dict[type[PlygroundError], int] = {
    NotFoundError: 404, DamagedRowError: 410, NotAllowedError: 403, StaleRequestError: 409,
    BusyError: 503, StoreError: 503, RulesError: 500,
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What was chosen when the server was started."""

    catalogue: Catalogue
    trainings: learning.Trainings
    store: str
    workers: int
    host: str = "127.0.0.1"
    token: str = ""
    """What every request needs, if the host can be reached from other machines; else ""."""
    address: str = "http://127.0.0.1:8000"


def new_application(settings: Settings) -> Guard:
    """Return the site as an ASGI application."""
    journal, pool = Journal(settings.store), Pool(settings.workers)

    def link(id: str) -> str:
        access = f"?token={settings.token}" if settings.token else ""
        return f"{settings.address}/game/{id}{access}"

    games = Games(settings.catalogue, journal, pool, settings.store, link)
    tournaments = arena.Arena(settings.store, settings.workers)
    channels: set[Channel] = set()

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        # Every thread has memory of its own that is not given back: two do for slow work.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        sweeping = asyncio.create_task(_sweep(games))
        yield
        sweeping.cancel()
        await games.close()
        pool.close()
        await asyncio.to_thread(tournaments.stop)
        await journal.close()

    application = FastAPI(
        title="Plyground",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _handle_errors(application)
    application.include_router(api.new_router(games))
    application.include_router(arena.new_router(tournaments, games))
    application.include_router(learning.new_router(settings.trainings))

    @application.websocket("/ws/game/{id}")
    async def channel(socket: WebSocket, id: str) -> None:
        if len(channels) >= MOST_CHANNELS:
            await socket.accept()
            await socket.close(BUSY, "too many connections: try again later")
            return
        opened = Channel(socket, games)
        channels.add(opened)
        try:
            await opened.run(id)
        finally:
            channels.discard(opened)

    @application.get("/api/status", tags=["server"])
    async def status() -> dict[str, Any]:
        """Return how busy the server is."""
        counts = {"searches": pool.running, "waiting": pool.waiting, "games": len(games)}
        return counts | {"channels": len(channels), "run": tournaments.playing}

    application.include_router(pages.new_router(games, tournaments))
    application.mount("/static", pages.Static())
    return Guard(application, settings.host, settings.token)


async def _sweep(games: Games) -> None:
    while True:
        await asyncio.sleep(SWEEP)
        try:
            await games.sweep()
        except Exception as error:
            show_traceback(error)


def _handle_errors(application: FastAPI) -> None:
    """Answer every error with one line."""

    async def known(request: Request, error: Exception) -> Response:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
        if isinstance(error, StoreError):  # its text names the file
            return refusal(request, status, "the store cannot be read or written")
        return refusal(request, status, shown_text(str(error)))

    async def misshapen(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return refusal(request, 422, f"{place}: {first['msg']}")

    async def plain(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        reason = "there is no such page" if error.status_code == 404 else str(error.detail)
        return refusal(request, error.status_code, reason, error.headers)

    async def unknown(request: Request, error: Exception) -> Response:
        show_traceback(error)
        return refusal(request, 500, "the server could not answer this request")

    application.add_exception_handler(PlygroundError, known)
    application.add_exception_handler(RequestValidationError, misshapen)
    application.add_exception_handler(HTTPException, plain)
    application.add_exception_handler(Exception, unknown)
