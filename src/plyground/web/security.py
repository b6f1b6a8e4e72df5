"""What a request must fulfil before the site answers it, and the headers of every answer."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
VISITOR, ACCESS = "plyground", "plyground_access"
"""Cookies: the token of a browser, and the token that allows access from other machines."""

LARGEST = 64 * 1024
"""Bytes that a request's body or a message may have."""

BODY_SECONDS = 10.0
"""Seconds in which a request's body must arrive."""

FORBIDDEN, FOREIGN, TOO_SLOW, TOO_LARGE = 403, 4403, 408, 413
LOCAL = ("127.0.0.1", "localhost", "::1")
TOKEN = re.compile(r"[A-Za-z0-9_-]{20,60}")
PLAIN_PATH = re.compile(r"/|(?:/[A-Za-z0-9._~-]+)+/?")
"""The paths of our pages. In others, such as `//host` or `/\\host`, a browser may see a host."""


def new_token() -> str:
    """Return a text that nobody can guess."""
    return secrets.token_urlsafe(24)


def is_local(host: str) -> bool:
    """Return whether only this machine can reach a server on that host."""
    return host in LOCAL


class Guard:
    """An ASGI application round another: refuses foreign requests, sets cookies and headers.

    `token` is needed by every request if the server listens on other hosts than this machine's own.
    """

    def __init__(self, application: Application, host: str, token: str = "") -> None:
        self.application, self.host, self.token = application, host, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.application(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        cookies = _cookies(headers.get("cookie", ""))
        reason = self._refusal(scope, headers)
        if not reason and not self._has_access(headers, cookies):
            address = self._redeemed(scope)
            if address:
                await _redirect(send, address, _cookie(ACCESS, self.token))
                return
            reason = "this site needs the token that was printed when it was started"
        if reason:
            await _refuse(scope, receive, send, FORBIDDEN, reason)
            return
        await self._pass_on(scope, receive, send, headers, cookies)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        """Return why a request is refused; "" if it is not."""
        host = headers.get("host", "")
        if not self._is_known(_hostname(host)):
            return "unknown host"
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if changes and (
            (origin is not None and origin not in (f"http://{host}", f"https://{host}"))
            or site not in ("same-origin", "none")
        ):
            return "requests from other sites are refused"
        return ""

    def _is_known(self, name: str) -> bool:
        """Return whether a host is this server's; names of others lead here by DNS rebinding."""
        if name in LOCAL or name == self.host.lower():
            return True
        if is_local(self.host):
            return False
        try:
            ip_address(name)
        except ValueError:
            return name == socket.gethostname().lower()
        return True

    def _has_access(self, headers: dict[str, str], cookies: dict[str, str]) -> bool:
        given = cookies.get(ACCESS) or headers.get("authorization", "").removeprefix("Bearer ")
        return not self.token or secrets.compare_digest(given.encode(), self.token.encode())

    def _redeemed(self, scope: Scope) -> str:
        """Return the address of ours without the token, if it has the right one; else ""."""
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = dict(query).get("token", "")
        if scope["type"] != "http" or not secrets.compare_digest(
            given.encode(), self.token.encode()
        ):
            return ""
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path: str = scope["raw_path"].decode("latin-1")
        if PLAIN_PATH.fullmatch(path) is None:
            return "/"
        return path + (f"?{rest}" if rest else "")

    async def _pass_on(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        headers: dict[str, str],
        cookies: dict[str, str],
    ) -> None:
        visitor = cookies.get(VISITOR, "")
        is_new = TOKEN.fullmatch(visitor) is None
        scope["visitor"] = visitor = new_token() if is_new else visitor

        async def send_on(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                given = {name.lower() for name, _ in message.get("headers", ())}
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                added = [item for item in more if item[0] not in given]
                if is_new:
                    added.append((b"set-cookie", _cookie(VISITOR, visitor).encode()))
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        if scope["type"] == "websocket":
            await self.application(scope, receive, send_on)
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _body(receive, headers.get("content-length", ""))
        except TimeoutError:
            await _refuse(scope, receive, send, TOO_SLOW, "the request did not arrive in time")
            return
        if body is None:
            await _refuse(
                scope, receive, send, TOO_LARGE, f"at most {LARGEST // 1024} KiB are allowed"
            )
            return
        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive_body() -> Message:
            return next(messages, None) or await receive()

        await self.application(scope, receive_body, send_on)


async def _body(receive: Receive, length: str) -> bytes | None:
    """Return the whole body of a request; None if it is too large."""
    if length.isdecimal() and int(length[:12]) > LARGEST:
        return None
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LARGEST:
            return None
    return body


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": FOREIGN, "reason": reason})
        return
    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    headers += [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f'{{"error": "{reason}"}}'.encode()})


async def _redirect(send: Send, address: str, cookie: str) -> None:
    headers = [(b"location", address.encode("latin-1")), (b"set-cookie", cookie.encode())]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _cookie(name: str, value: str) -> str:
    return f"{name}={value}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}


def _hostname(host: str) -> str:
    """Return a Host header without its port, in small letters."""
    name = host.lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]
