"""The command `play`: a person against an agent, in the terminal or line by line as JSON."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Thought
from plyground.cli.arguments import (
    GameName,
    Json,
    PositionText,
    Seconds,
    Seed,
    Settings,
    Strict,
    read_game,
    read_position,
)
from plyground.cli.terminal import board, console
from plyground.errors import BadOption, IllegalAction
from plyground.game import Position
from plyground.session import Session

HELP = "type an action, or: ? the legal actions, :hint, :undo, :resign, :quit"


def play(
    game: GameName,
    agent: Annotated[str, typer.Argument(help="Who plays the other seats.")] = "mcts",
    seat: Annotated[int, typer.Option(min=1, help="Your seat, from 1.")] = 1,
    seconds: Seconds = None,
    seed: Seed = 0,
    strict: Strict = False,
    position: PositionText = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Play against an agent."""
    played, player = read_game(game, settings), load_agent(agent)
    if seat > played.facts.players:
        raise BadOption(f"seat {seat}: {played} has {played.facts.players} players")
    start = read_position(played, position, seed)
    play_person(start, player, seat - 1, Limit(seconds), seed, as_json=as_json)


def play_person(
    position: Position, agent: Agent, seat: int, limit: Limit, seed: int, *, as_json: bool
) -> None:
    """Let a person in `seat` play against players of the agent until the game is over."""
    seats = [None if each == seat else agent for each in range(position.game.facts.players)]
    limits = [Limit() if each is None else limit for each in seats]
    show = _show_json if as_json else _show_board
    with Session(position, seats, limits, adviser=agent, seed=seed) as session:
        show(session, seat)
        while not session.is_over:
            if not session.is_persons_turn:
                session.reply()
            elif not _take_turn(session, seat, limit, as_json):
                return
            show(session, seat)


def _take_turn(session: Session, seat: int, limit: Limit, as_json: bool) -> bool:
    """Do what the person types, up to a move; return False to quit."""
    while True:
        answer = _ask(session.view(seat), as_json)
        if answer is None:
            return False
        if answer == ":hint":
            hint = session.hint(limit)
            print(f"hint: {session.position.format(hint.action)}", file=sys.stderr)
        elif answer == ":undo":
            session.undo(seat)
            return True
        elif answer == ":resign":
            session.resign(seat)
            return True
        else:
            try:
                session.play(session.position.parse(answer))
            except IllegalAction as error:
                print(f"error: {error}", file=sys.stderr)
            else:
                return True


def _ask(position: Position, as_json: bool) -> str | None:
    """Read what the person types; None at the end of input, or to quit."""
    if not as_json:
        console.print(f"your move, player {position.player + 1} (? for help): ", end="")
    line = sys.stdin.readline()
    answer = line.strip()
    if not line or answer == ":quit":
        return None
    if answer in ("?", ""):
        legal = " ".join(position.format(action) for action in position.legal_actions)
        print(f"{HELP}\nlegal: {legal}", file=sys.stderr)
        return _ask(position, as_json)
    return answer


def _last_thought(session: Session) -> Thought | None:
    return session.moves[-1].thought if session.moves else None


def _show_board(session: Session, seat: int) -> None:
    position, thought = session.position, _last_thought(session)
    if thought is not None and position.previous is not None and session.fault is None:
        told = position.previous.format(thought.action)
        value = "" if thought.value is None else f" (expects {thought.value:+.2f})"
        console.print(f"\nthe agent plays [bold]{told}[/]{value}")
    console.print(board(session.view(seat)))
    if session.is_over:
        console.print(session.record().outcome, style="bold", markup=False)


def _show_json(session: Session, seat: int) -> None:
    position, thought = session.view(seat), _last_thought(session)
    told: dict[str, Any] = {
        "position": position.to_text(),
        "ply": position.ply,
        "action": session.moves[-1].action if session.moves else None,
        "player": position.player,
        "legal": [position.format(action) for action in position.legal_actions],
        "over": session.is_over,
        "returns": session.returns,
        "value": thought.value if thought else None,
    }
    if session.fault is not None:
        told |= {"ending": session.ending, "reason": session.reason, "fault": session.fault}
    print(json.dumps(told), flush=True)
