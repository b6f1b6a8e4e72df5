"""The pages: files, the description of the HTTP interface, and answers to what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from plyground.errors import PlygroundError
from plyground.spec import parse_spec
from plyground.web.arena import Arena
from plyground.web.games import Games, NotFoundError

STATIC = Path(str(files("plyground.web"))) / "static"
LARGEST_NUMBER = 2**31 - 1
FRESH = {"cache-control": "no-cache"}
"""Pages and their scripts are asked for again each time, so that a page never mixes versions."""

ADVICE = (
    ("/game/", "This link may be cut off or mistyped: ask for it again.",
     "/", "All games"),
    ("/analyse", "Positions can be set up for any game that this server was started with.",
     "/analyse", "Set up a position"),
    ("/arena/", "This tournament or game was not played here, or was removed.",
     "/arena", "All tournaments"),
    ("/", "Check the address, or begin with the list of games.",
     "/", "All games"),
)  # fmt: skip
"""By the beginning of an address: what visitors should know, and where they can go on."""


def new_router(games: Games, arena: Arena) -> APIRouter:
    """Return the routes of the pages; where an address names nothing there is no page."""
    router = APIRouter(include_in_schema=False)

    def check_game(spec: str) -> None:
        try:
            name = parse_spec(spec)[0] if spec else None
        except PlygroundError:
            name = spec
        if name is not None and name not in games.catalogue.games:
            raise NotFoundError("there is no such game")

    @router.get("/")
    def first(game: str = "") -> Response:
        check_game(game)
        return _page("index")

    @router.get("/game/{id}")
    async def game(id: str) -> Response:
        await games.find(id)
        return _page("game")

    @router.get("/analyse")
    def analyse(game: str = "") -> Response:
        check_game(game)
        return _page("analyse")

    @router.get("/arena")
    def runs() -> Response:
        return _page("arena")

    @router.get("/arena/{run}")
    def run(run: str) -> Response:
        arena.run(_number(run))
        return _page("run")

    @router.get("/arena/{run}/{number}")
    def replay(run: str, number: str) -> Response:
        arena.record(_number(run), _number(number))
        return _page("replay")

    @router.get("/learn")
    def learn() -> Response:
        return _page("learn")

    @router.get("/api")
    def describe(request: Request) -> Response:
        return HTMLResponse(_description(request.app.openapi()))

    return router


def _page(name: str) -> Response:
    return FileResponse(STATIC / f"{name}.html", headers=FRESH)


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else 0
    if not 1 <= number <= LARGEST_NUMBER:
        raise NotFoundError("there is no such page")
    return number


class Static(StaticFiles):
    """The files of the folder `static`."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)

    async def get_response(self, path: str, scope: Any) -> Any:
        response = await super().get_response(path, scope)
        response.headers.update(FRESH)
        return response


def refusal(
    request: Request, status: int, reason: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the answer to a request that fails: a page for people, else one line of JSON."""
    path = request.url.path
    if request.method not in ("GET", "HEAD") or path.startswith(("/api/", "/static/")):
        return JSONResponse({"error": reason}, status, headers)
    advice, address, name = next(row[1:] for row in ADVICE if path.startswith(row[0]))
    if status >= 500:
        advice = "Try again in a moment."
    title = reason[:1].upper() + reason[1:]
    content = (
        f"<h1>{escape(title)}</h1><p>{escape(advice)}</p>"
        f'<p class="row"><a class="button main" href="{address}">{escape(name)}</a></p>'
    )
    return HTMLResponse(_written(title, content), status, headers)


def _written(title: str, content: str) -> str:
    """Return a page that the server writes; its script adds only the header."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)} · Plyground</title>'
        '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/style.css">'
        '<link rel="stylesheet" href="/static/pages.css"><script src="/static/theme.js"></script>'
        '<script type="module" src="/static/written.js"></script>'
        f'</head><body><main id="main">{content}</main></body></html>'
    )


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
    links = '<p>For programs: <a href="/api/openapi.json">openapi.json</a>.</p>'
    return _written("HTTP interface", f"<h1>HTTP interface</h1>{links}{''.join(rows)}")
