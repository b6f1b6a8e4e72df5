"""A running site for tests: a real server in a process of its own, and clients of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import httpx
from websockets.sync.client import connect

from plyground.web.app import Settings, new_application
from plyground.web.catalogue import Catalogue
from plyground.web.learning import Trainings

WAIT = 60
"""Seconds for anything that should come at once; a busy machine compiles kernels meanwhile."""


class Site:
    """A server process on a free port of this machine."""

    def __init__(self, store: Path, *arguments: str) -> None:
        self.store = store
        command = [sys.executable, "-m", "plyground", "serve", "--port", "0", "--json"]
        self.process = subprocess.Popen(
            [*command, *arguments], env=os.environ | {"PLYGROUND_STORE": str(store)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.address = json.loads(line)["address"]

    def stop(self, number: int = signal.SIGINT) -> str:
        """End the server; return what it wrote to standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.communicate(timeout=WAIT)[1]


@contextmanager
def running(store: Path, *arguments: str):
    site = Site(store, *arguments)
    try:
        yield site
    finally:
        site.stop(signal.SIGKILL)


@asynccontextmanager
async def served(store: Path, *, game_files=(), agents=(), trainings=()):
    """Yield a client of a site that runs in this process, without a server."""
    catalogue, folders = Catalogue(game_files, agents), Trainings(trainings)
    guard = new_application(Settings(catalogue, folders, str(store), workers=1))
    lifespan = guard.application.router.lifespan_context(guard.application)
    transport = httpx.ASGITransport(guard, raise_app_exceptions=False)
    async with (
        lifespan,
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        yield client


class Visitor:
    """A browser: cookies, HTTP requests, and channels to games."""

    def __init__(self, address: str, **cookies: str) -> None:
        self.http = httpx.Client(base_url=address, cookies=cookies, timeout=WAIT)
        self.http.get("/")

    def make(self, game: str, **form) -> str:
        answer = self.http.post("/api/games", json={"game": game} | form)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    @contextmanager
    def join(self, game: str, version: int | None = None, **headers: str):
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = str(self.http.base_url).replace("http", "ws", 1).rstrip("/")
        headers = {"Cookie": cookies} | headers
        with connect(f"{address}/ws/game/{game}", additional_headers=headers) as socket:
            page = Page(socket)
            page.tell(type="hello", version=version)
            yield page


class Page:
    """An open channel: what it was sent last, and the requests it sends."""

    numbers = count()

    def __init__(self, socket) -> None:
        self.socket = socket
        self.state: dict = {}
        self.seen: list[dict] = []
        """All messages so far."""

    def tell(self, **message) -> None:
        self.socket.send(json.dumps(message))

    def hear(self) -> dict:
        """Return the next message; keep the state up to date as a page does."""
        message = json.loads(self.socket.recv(timeout=WAIT))
        self.seen.append(message)
        if "legal" in message:
            whole = message["type"] == "state"
            moves = message["moves"] if whole else self.state.get("moves", [])[: message["ply"]]
            if message["type"] == "move":
                moves = [*moves[: message["move"]["ply"] - 1], message["move"]]
            self.state = self.state | message | {"moves": moves}
        return message

    def wait(self, kind: str, **fields) -> dict:
        """Return the next message of a kind with these fields."""
        while True:
            message = self.hear()
            if message["type"] == kind and all(message[name] == fields[name] for name in fields):
                return message

    def ask(self, kind: str, **fields) -> dict:
        """Send a request; return the answer: accepted or refused."""
        request = f"r{os.getpid()}-{next(self.numbers)}"
        self.tell(**{"type": kind, "request": request} | fields)
        while True:
            message = self.hear()
            if message.get("request") == request and message["type"] in ("accepted", "refused"):
                return message

    def move(self, action: int) -> dict:
        return self.ask("move", ply=len(self.state["moves"]), action=action)

    def wait_for_turn(self) -> None:
        """Wait until this page may move, or the game is over."""
        while not self.state or not (self.state["legal"] or self.state["over"]):
            self.hear()


def drawn(state):
    """Apply the operations of a state's moves as a page does; return the shapes by id, in order."""
    shapes = {shape["id"]: dict(shape) for shape in state["start"]["shapes"]}
    for move in state["moves"]:
        for step in move["operations"]:
            shapes = applied(shapes, step)
    return list(shapes.values())


def applied(shapes, step):
    name = step.get("id")
    match step["do"]:
        case "redraw":
            return {shape["id"]: dict(shape) for shape in step["shapes"]}
        case "remove":
            return {key: shape for key, shape in shapes.items() if key != name}
        case "set":
            shapes[name]["svg"] = step["svg"]
            return shapes
        case "move":
            shapes[name] |= {"x": step["x"], "y": step["y"]}
            return shapes
    added = step["do"] == "add"
    shape = {part: step[part] for part in ("id", "x", "y", "svg")} if added else shapes.pop(name)
    rest = list(shapes.values())
    at = len(rest) if step["before"] is None else list(shapes).index(step["before"])
    return {shape["id"]: shape for shape in [*rest[:at], shape, *rest[at:]]}
