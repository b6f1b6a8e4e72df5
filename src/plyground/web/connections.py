"""Connections of the server: how long each may wait, and how many there may be.

A connection that waits costs a file of this process, and nothing else would close it: anybody could
lock everybody out before a token is asked for. The oldest one that waits gives way to a new one.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request must arrive."""

IDLE_SECONDS = 30
"""Seconds for which a connection is kept after an answer."""

MOST_IDLE = 200
"""Connections that may wait for a request."""

MOST_OF_ADDRESS = 400
"""Connections from one address, with its channels."""

MOST = 800
"""Connections in all; beyond, requests are answered with 503."""


class Connection(H11Protocol):
    """A connection for HTTP; it gives way while no request of it is being answered."""

    _idle_since = 0.0
    _timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._expect_head()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._end_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.is_idle or self not in self.connections:  # a request, or a channel's protocol
            self._end_timer()
        else:
            self._expect_head()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def timeout_keep_alive_handler(self) -> None:
        self._abort()

    def _expect_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._abort)

    def _end_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _make_room(self) -> None:
        """Close the connection that has waited longest if there are too many."""
        idle = [each for each in self.connections if isinstance(each, Connection) and each.is_idle]
        neighbours = [each for each in self.connections if _host(each) == _host(self)]
        if len(neighbours) > MOST_OF_ADDRESS:
            idle = [each for each in idle if each in neighbours]
        elif len(idle) <= MOST_IDLE:
            return
        min(idle, key=lambda each: each._idle_since)._abort()

    def _abort(self) -> None:
        """Close the connection at once, even if an answer has not been read."""
        self.connections.discard(self)
        self._end_timer()
        self.transport.abort()


def _host(connection: Any) -> str:
    """Return the address of a connection's other end, without its port."""
    return connection.client[0] if connection.client else ""
