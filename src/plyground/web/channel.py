"""The channel of a page: a WebSocket on which requests come in and changes of a game go out."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from plyground.agents.agent import Limit
from plyground.errors import (
    CannotPlayError,
    OptionError,
    PlygroundError,
    UnknownNameError,
    show_traceback,
)
from plyground.web import forms
from plyground.web.active import ActiveGame, task_for
from plyground.web.games import Games, NotFoundError
from plyground.web.journal import DamagedRowError
from plyground.web.live import WATCH, LiveGame, NotAllowedError, StaleRequestError, owner_of
from plyground.web.paths import shown_text
from plyground.web.pool import ANALYSIS
from plyground.web.state import written
from plyground.web.thoughts import described
from plyground.web.views import EVERYTHING, NOTHING, shown_position

FASTEST = 40
"""Requests per second that a page may send."""

BEHIND = 400
"""Messages that may wait for a slow page; then it is disconnected, and asks for the state again."""

PREVIEWED = 16
"""Legal actions up to which previews are sent without a request."""

GREETING = 10.0
"""Seconds in which the first message must come."""

GRAPH_SECONDS = 0.15
"""Seconds of search per position of an evaluation graph."""

POLICY, BUSY, NO_GAME = 1008, 1013, 4404
AGAIN = "come back, and ask for the state"


class Channel:
    """One page that shows a game."""

    def __init__(self, socket: WebSocket, games: Games) -> None:
        self.socket, self.games = socket, games
        self.owner = owner_of(socket.scope["visitor"])
        self._outgoing: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(BEHIND)
        self._times: deque[float] = deque(maxlen=FASTEST)
        self._analyses: dict[str, asyncio.Task[None]] = {}
        """The analysis and the graph that are under way, by the kind of request."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_hinting = False
        self._previewed = 0
        """The version whose previews were sent last."""
        self._active: ActiveGame | None = None

    def send(self, message: dict[str, Any]) -> None:
        """Send a message soon; a page that does not keep up is disconnected."""
        try:
            self._outgoing.put_nowait(message)
        except asyncio.QueueFull:
            self.disconnect()
        if message.get("legal") and self._active is not None:
            self._preview_all(self._active)

    def disconnect(self) -> None:
        """Let the page go; it comes back and asks for the state."""
        while not self._outgoing.empty():
            self._outgoing.get_nowait()
        self._outgoing.put_nowait(None)

    async def run(self, id: str) -> None:
        """Serve the page until it goes."""
        await self.socket.accept()
        try:
            active = await self.games.find(id)
        except (NotFoundError, DamagedRowError) as error:
            await self.socket.close(NO_GAME, str(error)[:100])
            return
        except PlygroundError:  # such as a store that is locked
            await self.socket.close(BUSY, AGAIN)
            return
        writer = asyncio.create_task(self._write())
        try:
            async with asyncio.timeout(GREETING):
                hello = forms.REQUEST.validate_json(await self.socket.receive_text())
            if isinstance(hello, forms.Hello):
                self._active = active
                await active.enter(self, hello.version)
                await self._read(active)
            await self._refuse_all("the first message must be hello")
        except (ValidationError, KeyError, ValueError):
            await self._refuse_all("that is no request of the protocol")
        except (WebSocketDisconnect, TimeoutError, RuntimeError):
            pass
        finally:
            active.leave(self)
            for task in (writer, *self._analyses.values(), *self._tasks):
                task.cancel()

    async def _refuse_all(self, reason: str) -> None:
        with suppress(RuntimeError, WebSocketDisconnect):
            await self.socket.close(POLICY, reason)

    async def _write(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            try:
                while (message := await self._outgoing.get()) is not None:
                    if message["type"] == "state":  # that of a long game is large
                        text = await asyncio.to_thread(written, message)
                    else:
                        text = written(message)
                    await self.socket.send_text(text)
            except (TypeError, ValueError) as error:  # a message that cannot be written
                show_traceback(error)
            await self.socket.close(BUSY, AGAIN)

    async def _read(self, active: ActiveGame) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            request = forms.REQUEST.validate_json(await self.socket.receive_text())
            now = clock()
            if len(self._times) == FASTEST and now - self._times[0] < 1.0:
                raise ValueError("too many requests")
            self._times.append(now)
            if isinstance(request, forms.Hello):
                await active.enter(self, request.version)
            elif isinstance(request, forms.Hint):
                self._start(self._answer(active, request))
            else:
                await self._answer(active, request)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, active: ActiveGame, request: Any) -> None:
        """Carry out a request; say that it was accepted, or why not."""
        version: int | None
        try:
            version = await self._carry_out(active, request)
        except Exception as error:  # of any kind, as the page waits for an answer
            self._refuse(active, request, error)
            if isinstance(error, StaleRequestError):
                self.send(active.state(self.owner))
            return
        answer = {"type": "accepted", "request": request.request}
        self.send(answer | {"version": version or active.game.version})

    def _refuse(self, active: ActiveGame, request: Any, error: Exception) -> None:
        """Say why a request is not carried out."""
        show_traceback(error)
        known = isinstance(error, PlygroundError)
        reason = shown_text(str(error)) if known else "the server could not answer this request"
        refusal = {"type": "refused", "request": request.request, "reason": reason}
        self.send(refusal | {"version": active.game.version})

    async def _carry_out(self, active: ActiveGame, request: Any) -> int | None:
        match request:
            case forms.Move():
                return await active.move(self.owner, request)
            case forms.Undo():
                return await active.undo(self.owner, request.request, request.ply)
            case forms.Resign():
                return await active.resign(self.owner, request.request, request.seat)
            case forms.Sit():
                name = request.name
                return await active.sit(self.owner, request.request, request.seat, name)
            case forms.Rematch():
                following = await self.games.rematch(active, self.owner)
                self.send({"type": "rematch", "id": following})
            case forms.Pace():
                await active.set_pace(self.owner, request)
            case forms.Hint():
                if self._is_hinting:
                    raise CannotPlayError("a hint is on its way")
                self._is_hinting = True
                try:
                    self.send(await active.hint(self.owner) | {"request": request.request})
                finally:
                    self._is_hinting = False
            case forms.Preview():
                active.game.check_ply(request.ply)
                self._start(self._preview(active, request.actions, request.request))
            case forms.Analyse():
                self._check_analysis(active, request.ply)
                self._replace(request.type, self._analyse(active, request))
            case forms.Graph():
                self._check_analysis(active, 0, every=True)
                self._replace(request.type, self._graph(active, request))
            case forms.Stop():
                self._end_analyses()
            case forms.Overlay():
                self._overlay(active, request)
        return None

    # Pictures ------------------------------------------------------------------------------------

    def _preview_all(self, active: ActiveGame) -> None:
        """Send previews of all legal actions, once a version, if they are few."""
        game = active.game
        legal = game.session.position.legal_actions
        if self._previewed == game.version:
            return
        self._previewed = game.version
        if len(legal) <= PREVIEWED and game.view_of(self.owner) == EVERYTHING:
            self._start(self._preview(active, list(legal), ""))

    async def _preview(self, active: ActiveGame, actions: list[int], request: str) -> None:
        game, version = active.game, active.game.version
        view, position = game.view(self.owner), game.session.position
        previews = {}
        for action in actions:
            async with self.games.previewing:
                await asyncio.sleep(0)
                if game.version != version:
                    return
                if action in position.legal_actions:
                    previews[action] = view.preview(position, action)
        message = {"type": "previews", "request": request, "version": version}
        self.send(message | {"ply": len(game.session.moves), "previews": previews})

    def _overlay(self, active: ActiveGame, request: forms.Overlay) -> None:
        game = active.game
        rules = game.session.start.game
        if request.name not in rules.overlays:
            raise UnknownNameError("overlay", request.name, rules.overlays)
        if game.view_of(self.owner) != EVERYTHING and not rules.facts.simultaneous:
            raise OptionError("an overlay needs a position in which nothing is hidden")
        if game.view_of(self.owner) == NOTHING:
            raise NotAllowedError("only players see this game before its end")
        position = shown_position(game.position_at(request.ply), game.view_of(self.owner))
        cells = rules.overlay(position, request.name)
        self.send(
            {
                "type": "overlay",
                "request": request.request,
                "version": game.version,
                "ply": request.ply,
                "name": request.name,
                "cells": [[cell, *owned] for cell, owned in cells.items()],
            }
        )

    # Analysis ------------------------------------------------------------------------------------

    def _check_analysis(self, active: ActiveGame, ply: int, every: bool = False) -> None:
        game = active.game
        if "analyse" not in game.allowed(self.owner):
            raise NotAllowedError("a game between people is analysed when it is over")
        position = game.position_at(ply)
        is_hidden = position.game.facts.hidden and not game.session.is_over and game.mode != WATCH
        if is_hidden and (every or position.player not in game.seats_of(self.owner)):
            raise NotAllowedError("what others hide is analysed when the game is over")

    def _replace(self, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Start an analysis in place of the one of its kind that is under way."""
        if kind in self._analyses:
            self._analyses[kind].cancel()
        self._analyses[kind] = asyncio.create_task(work)

    def _end_analyses(self) -> None:
        for task in self._analyses.values():
            task.cancel()
        self._analyses.clear()

    async def _analyse(self, active: ActiveGame, request: forms.Analyse) -> None:
        game, version = active.game, active.game.version
        position = game.position_at(request.ply)
        analysed = position.key
        message: dict[str, Any] = {
            "type": "analysis",
            "request": request.request,
            "version": version,
            "ply": request.ply,
            "source": request.source,
            "thought": None,
            "done": False,
        }
        try:
            agent = game.sources.get(request.source)
            if agent is None:
                raise OptionError(f"there is no {request.source} for this game")
            if not position.is_over:
                position = position.observe(position.player)
                limit = Limit(request.seconds)
                task = task_for(game, request.ply, agent, limit=limit, prove=True)
                job = self.games.pool.submit(task, ANALYSIS, request.seconds + 1)
                try:
                    async for thought, seconds in job:
                        if not _is_at(game, request.ply, analysed):
                            break
                        message["thought"] = described(position, thought, agent, seconds)
                        self.send(dict(message))
                finally:
                    self.games.pool.stop(job)
        except Exception as error:
            self._refuse(active, request, error)
        self.send(message | {"done": True})

    async def _graph(self, active: ActiveGame, request: forms.Graph) -> None:
        game, version = active.game, active.game.version
        agent = game.sources["search"]
        last = len(game.session.moves)
        for ply in range(last + 1):
            position = game.position_at(ply)
            value: float | None = position.returns[position.player] if position.is_over else None
            if not position.is_over:
                task = task_for(game, ply, agent, limit=Limit(GRAPH_SECONDS))
                with suppress(Exception):  # a position without a value; the others have theirs
                    job = self.games.pool.submit(task, ANALYSIS, 2.0)
                    value = (await self.games.pool.last(job))[0].value
            if game.version != version:
                return
            self.send(
                {
                    "type": "evaluation",
                    "request": request.request,
                    "version": version,
                    "ply": ply,
                    "seat": position.player,
                    "value": value,
                    "done": ply == last,
                }
            )


def _is_at(game: LiveGame, ply: int, key: int) -> bool:
    """Return whether the position after a ply is still one with that key."""
    return ply <= len(game.session.moves) and game.position_at(ply).key == key
