"""A game in memory: its viewers, its agents' searches, its clocks, and the order of changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from plyground.agents.agent import Limit, Thought
from plyground.arena.faults import fault_of
from plyground.arithmetic import derive_seed
from plyground.errors import CannotPlayError, StoreError
from plyground.web.catalogue import LEVEL_SECONDS
from plyground.web.forms import MoveBody, Pace
from plyground.web.journal import Event, Journal
from plyground.web.live import WATCH, LiveGame, NotAllowedError
from plyground.web.pool import HINT, REPLY, BusyError, Pool, Task
from plyground.web.state import situation_of, state_of
from plyground.web.thoughts import described, note_of
from plyground.web.views import EVERYTHING

LINGER = 10.0
"""Seconds after the last viewer has gone, after which searches end."""

MOVE_SECONDS = 30.0
"""Seconds after which an agent without a clock must have moved."""

FEW = 4
"""Pictures that are drawn at once; more of them are drawn in a thread."""

ADVISER, HINT_SECONDS = "champion", 3.0
"""The agent that gives hints, and its thinking time."""


class Viewer(Protocol):
    """Somebody to whom the game is shown."""

    owner: str

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, now or soon."""

    def disconnect(self) -> None:
        """Let the page go; it comes back and asks for the state."""


class ActiveGame:
    """A game that is being played or watched; changes are stored and shown one after another."""

    def __init__(
        self, game: LiveGame, journal: Journal, pool: Pool, link: Callable[[str], str],
        finished: Callable[[LiveGame], Coroutine[Any, Any, None]],
    ) -> None:  # fmt: skip
        self.game, self._journal, self._pool = game, journal, pool
        self._link, self._finished = link, finished
        self._viewers: dict[Viewer, int] = {}
        """The viewers, each with the view that it was last shown."""
        self._lock = asyncio.Lock()
        self._thinking: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.seat_thinking: int | None = None
        self.pace = Pace(type="pace", request="-", seconds=0.7 if game.mode == WATCH else 0.0)
        self.left_at = asyncio.get_running_loop().time()
        """When the last viewer went, or somebody last asked for the game without a channel."""
        self.is_lost = False
        """Whether it differs from what is stored, so that it has to be read again."""

    # Viewers -------------------------------------------------------------------------------------

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks at the game, or did so a few seconds ago."""
        return bool(self._viewers) or asyncio.get_running_loop().time() < self.left_at + LINGER

    @property
    def is_idle(self) -> bool:
        """Whether the game can be taken out of memory."""
        return not self._viewers and self._thinking is None and not self._lock.locked()

    def online(self) -> set[str]:
        """Return the visitors who are looking at the game."""
        return {viewer.owner for viewer in self._viewers}

    async def draw(self, owner: str) -> None:
        """Draw what a visitor has not been shown; in a long game this takes a second."""
        if self.game.undrawn(owner) > FEW:
            async with self._lock:
                await self._draw(owner)

    async def _draw(self, owner: str) -> None:
        """Draw what a visitor has not been shown. The lock must be held."""
        if self.game.undrawn(owner) > FEW:
            await asyncio.to_thread(self.game.draw, owner)

    async def enter(self, viewer: Viewer, version: int | None) -> None:
        """Add a viewer, and send what it does not know yet."""
        await self.draw(viewer.owner)
        if not self._viewers and not self.game.session.moves:
            self.game.session.resume(0.0)  # the clock starts when somebody looks
        self._viewers[viewer] = self.game.view_of(viewer.owner)
        missing = self._missing(viewer, version)
        if missing is None:
            viewer.send(self.state(viewer.owner))
        else:
            for message in missing:
                viewer.send(message)
        self._tell_all(but=viewer)
        self.wake()

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer; without any, searches end after a while."""
        self._viewers.pop(viewer, None)
        self._tell_all(but=viewer)
        self.touch()

    def touch(self) -> None:
        """Note that somebody looks at the game now, and let its agents think for a while."""
        loop = asyncio.get_running_loop()
        self.left_at = loop.time()
        loop.call_later(LINGER + 0.1, self._stop_if_left)
        self.wake()

    def _stop_if_left(self) -> None:
        if not self.is_watched:
            self.stop()

    def _missing(self, viewer: Viewer, version: int | None) -> list[dict[str, Any]] | None:
        """Return the messages since a version; None if only the whole state will do."""
        game = self.game
        if version == game.version:
            return [{"type": "current"} | self.situation(viewer.owner)]
        behind = game.version - (version or 0)
        moves = game.view(viewer.owner).moves
        since = game.moves_since(version) if version else None
        if since is None or behind > 50 or game.view_of(viewer.owner) != EVERYTHING:
            return None
        return [
            {"type": "move", "move": move} | self.situation(viewer.owner) for move in moves[since:]
        ]

    def situation(self, owner: str) -> dict[str, Any]:
        """Return the changing part of the state, for one visitor."""
        pace = {"seconds": self.pace.seconds, "paused": self.pace.paused}
        situation = situation_of(self.game, owner, self.online())
        return situation | {"pace": pace, "thinking": self.seat_thinking}

    def state(self, owner: str) -> dict[str, Any]:
        """Return the whole state for a visitor."""
        return state_of(self.game, owner, self._link(self.game.id)) | self.situation(owner)

    def _tell_all(self, but: Viewer | None = None) -> None:
        """Send the situation to all viewers, or all but one."""
        for viewer in list(self._viewers):
            if viewer is not but:
                viewer.send({"type": "situation"} | self.situation(viewer.owner))

    def _show(self, event: Event) -> None:
        """Send an event to all viewers; one whose view has changed gets the whole state."""
        kind = {"move": "move", "undo": "undo"}.get(event["do"], "situation")
        for viewer, shown in list(self._viewers.items()):
            key = self.game.view_of(viewer.owner)
            self._viewers[viewer] = key
            if key != shown:
                viewer.send(self.state(viewer.owner))
                continue
            message = {"type": kind} | self.situation(viewer.owner)
            moves = self.game.view(viewer.owner).moves
            if kind == "move" and len(moves) == len(self.game.session.moves) and moves:
                message["move"] = moves[-1]
            viewer.send(message)

    # Changes -------------------------------------------------------------------------------------

    async def change(self, event: Event, owners: tuple[str, ...] = ()) -> int:
        """Store an event, apply it and show it; return the new version. The lock must be held."""
        game, was_over = self.game, self.game.session.is_over
        moves = len(game.session.moves)
        try:
            await self._journal.append(game.id, game.version + 1, event, owners)
        except StoreError:
            self.is_lost = True
            for viewer in list(self._viewers):
                viewer.disconnect()
            raise
        game.apply(event)
        if event["do"] == "move" and len(game.session.moves) == moves:
            event = {"do": "forfeit"}  # it came too late
        if event["do"] in ("move", "undo", "forfeit", "resign"):
            self.stop()
        for viewer in list(self._viewers):
            await self._draw(viewer.owner)
        self._show(event)
        if game.session.is_over and not was_over:
            await self._finished(game)
        self.wake()
        return game.version

    async def move(self, owner: str, form: MoveBody) -> int:
        """Play a person's move; return the version after it. A repeated request is played once."""
        async with self._lock:
            known = self.game.repeated(form.request) if form.request != "-" else None
            if known is not None:
                return known
            await self._expire()
            event = self.game.move_event(owner, form.request, form.ply, form.action, form.text)
            return await self.change(event)

    async def undo(self, owner: str, request: str, ply: int) -> int:
        """Take back a move, or propose it."""
        async with self._lock:
            event = self.game.undo_event(owner, request, ply)
            if event is not None:
                return await self.change(event)
            self._tell_all()
            return self.game.version

    async def resign(self, owner: str, request: str, seat: int | None) -> int:
        """End the game by a resignation."""
        async with self._lock:
            return await self.change(self.game.resign_event(owner, request, seat))

    async def sit(self, owner: str, request: str, seat: int, name: str) -> int:
        """Assign an open seat to a visitor."""
        async with self._lock:
            return await self.change(self.game.sit_event(owner, request, seat, name), (owner,))

    async def offer_rematch(self, id: str) -> None:
        """Note the game that follows this one, and tell all viewers."""
        async with self._lock:
            await self.change({"do": "rematch", "id": id})
        for viewer in list(self._viewers):
            viewer.send({"type": "rematch", "id": id})

    async def set_pace(self, owner: str, pace: Pace) -> None:
        """Set the speed of a game between agents."""
        if "pace" not in self.game.allowed(owner):
            raise NotAllowedError("only the visitor who began a game between agents sets its pace")
        self.pace = pace
        self.stop()
        self._tell_all()
        self.wake()

    async def pause(self) -> None:
        """Stop searches, and store how much of its time the player to move has used."""
        self.stop()
        async with self._lock:
            session = self.game.session
            if self.game.made["clock"] and session.seat_timed is not None:
                event = {"do": "pause", "seconds": round(session.seconds_used, 3)}
                await self._journal.append(self.game.id, self.game.version + 1, event)
                self.game.apply(event)

    async def _expire(self) -> None:
        """End the game if the person to move has run out of time. The lock must be held."""
        session = self.game.session
        if session.overtime > 0:
            reason = f"took {session.overtime:.3f} s too long"
            await self.change(_forfeit(session.seat, "late", reason))

    # Agents and clocks ---------------------------------------------------------------------------

    def wake(self) -> None:
        """Start what has to happen next: an agent's search, or a timer for a person's clock."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        game, session = self.game, self.game.session
        if session.is_over or not self.is_watched:
            return
        if game.is_agents_turn:
            is_halted = self.pace.paused and not self.pace.step
            if self._thinking is None and not is_halted:
                self._thinking = asyncio.create_task(self._reply())
            return
        seat = session.seat_timed
        left = None if seat is None else session.seconds_left(seat)
        if left is not None:
            wait = max(0.0, left) + session.limits[session.seat].grace + 0.01
            self._timer = asyncio.get_running_loop().call_later(wait, self._time_out)

    def _time_out(self) -> None:
        async def expire() -> None:
            async with self._lock:
                with suppress(StoreError):
                    await self._expire()

        _kept(asyncio.create_task(expire()))

    def stop(self) -> None:
        """Stop the search of the agent to move."""
        if self._thinking is not None and self._thinking is not asyncio.current_task():
            self._thinking.cancel()
        self._thinking, self.seat_thinking = None, None

    def _task(self, agent: str, **more: Any) -> Task:
        return task_for(self.game, len(self.game.session.moves), agent, **more)

    async def _reply(self) -> None:
        """Let the agent to move think, then play its move."""
        game, session = self.game, self.game.session
        version, seat = game.version, session.seat
        self.seat_thinking = seat
        self._tell(version, seat, None)
        loop = asyncio.get_running_loop()
        earliest = loop.time() + self.pace.seconds
        try:
            thought, seconds = await self._think(version, seat)
            session.position.play(thought.action)
            event = {
                "do": "move",
                "action": thought.action,
                "seconds": round(seconds, 6),
                "value": thought.value,
                "note": note_of(session.position, thought),
            }
        except Exception as error:  # the others wait for this move
            event = _forfeit(seat, *fault_of(error))
        await asyncio.sleep(max(0.0, earliest - loop.time()))
        async with self._lock:
            self._thinking, self.seat_thinking = None, None
            if game.version != version:
                self.wake()
                return
            self.pace = self.pace.model_copy(update={"step": False})
            with suppress(StoreError):  # the pages come back and ask for the state
                await self.change(event)

    async def _think(self, version: int, seat: int) -> tuple[Thought, float]:
        """Return the thought of the agent to move, and its seconds."""
        limit, chair = self.game.session.allowance(), self.game.chairs[seat]
        wait = min(limit.wait, MOVE_SECONDS)
        if chair.level is not None:
            limit = limit.otherwise(seconds=LEVEL_SECONDS)
        task = self._task(chair.agent, limit=limit)
        while True:
            try:
                job = self._pool.submit(task, REPLY, wait)
                break
            except BusyError:
                await asyncio.sleep(1.0)
        return await self._pool.last(job, lambda last: self._tell(version, seat, last))

    def _tell(self, version: int, seat: int, last: tuple[Thought, float] | None) -> None:
        """Show that an agent thinks; what it thinks is shown only where agents play each other."""
        thought = None
        if last is not None:
            if self.game.mode != WATCH:
                return
            agent = self.game.chairs[seat].shown
            position = self.game.session.position
            thought = described(position, last[0], agent, last[1])
        for viewer in list(self._viewers):
            viewer.send({"type": "thinking", "version": version, "seat": seat, "thought": thought})

    async def hint(self, owner: str) -> dict[str, Any]:
        """Return what an agent would play for a person, as a message."""
        game = self.game
        if game.session.is_over:
            raise CannotPlayError("the game is over")
        if "hint" not in game.allowed(owner):
            raise CannotPlayError("a hint is given to a person to move who plays against no other")
        ply, version = len(game.session.moves), game.version
        position = game.session.view(game.session.seat)
        task = self._task(ADVISER, limit=Limit(HINT_SECONDS))
        job = self._pool.submit(task, HINT, HINT_SECONDS + 1)
        thought, seconds = await self._pool.last(job)
        content = described(position, thought, ADVISER, seconds)
        return {"type": "hint", "version": version, "ply": ply, "thought": content}

    async def close(self) -> None:
        """Stop everything, before the game leaves memory or the server ends."""
        thinking = self._thinking
        if self._timer is not None:
            self._timer.cancel()
        await self.pause()
        if thinking is not None:
            with suppress(asyncio.CancelledError):
                await thinking


def _forfeit(seat: int, ending: str, reason: str) -> Event:
    return {"do": "forfeit", "seat": seat, "ending": ending, "reason": reason}


def task_for(game: LiveGame, ply: int, agent: str, **more: Any) -> Task:
    """Return the task to think about the position after so many moves."""
    session = game.session
    actions = tuple(move.action for move in session.moves[:ply])
    return Task(
        repr(session.start.game), session.start.to_text(), actions, agent,
        seed=derive_seed(session.seed, ply), **more,
    )  # fmt: skip


_TASKS: set[asyncio.Task[None]] = set()


def _kept(task: asyncio.Task[None]) -> None:
    """Keep a task until it is done: the event loop holds it only weakly."""
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)
