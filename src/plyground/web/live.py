"""One game on the site: who sits where, what is allowed to whom, and the events that change it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

from plyground.agents.agent import Limit, Thought
from plyground.arena.record import Record, verdict
from plyground.errors import (
    CannotPlayError,
    IllegalActionError,
    OptionError,
    PlygroundError,
)
from plyground.game import Position
from plyground.games import GAMES
from plyground.session import Move, Session
from plyground.text import cleaned, shortened
from plyground.web.catalogue import Catalogue
from plyground.web.journal import Event
from plyground.web.paths import shown_text
from plyground.web.thoughts import sources_of
from plyground.web.views import EVERYTHING, NOTHING, View, legal_of

PERSON, AGENT, OPEN = "person", "agent", "open"
PLAY, WATCH, ANALYSIS = "play", "watch", "analysis"
REMEMBERED = 200
"""Requests of moves that are remembered, so that one that is sent twice is played once."""


class StaleRequestError(PlygroundError):
    """A request for a position that is no longer the present one."""


class NotAllowedError(PlygroundError):
    """A request by a visitor who may not make it."""


def owner_of(token: str) -> str:
    """Return the name by which seats know a visitor; the token cannot be found from it."""
    return blake2b(token.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Chair:
    """Who sits in a seat."""

    kind: str
    name: str
    """Empty for people without a name; `LiveGame.names` has what is shown."""
    owner: str = ""
    """The visitor whose seat it is; "" for agents and open seats."""
    agent: str = ""
    """The agent's spec, and what visitors see of it."""
    shown: str = ""
    level: int | None = None


