"""All games of the site: made, found by their ids, restored from the journal, and let go again."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from plyground.agents.agent import Limit
from plyground.arena.faults import located
from plyground.arena.match import start_seed
from plyground.arena.plan import Run, timestamp
from plyground.arena.record import Record
from plyground.arena.store import Store
from plyground.errors import (
    AgentError,
    GameError,
    OptionError,
    PlygroundError,
    StoreError,
    show_traceback,
)
from plyground.game import Game, Position
from plyground.text import cleaned, counted
from plyground.web.active import ActiveGame
from plyground.web.catalogue import DEFAULT_LEVEL, Catalogue, Opponent, at_level, title_of
from plyground.web.forms import Chosen, GameForm, SeatForm
from plyground.web.journal import PATIENCE, DamagedRowError, Event, Journal
from plyground.web.live import (
    AGENT,
    ANALYSIS,
    OPEN,
    PERSON,
    PLAY,
    WATCH,
    Chair,
    LiveGame,
    made_event,
)
from plyground.web.pool import HINT, BusyError, Pool, Task
from plyground.web.thoughts import sources_of

KEPT = 10.0
"""Seconds that a game stays in memory after its last viewer has gone."""

MOST_ACTIVE = 2000
"""Games in memory at once."""

LISTED = 20
"""Games of a visitor that are listed."""


class NotFoundError(PlygroundError):
    """There is no game, run or training of that name."""


def _start(game: Game, text: str | None, seed: int) -> Position:
    """Return the first position of a game, with its kernels compiled or loaded."""
    game.prepare()
    sources_of(game)
    return game.start(seed) if text is None else game.parse(text)


def _next_start(start: Position, made: Event, seed: int) -> Position:
    """Return the start of a rematch: the same, or another random one if it was random."""
    was_random = not made["actions"] and start == start.game.start(made["seed"])
    return start.game.start(seed) if was_random else start


def _restored(id: str, catalogue: Catalogue, events: list[Event]) -> LiveGame:
    """Return a game made from its events; raise Damaged if one of them cannot be applied."""
    game: LiveGame | None = None
    for version, event in enumerate(events, start=1):
        try:
            if game is None:
                game = LiveGame(id, catalogue, event)
            else:
                game.apply(event)
        except GameError:  # the rules are wrong, not the row
            raise
        except Exception as error:  # of any kind, as any program may have written the row
            show_traceback(error)
            raise DamagedRowError(version, located(error)) from None
    if game is None:
        raise NotFoundError("there is no such game")
    return game


class Games:
    """The games, by their ids; those that nobody looks at are only in the journal."""

    def __init__(
        self, catalogue: Catalogue, journal: Journal, pool: Pool, store: str,
        link: Callable[[str], str],
    ) -> None:  # fmt: skip
        self.catalogue, self.journal, self.pool = catalogue, journal, pool
        self._store, self.link = store, link
        self._active: dict[str, ActiveGame] = {}
        self._loading: dict[str, asyncio.Lock] = {}
        self._damaged: set[str] = set()
        """Games that could not be read, each of which was reported once."""
        self.previewing = asyncio.Lock()
        """Held while a preview is drawn: a click waits for one of them, not for one per page."""

    def __len__(self) -> int:
        return len(self._active)

    async def find(self, id: str) -> ActiveGame:
        """Return a game by its id; read it from the journal if it is not in memory."""
        if id in self._active and not self._active[id].is_lost:
            return self._active[id]
        lock = self._loading.setdefault(id, asyncio.Lock())
        try:
            async with lock:
                if id not in self._active or self._active[id].is_lost:
                    self._active[id] = self._new(await self._read(id))
        finally:
            self._loading.pop(id, None)
        return self._active[id]

    async def _read(self, id: str) -> LiveGame:
        try:
            events = await self.journal.events(id)
            return await asyncio.to_thread(_restored, id, self.catalogue, events)
        except DamagedRowError as damage:
            if id not in self._damaged:
                self._damaged.add(id)
                row = f"version {damage.version} of game {id} in the table site_events"
                print(cleaned(f"{row} cannot be read: {damage.reason}"), file=sys.stderr)
            raise

    def _new(self, game: LiveGame) -> ActiveGame:
        return ActiveGame(game, self.journal, self.pool, self.link, self._keep)

    async def make(self, owner: str, form: GameForm) -> str:
        """Make a game as a visitor wants it; return its id."""
        if len(self._active) >= MOST_ACTIVE:
            raise BusyError("too many games are open: try again later")
        seed = secrets.randbelow(2**31) if form.seed is None else form.seed
        if form.origin is not None:
            start, actions = await self._copied(owner, form.origin.id, form.origin.ply)
        else:
            game = self.catalogue.game(form.game, form.options)
            start, actions = await asyncio.to_thread(_start, game, form.position, seed), []
        if start.observer is not None:
            raise OptionError("a game starts from a position in which nothing is hidden")
        seats = self._seats(start.game, form)
        chairs = [self._chair(start.game, owner, seat, form.mode) for seat in seats]
        if start.is_over:
            raise OptionError("the game would be over before it begins")
        for agent in {chair.agent for chair in chairs if chair.kind == AGENT and not chair.level}:
            await self._check_agent(start, agent)
        mode: str = form.mode
        if mode == PLAY and all(chair.kind == AGENT for chair in chairs):
            mode = WATCH
        clock = None if form.clock is None or mode == ANALYSIS else form.clock.model_dump()
        event = made_event(start, chairs, mode, owner, seed, clock, actions)
        return await self._begin(event, owner)

    async def _begin(self, event: dict[str, Any], owner: str) -> str:
        new = secrets.token_urlsafe(12)
        owners = {chair["owner"] for chair in event["seats"] if chair["owner"]} | {owner}
        game = await asyncio.to_thread(LiveGame, new, self.catalogue, event)
        await self.journal.append(new, 1, event, tuple(owners))
        self._active[new] = self._new(game)
        return new

    async def _copied(self, owner: str, id: str, ply: int | None) -> tuple[Position, list[int]]:
        """Return the start and the first moves of another game."""
        game = (await self.find(id)).game
        if "analyse" not in game.allowed(owner):
            raise OptionError("a game can be copied once it is over")
        session = game.session
        if session.position.game.facts.hidden and not session.is_over:
            raise OptionError("a game with hidden information can be copied once it is over")
        moves = session.moves if ply is None else session.moves[:ply]
        return session.start, [move.action for move in moves]

    def _seats(self, game: Game, form: GameForm) -> list[SeatForm]:
        players = game.facts.players
        if form.mode == ANALYSIS:
            return [SeatForm(kind="person")] * players
        if form.seats is None:
            person, agent = SeatForm(kind="person"), SeatForm(kind="agent")
            return [agent if number or form.mode == WATCH else person for number in range(players)]
        if len(form.seats) != players:
            given = counted(len(form.seats), "seat")
            raise OptionError(f"{game.name} has {counted(players, 'player')}, {given} given")
        return form.seats

    def _chair(self, game: Game, owner: str, seat: SeatForm, mode: str) -> Chair:
        name = cleaned(seat.name).strip()
        if seat.kind == "agent":
            opponent = self.opponent(game, seat)
            return Chair(
                AGENT, name or opponent.name, "", opponent.spec, opponent.shown, opponent.level
            )
        if mode == WATCH:
            raise OptionError("a game that is watched is played by agents alone")
        return Chair(OPEN, name) if seat.kind == "open" else Chair(PERSON, name, owner)

    def opponent(self, game: Game, chosen: Chosen) -> Opponent:
        """Return the agent that a visitor has chosen."""
        if chosen.agent is not None:
            return self.catalogue.agent(game, chosen.agent.name, chosen.agent.options)
        return at_level(chosen.level or DEFAULT_LEVEL)

    async def _check_agent(self, start: Position, agent: str) -> None:
        """Raise an error if an agent cannot play: it is asked for one quick move elsewhere."""
        task = Task(repr(start.game), start.to_text(), (), agent, Limit(0.05), 0)
        try:
            await self.pool.last(self.pool.submit(task, HINT, 1.0))
        except AgentError as error:
            if error.fault != "late":  # slow ones can play
                raise

    async def rematch(self, active: ActiveGame, owner: str) -> str:
        """Make a game with the seats of another one rotated; return its id."""
        game = active.game
        if game.rematch:
            return game.rematch
        if "rematch" not in game.allowed(owner):
            raise OptionError("a rematch follows a game that is over")
        made = game.made
        chairs = [*game.chairs[1:], *game.chairs[:1]]
        seed = start_seed(made["seed"])
        start = await asyncio.to_thread(_next_start, game.session.start, made, seed)
        event = made_event(start, chairs, game.mode, made["maker"], seed, made["clock"], [])
        following = await self._begin(event, owner)
        await active.offer_rematch(following)
        return following

    async def listed(self, owner: str) -> list[dict[str, Any]]:
        """Return a visitor's games in short, the latest first."""
        rows = []
        for known, changed in await self.journal.games_of(owner, LISTED):
            try:
                active = self._active.get(known)
                game = active.game if active else await self._read(known)
            except PlygroundError:
                continue  # it needs a file or an agent that was not named at the start
            session = game.session
            rows.append(
                {
                    "id": known,
                    "game": session.start.game.name,
                    "title": title_of(session.start.game),
                    "mode": game.mode,
                    "ply": len(session.moves),
                    "over": session.is_over,
                    "turn": None if session.is_over else session.seat,
                    "outcome": game.outcome(),
                    "seats": game.names,
                    "yours": game.seats_of(owner),
                    "changed": changed,
                }
            )
        return rows

    async def _keep(self, game: LiveGame) -> None:
        """Store a finished game as a run of its own, where the command line finds it."""
        if game.mode != PLAY and game.mode != WATCH:
            return
        with suppress(PlygroundError):  # the game itself is in the journal
            record = game.record()
            plan = {"game": record.game, "agents": list(record.agents), "games": 1}
            plan |= {"seed": game.session.seed, "opening": 0}
            if record.names != record.agents:
                plan["names"] = list(record.names)
            await asyncio.to_thread(self._store_run, Run(plan, 1, timestamp()), record)

    def _store_run(self, run: Run, record: Record) -> None:
        with Store(self._store, patience=PATIENCE) as database:
            database.add_all(lambda: [(run, record)])

    async def sweep(self) -> None:
        """Take games out of memory that nobody looks at; called every few seconds."""
        now = asyncio.get_running_loop().time()
        for known, active in list(self._active.items()):
            if active.is_idle and now - active.left_at > KEPT:
                try:
                    await active.close()
                except StoreError:
                    continue  # the next sweep tries again
                if active.is_idle:
                    self._active.pop(known, None)

    async def close(self) -> None:
        """Store the clocks of all games, and stop their searches."""
        for active in list(self._active.values()):
            with suppress(StoreError):  # the other games are stored nevertheless
                await active.close()
