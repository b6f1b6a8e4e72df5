"""The HTTP interface: the catalogue, positions, thoughts and games."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from plyground.agents.agent import Limit
from plyground.arena.record import Record, write_text
from plyground.errors import CannotPlayError, OptionError
from plyground.export.animation import replay_animation
from plyground.export.replay import replay_page
from plyground.game import Game, Position
from plyground.web.catalogue import DEFAULT_LEVEL, levels, title_of
from plyground.web.drawing import Drawing
from plyground.web.forms import (
    LONGEST_ANALYSIS,
    LONGEST_THOUGHT,
    GameForm,
    MoveBody,
    PositionForm,
    ThoughtForm,
)
from plyground.web.games import Games, NotFoundError
from plyground.web.live import LiveGame, owner_of
from plyground.web.paths import shown_record
from plyground.web.pool import ANALYSIS, Task
from plyground.web.security import LARGEST
from plyground.web.state import written
from plyground.web.thoughts import described, sources_of
from plyground.web.views import EVERYTHING, NOTHING, legal_of, shown_position

GameName = Annotated[str, Path(max_length=60, description="Name of a game, as in the catalogue.")]
GameId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$", description="Id of a game.")]
SVG = "image/svg+xml"

REPLAY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "sandbox allow-scripts"
)
"""A replay page has its own script inside; it may do nothing but show itself."""

SAMPLE_PLIES = 7
"""Moves after which a game's picture in the gallery is taken, if they are not too many."""


def visitor(request: Request) -> str:
    """Return the name by which seats know the visitor of a request."""
    return owner_of(request.scope["visitor"])


def new_router(games: Games) -> APIRouter:
    """Return the routes of the catalogue, positions, thoughts and games."""
    router = APIRouter(prefix="/api", tags=["play"])
    catalogue = games.catalogue

    def game_class(name: str) -> type[Game]:
        if name not in catalogue.games:
            raise NotFoundError("there is no such game")
        return catalogue.games[name]

    @router.get("/catalogue")
    def list_games() -> dict[str, Any]:
        """List the games that can be played, the levels of agents, and limits."""
        rows = [_summary(name, game_class(name).make({})) for name in catalogue.games]
        return {
            "games": rows,
            "levels": levels(),
            "default_level": DEFAULT_LEVEL,
            "limits": {
                "bytes": LARGEST,
                "analysis_seconds": LONGEST_ANALYSIS,
                "thought_seconds": LONGEST_THOUGHT,
            },
        }

    @router.get("/catalogue/{name}")
    def describe_game(name: GameName) -> dict[str, Any]:
        """Describe one game: its options, and the agents that may play it."""
        game = game_class(name).make({})
        players = catalogue.players_of(game)
        agents = [
            {
                "name": agent.name,
                "about": agent.describe()["about"],
                "options": catalogue.form(agent, game),
            }
            for name, agent in catalogue.agents.items()
            if name in players
        ]
        named = [
            {"name": label, "about": "named when the server was started", "options": []}
            for label in catalogue.named
            if label in players
        ]
        return _summary(name, game) | {
            "options": catalogue.form(type(game)),
            "agents": named + agents,
            "levels": levels(),
            "default_level": DEFAULT_LEVEL,
            "examples": [game.start(0).to_text(), *map(Position.to_text, _line(type(game)))],
            "notation": game.notation,
            "sources": list(sources_of(game)),
        }

    @router.get("/catalogue/{name}/picture.svg", response_class=Response)
    def picture(name: GameName) -> Response:
        """Return a picture of a position of the game."""
        return Response(_sample(game_class(name)), media_type=SVG)

    @router.post("/positions")
    def describe_position(form: PositionForm) -> dict[str, Any]:
        """Describe a position: its text, legal actions, result, picture, and who can play it."""
        position = _position(games, form)
        shown = shown_position(position, EVERYTHING)
        drawing = shown.game.draw(shown)
        return {
            "text": position.to_text(),
            "turn": None if position.is_over else position.player,
            "over": position.is_over,
            "returns": position.returns,
            "legal": legal_of(position),
            "agents": catalogue.players_of(position.game),
            "svg": drawing.svg(),
            **Drawing.of(drawing).to_json(),
        }

    @router.post("/thoughts")
    async def think(form: ThoughtForm) -> dict[str, Any]:
        """Let an agent think about a position for a few seconds at most."""
        position = await asyncio.to_thread(_position, games, form)
        if position.is_over:
            raise CannotPlayError("the game is over: there is no move to choose")
        agent = games.opponent(position.game, form)
        start, actions = position.line()[-len(form.actions) - 1].to_text(), tuple(form.actions)
        task = Task(repr(position.game), start, actions, agent.spec, Limit(form.seconds), 0)
        job = games.pool.submit(task, ANALYSIS, form.seconds + 1)
        thought, seconds = await games.pool.last(job)
        return described(position, thought, agent.shown, seconds)

    @router.get("/games")
    async def list_own_games(request: Request) -> dict[str, Any]:
        """List this visitor's games, the latest first."""
        return {"games": await games.listed(visitor(request))}

    @router.post("/games", status_code=201)
    async def make_game(form: GameForm, request: Request) -> dict[str, Any]:
        """Make a game."""
        made = await games.make(visitor(request), form)
        return {"id": made, "link": games.link(made)}

    @router.get("/games/{id}")
    async def read_game(id: GameId, request: Request) -> Response:
        """Return the state of a game, as this visitor sees it."""
        active, owner = await games.find(id), visitor(request)
        active.touch()
        await active.draw(owner)
        text = await asyncio.to_thread(written, active.state(owner))
        return Response(text, media_type="application/json")

    @router.post("/games/{id}/moves")
    async def move(id: GameId, form: MoveBody, request: Request) -> dict[str, Any]:
        """Play a move; the agents' replies come later, see the game's state."""
        active = await games.find(id)
        version = await active.move(visitor(request), form)
        active.touch()
        return {"version": version}

    @router.get("/games/{id}/record.txt", response_class=PlainTextResponse)
    async def record(id: GameId, request: Request) -> PlainTextResponse:
        """Return the game as text."""
        return PlainTextResponse(await asyncio.to_thread(write_text, _open(await _game(id))))

    @router.get("/games/{id}/replay.html", response_class=HTMLResponse)
    async def replay(id: GameId) -> HTMLResponse:
        """Return the game as a page that stands on its own."""
        game = await _game(id)
        page = await asyncio.to_thread(replay_page, game.session.start.game, _open(game))
        return HTMLResponse(page, headers={"content-security-policy": REPLAY_POLICY})

    @router.get("/games/{id}/animation.svg", response_class=Response)
    async def animation(id: GameId) -> Response:
        """Return the game as an animated picture."""
        game = await _game(id)
        svg = await asyncio.to_thread(replay_animation, game.session.start.game, _open(game))
        return Response(svg, media_type=SVG)

    @router.get("/games/{id}/picture.svg", response_class=Response)
    async def board(
        id: GameId, request: Request, ply: Annotated[int | None, Query(ge=0, le=100_000)] = None
    ) -> Response:
        """Return the picture after so many moves, as this visitor sees it."""
        game = await _game(id)
        position = game.position_at(len(game.session.moves) if ply is None else ply)
        view = game.view_of(visitor(request))
        if view == NOTHING:
            raise OptionError("only players see this game before its end")
        return Response(await asyncio.to_thread(_svg, position, view), media_type=SVG)

    async def _game(id: str) -> LiveGame:
        return (await games.find(id)).game

    return router