class LiveGame:
    """A game made from its first event; `apply` is the only way in which it changes."""

    def __init__(self, id: str, catalogue: Catalogue, made: Event) -> None:
        self.id, self.made = id, made
        self.mode, self.maker = str(made["mode"]), str(made["maker"])
        self.chairs = [Chair(**chair) for chair in made["seats"]]
        game = GAMES.recall(made["game"])
        self.sources = sources_of(game)
        start = game.parse(made["start"])
        agents = [
            catalogue.recall(chair.agent) if chair.kind == AGENT else None for chair in self.chairs
        ]
        clock = made["clock"]
        limit = Limit(bank=clock["bank"], grace=1.0) if clock else Limit()
        self.session = Session(
            start, agents, limit,
            increment=clock["increment"] if clock else 0.0, seed=made["seed"], prepare=False,
        )  # fmt: skip
        self.version = 1
        self._settled = 1
        """The version since which there were only moves."""
        self.proposal: list[str] = []
        """Visitors who want to take back a move; the first one's last move is meant."""
        self.rematch = ""
        self._requests: dict[str, int] = {}
        self._views: dict[int, View] = {}
        self._legal: tuple[int, list[dict[str, Any]]] = (0, [])
        self.session.begin_with(made["actions"])

    def apply(self, event: Event) -> None:
        """Change the game as an event says; it was checked before it was stored."""
        session, moves = self.session, len(self.session.moves)
        match event["do"]:
            case "move":
                action, value = event["action"], event.get("value")
                thought = Thought(action, value, info={"note": event.get("note", "")})
                is_agent = session.agents[session.seat] is not None
                seconds = event["seconds"]
                session.make(Move(session.seat, action, seconds, thought if is_agent else None))
            case "undo":
                session.undo(event["seat"])
                for view in self._views.values():
                    view.update()
            case "resign":
                session.resign(event["seat"])
            case "forfeit":
                session.forfeit(event["seat"], event["ending"], event["reason"])
            case "sit":
                chair = self.chairs[event["seat"]]
                chair = replace(chair, kind=PERSON, owner=event["owner"], name=event["name"])
                self.chairs[event["seat"]] = chair
                session.resume(0.0)  # nobody could move before
            case "pause":
                session.resume(event["seconds"])
            case "rematch":
                self.rematch = event["id"]
            case unknown:
                raise OptionError(f"there is no event {shortened(repr(unknown))}")
        self.version += 1
        if len(session.moves) != moves + 1:
            self._settled = self.version
        self.proposal.clear()
        if "request" in event:
            self._requests[event["request"]] = self.version
            while len(self._requests) > REMEMBERED:
                del self._requests[next(iter(self._requests))]

    def moves_since(self, version: int) -> int | None:
        """Return the number of moves at a version; None if more than moves followed."""
        if not self._settled <= version <= self.version:
            return None
        return len(self.session.moves) - (self.version - version)

    # Who may do what -----------------------------------------------------------------------------

    def seats_of(self, owner: str) -> list[int]:
        """Return the seats of a visitor."""
        return [seat for seat, chair in enumerate(self.chairs) if chair.owner == owner]

    @property
    def names(self) -> list[str]:
        """The names of the players; people without a name are called by their seat."""
        return [chair.name or f"player {seat}" for seat, chair in enumerate(self.chairs, start=1)]

    @property
    def people(self) -> set[str]:
        """The visitors who have seats."""
        return {chair.owner for chair in self.chairs if chair.owner}

    def is_alone(self, owner: str) -> bool:
        """Return whether nobody but this visitor plays, so that help is no cheating."""
        others = any(chair.kind == OPEN for chair in self.chairs) or self.people - {owner}
        return self.mode == WATCH or (not others and bool(self.seats_of(owner)))

    def view_of(self, owner: str) -> int:
        """Return the seat whose view a visitor is shown, or EVERYTHING or NOTHING."""
        session = self.session
        if not session.position.game.facts.hidden or session.is_over or self.mode == WATCH:
            return EVERYTHING
        seats = self.seats_of(owner)
        if not seats:
            return NOTHING
        return session.seat if session.seat in seats else seats[0]

    def allowed(self, owner: str) -> list[str]:
        """Return the requests that would be accepted from a visitor now."""
        session, seats = self.session, self.seats_of(owner)
        alone, over = self.is_alone(owner), session.is_over
        to_move = session.is_persons_turn and session.seat in seats
        is_moved = any(move.seat in seats for move in session.moves)
        rules = {
            "move": to_move and self.is_complete,
            "undo": self.mode != WATCH
            and bool(seats)
            and (is_moved or session.fault in seats or bool(self.proposal)),
            "hint": to_move and alone,
            "resign": bool(seats) and not over and self.mode == PLAY,
            "rematch": over and (bool(seats) or self.mode == WATCH) and not self.rematch,
            "analyse": over or alone,
            "sit": any(chair.kind == OPEN for chair in self.chairs),
            "pace": self.mode == WATCH and owner == self.maker and not over,
        }
        return [name for name, is_allowed in rules.items() if is_allowed]

    @property
    def is_complete(self) -> bool:
        """Whether every seat has somebody: nobody moves before."""
        return all(chair.kind != OPEN for chair in self.chairs)

    @property
    def is_agents_turn(self) -> bool:
        """Whether an agent is to move."""
        return not self.session.is_over and not self.session.is_persons_turn and self.is_complete

    # Requests, checked and written as events -----------------------------------------------------

    def repeated(self, request: str) -> int | None:
        """Return the version that a request led to, if it was accepted before."""
        return self._requests.get(request)

    def check_ply(self, ply: int) -> None:
        """Raise Stale unless so many moves have been played."""
        if ply != len(self.session.moves):
            raise StaleRequestError(f"the game is at ply {len(self.session.moves)}, not {ply}")

    def move_event(
        self, owner: str, request: str, ply: int, action: int | None, text: str | None
    ) -> Event:
        """Return the event of a person's move."""
        session = self.session
        if session.is_over:
            raise CannotPlayError("the game is over")
        self.check_ply(ply)
        if not self.is_complete:
            raise CannotPlayError("a seat is still open")
        if not session.is_persons_turn or session.seat not in self.seats_of(owner):
            raise NotAllowedError(
                f"it is the turn of player {session.seat + 1}, which is not your seat"
            )
        if action is None:
            if text is None:
                raise OptionError("a move needs its action or its text")
            action = session.position.observe(session.seat).parse(text)
        elif action not in session.position.legal_actions:
            raise IllegalActionError(f"action {action} is not legal here")
        seconds = round(session.seconds_used, 6)
        return {"do": "move", "action": action, "seconds": seconds, "request": request}

    def undo_event(self, owner: str, request: str, ply: int) -> Event | None:
        """Return the event that takes back a move; None if it has only been proposed."""
        self.check_ply(ply)
        if "undo" not in self.allowed(owner):
            raise NotAllowedError("there is no move of yours to take back")
        if owner not in self.proposal:
            self.proposal.append(owner)
        if not self.people <= set(self.proposal):
            return None
        seat = max(self.seats_of(self.proposal[0]), key=self._last_move_of)
        return {"do": "undo", "seat": seat, "request": request}

    def _last_move_of(self, seat: int) -> int:
        plies = [ply for ply, move in enumerate(self.session.moves) if move.seat == seat]
        return plies[-1] if plies else -1

    def resign_event(self, owner: str, request: str, seat: int | None) -> Event:
        """Return the event of a resignation."""
        seats = self.seats_of(owner)
        if "resign" not in self.allowed(owner) or (seat is not None and seat not in seats):
            raise NotAllowedError("only a player can resign, while the game goes on")
        turn = self.session.seat
        chosen = seat if seat is not None else turn if turn in seats else seats[0]
        return {"do": "resign", "seat": chosen, "request": request}

    def sit_event(self, owner: str, request: str, seat: int, name: str) -> Event:
        """Return the event of a visitor who takes an open seat."""
        if seat >= len(self.chairs) or self.chairs[seat].kind != OPEN:
            raise NotAllowedError(f"seat {seat + 1} is not open")
        name = cleaned(name).strip()
        return {"do": "sit", "seat": seat, "owner": owner, "name": name, "request": request}

    # What is shown -------------------------------------------------------------------------------

    def position_at(self, ply: int) -> Position:
        """Return the position after so many moves."""
        moves = len(self.session.moves)
        if ply > moves:
            raise StaleRequestError(f"the game is at ply {moves}, not {ply}")
        return self.session.position.line()[-moves - 1 :][ply]

    def view(self, owner: str) -> View:
        """Return the pictures that a visitor sees, up to date."""
        key = self.view_of(owner)
        if key not in self._views:
            self._views[key] = View(self.session, key)
        self._views[key].update()
        return self._views[key]

    def undrawn(self, owner: str) -> int:
        """Return how many pictures of those that a visitor sees are not drawn yet."""
        known, moves = self._views.get(self.view_of(owner)), len(self.session.moves)
        return moves + 1 if known is None else max(0, moves - len(known.moves))

    def draw(self, owner: str) -> None:
        """Draw the pictures that a visitor sees; in a thread, while the game does not change."""
        key = self.view_of(owner)
        known = self._views.get(key)
        view = View(self.session, key) if known is None else known.copy()
        view.update()
        self._views[key] = view

    def legal(self) -> list[dict[str, Any]]:
        """Return the legal actions as plain data."""
        if self._legal[0] != self.version:
            self._legal = self.version, legal_of(self.session.position.observe(self.session.seat))
        return self._legal[1]

    def outcome(self) -> str:
        """Return how the game ended, in words; "" while it goes on."""
        session = self.session
        if not session.is_over:
            return ""
        if session.fault is None:
            return verdict(session.returns)
        name = self.names[session.fault]
        return f"{name} {session.ending}: {shown_text(session.reason)}"

    def record(self) -> Record:
        """Return the game as a record, with the names that people see, as it is stored."""
        return replace(self.session.record(), names=tuple(self.names))


def made_event(
    start: Position, chairs: list[Chair], mode: str, maker: str, seed: int,
    clock: dict[str, float] | None, actions: list[int],
) -> Event:  # fmt: skip
    """Return the event with which a game begins."""
    return {
        "do": "make",
        "game": repr(start.game),
        "start": start.to_text(),
        "mode": mode,
        "maker": maker,
        "seats": [asdict(chair) for chair in chairs],
        "clock": clock,
        "seed": seed,
        "actions": actions,
    }
