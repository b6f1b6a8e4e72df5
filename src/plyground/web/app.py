"""The application: pages, static files, HTTP interface and channels, behind one guard."""

from __future__ import annotations

from importlib.resources import as_file, files

from fastapi import FastAPI
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from plyground import __version__
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


def new_application(host: str = "127.0.0.1", token: str = "") -> Guard:
    """Return the site as an ASGI application."""
    application = FastAPI(
        title="Plyground",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    with as_file(files("plyground.web").joinpath("static")) as folder:
        for address, name in PAGES.items():
            page = FileResponse(folder / name)
            application.add_api_route(address, lambda page=page: page, include_in_schema=False)
        application.mount("/static", StaticFiles(directory=folder))
    return Guard(application, host, token)
