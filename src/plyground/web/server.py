"""The server: one process that answers pages, until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from plyground.errors import OptionError
from plyground.web.app import Settings, new_application
from plyground.web.connections import IDLE_SECONDS, MOST, Connection
from plyground.web.security import LARGEST

FILES = 200
"""Open files beside connections: pipes of workers, the store, files that are sent."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a host and a port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise OptionError(f"cannot listen on {host} port {port}: {reason}") from None
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address by which a browser reaches a socket."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(settings: Settings, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve the site until Ctrl-C; `ready` is called when it answers."""
    _allow_files(MOST + FILES)
    config = uvicorn.Config(
        new_application(settings), log_level="error", access_log=False, server_header=False,
        ws="websockets-sansio", ws_max_size=LARGEST, ws_max_queue=64, ws_ping_interval=20,
        ws_ping_timeout=20, ws_per_message_deflate=False, lifespan="on", date_header=False,
        timeout_graceful_shutdown=3, timeout_keep_alive=IDLE_SECONDS, limit_concurrency=MOST,
        h11_max_incomplete_event_size=LARGEST, proxy_headers=False, http=Connection,
    )  # fmt: skip
    server = _Server(config)
    server.ready = ready
    with suppress(KeyboardInterrupt):  # raised again after everything has been closed
        server.run(sockets=[listening])


def _allow_files(count: int) -> None:
    """Let this process open so many files, as far as it may decide that."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    infinite = resource.RLIM_INFINITY
    if soft != infinite and soft < count:
        allowed = count if hard == infinite else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


class _Server(uvicorn.Server):
    """A server that says when it is ready, and ends quietly on Ctrl-C."""

    ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self.ready()
