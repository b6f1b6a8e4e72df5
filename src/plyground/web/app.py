"""The application: pages, static files, HTTP interface and channels, behind one guard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, JSONResponse
from starlette.staticfiles import StaticFiles

from plyground import __version__
from plyground.errors import PlygroundError, StoreFailed, show_traceback
from plyground.web import api, arena, learning
from plyground.web.catalogue import Catalogue
from plyground.web.channel import BUSY, Channel
from plyground.web.games import Games, Missing
from plyground.web.journal import Damaged, Journal
from plyground.web.live import Denied, Stale
from plyground.web.pool import Busy, Pool
from plyground.web.security import Guard

PAGES = {
    "/": "index.html",
    "/game/{id}": "game.html",
    "/analyse": "analyse.html",
    "/arena": "arena.html",
    "/arena/{run}": "run.html",
    "/arena/{run}/{number}": "replay.html",
    "/learn": "learn.html",
}
"""Pages by their address; what an address names is read by the page's script."""

STATIC = Path(str(files("plyground.web"))) / "static"
MOST_CHANNELS = 500
SWEEP = 5.0
"""Seconds between two looks for games that nobody looks at."""

STATUS: dict[type[PlygroundError], int] = {
    Missing: 404, Damaged: 410, Denied: 403, Stale: 409, Busy: 503, StoreFailed: 503,
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

    _serve_pages(application)
    return Guard(application, settings.host, settings.token)


async def _sweep(games: Games) -> None:
    while True:
        await asyncio.sleep(SWEEP)
        with suppress(PlygroundError):
            await games.sweep()


def _serve_pages(application: FastAPI) -> None:
    for address, name in PAGES.items():

        def page(name: str = name) -> FileResponse:
            return FileResponse(STATIC / name, headers={"cache-control": "no-cache"})

        application.add_api_route(address, page, include_in_schema=False)

    @application.get("/api", include_in_schema=False)
    def describe() -> HTMLResponse:
        return HTMLResponse(_description(application.openapi()))

    application.mount("/static", _Static(directory=STATIC))


class _Static(StaticFiles):
    """Static files that are asked for again each time, so that a page never mixes versions."""

    async def get_response(self, path: str, scope: Any) -> Any:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


def _handle_errors(application: FastAPI) -> None:
    """Answer every error with one line of JSON."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
        if isinstance(error, StoreFailed):  # its text names the file
            return JSONResponse({"error": "the store cannot be read or written"}, status)
        return JSONResponse({"error": str(error)}, status)

    async def misshapen(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return JSONResponse({"error": f"{place}: {first['msg']}"}, 422)

    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)

    async def unknown(request: Request, error: Exception) -> JSONResponse:
        show_traceback(error)
        return JSONResponse({"error": "the server could not answer this request"}, 500)

    application.add_exception_handler(PlygroundError, known)
    application.add_exception_handler(RequestValidationError, misshapen)
    application.add_exception_handler(HTTPException, plain)
    application.add_exception_handler(Exception, unknown)


def _description(openapi: dict[str, Any]) -> str:
    """Return the description of the HTTP interface as a page, without any script."""
    rows = []
    for path, methods in openapi["paths"].items():
        for method, about in methods.items():
            summary = about.get("description") or about.get("summary", "")
            fields = [f"{p['name']} ({p['in']})" for p in about.get("parameters", ())]
            schema = (
                about.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema", {})
            )
            name = str(schema.get("$ref", "")).rpartition("/")[2]
            content = json.dumps(
                openapi.get("components", {}).get("schemas", {}).get(name, {}), indent=1
            )
            details = (
                f"<details><summary>{escape(name)}</summary><pre>{escape(content)}</pre></details>"
            )
            rows.append(
                f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>"
                f"<p>{escape(summary)}</p><p>{escape(', '.join(fields))}</p>"
                f"{details if name else ''}</section>"
            )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<title>Plyground: HTTP interface</title><link rel="icon" href="/static/icon.svg">'
        '<link rel="stylesheet" href="/static/style.css"><script src="/static/theme.js"></script>'
        '<script type="module" src="/static/api-page.js"></script>'
        '</head><body><main id="main"><h1>HTTP interface</h1>'
        '<p>For programs: <a href="/api/openapi.json">openapi.json</a>.</p>'
        f"{''.join(rows)}</main></body></html>"
    )