def _open(game: LiveGame) -> Record:
    """Return a game's record, if that shows nothing that is hidden."""
    if game.session.start.game.facts.hidden and not game.session.is_over:
        raise OptionError("a record shows hidden information: wait until the game is over")
    return shown_record(game.record())


def _summary(name: str, game: Game) -> dict[str, Any]:
    return {
        "name": name,
        "title": title_of(game),
        "about": game.describe()["about"],
        "players": game.facts.players,
        "picture": f"/api/catalogue/{name}/picture.svg",
    }


def _start(game: Game, text: str | None, seed: int) -> Position:
    return game.start(seed) if text is None else game.parse(text)


def _position(games: Games, form: PositionForm) -> Position:
    game = games.catalogue.game(form.game, form.options)
    position = _start(game, form.position, form.seed)
    for action in form.actions:
        position = position.play(action)
    return position


def _svg(position: Position, view: int) -> str:
    shown = shown_position(position, view)
    return shown.game.draw(shown).svg()


@lru_cache(maxsize=64)
def _line(kind: type[Game]) -> tuple[Position, ...]:
    """Return the first positions of a game; every move is the middle one of the legal ones."""
    line = [kind.make({}).start(1)]
    for ply in range(SAMPLE_PLIES):
        legal = line[-1].legal_actions
        if not legal:
            break
        after = line[-1].play(legal[(len(legal) // 2 + 3 * ply) % len(legal)])
        if after.is_over:
            break
        line.append(after)
    return tuple(line)


@lru_cache(maxsize=64)
def _sample(kind: type[Game]) -> str:
    """Return a picture of a game under way."""
    position = _line(kind)[-1]
    return position.game.draw(position).svg()
