"""Connections to the site: those that wait, those that are too many, and everybody else."""

import asyncio
import socket
from contextlib import asynccontextmanager

import uvicorn

from plyground.web import connections, security
from plyground.web.connections import Connection
from plyground.web.security import Guard

REQUEST = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
WAIT = 30
"""Seconds for anything that should come at once."""


@asynccontextmanager
async def serving():
    """Yield a function that connects to a server; its page /slow is never answered."""

    async def application(scope, receive, send):
        if scope["path"] == "/slow":
            await asyncio.sleep(60)
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(
        Guard(application, "localhost"), http=Connection, lifespan="off", log_level="critical",
        timeout_graceful_shutdown=0,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.create_task(server.serve([listening]))
        yield lambda: asyncio.open_connection(*listening.getsockname())
        server.should_exit = True
        await asyncio.wait_for(task, WAIT)


async def answer(reader):
    """Return the next answer on a connection; b"" if it was closed instead."""
    try:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)
        return head + await asyncio.wait_for(reader.readexactly(2), WAIT)
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


async def is_closed(reader):
    try:
        return await asyncio.wait_for(reader.read(), WAIT) == b""
    except ConnectionError:
        return True


def test_requests_must_arrive_in_time(monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(security, "BODY_SECONDS", 0.2)

    async def trickle(writer):
        for letter in b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + 1000 * b"x":
            writer.write(bytes([letter]))
            await asyncio.sleep(0.05)

    async def use():
        async with serving() as connect:
            silent, _ = await connect()
            half, writer = await connect()
            writer.write(REQUEST[:-2])
            slow, trickled = await connect()
            trickling = asyncio.create_task(trickle(trickled))
            kept, asking = await connect()
            for _ in range(2):
                asking.write(REQUEST % b"")
                assert (await answer(kept)).endswith(b"ok")
            asking.write(b"GET")  # the next request of a connection has no more time
            posting, body = await connect()
            body.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
            assert (await answer(posting)).startswith(b"HTTP/1.1 408")
            assert all([await is_closed(each) for each in (silent, half, slow, kept)])
            trickling.cancel()

    asyncio.run(use())


def test_those_that_wait_longest_give_way(monkeypatch):
    monkeypatch.setattr(connections, "MOST_IDLE", 3)
    monkeypatch.setattr(connections, "MOST_OF_ADDRESS", 5)

    async def use():
        async with serving() as connect:
            first, asking = await connect()
            waiting = [await connect() for _ in range(2)]
            asking.write(REQUEST % b"")
            assert (await answer(first)).endswith(b"ok")  # it waits since then
            await connect()
            assert await is_closed(waiting[0][0])
            asking.write(REQUEST % b"")
            assert (await answer(first)).endswith(b"ok")
            for _ in range(5):  # requests that are being answered do not give way
                _, writer = await connect()
                writer.write(REQUEST % b"slow")
                await writer.drain()
                await asyncio.sleep(0.05)
            assert await is_closed((await connect())[0])

    asyncio.run(use())
