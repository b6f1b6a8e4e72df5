"""A person against an agent, in the terminal or line by line as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.arena.record import verdict
from plyground.arithmetic import derive_seed
from plyground.cli.terminal import board, console
from plyground.errors import IllegalAction
from plyground.game import Position

HELP = "type an action, or: ? the legal actions, :hint, :undo, :quit"


def play_person(
    position: Position, agent: Agent, seat: int, limit: Limit, seed: int, *, as_json: bool
) -> None:
    """Let a person in `seat` play against copies of the agent until the game is over."""
    show = _show_json if as_json else _show_board
    agent.prepare(position.game)
    others = _Others(agent, limit, seed)
    show(position.observe(seat), None)
    try:
        while not position.is_over:
            if position.player == seat:
                answer = _ask(position, as_json)
                if answer is None:
                    return
                if answer == ":undo":
                    others.leave(position)
                    position = _undone(position, seat)
                    show(position.observe(seat), None)
                    continue
                thought = None
                if answer == ":hint":
                    hint = others.think(position)
                    print(f"hint: {position.format(hint.action)}", file=sys.stderr)
                    continue
                try:
                    position = position.play(position.parse(answer))
                except IllegalAction as error:
                    print(f"error: {error}", file=sys.stderr)
                    continue
            else:
                thought = others.think(position)
                position = position.play(thought.action)
            show(position if position.is_over else position.observe(seat), thought)
    finally:
        others.leave(position)


class _Others:
    """The agent in every seat where it has been asked to think.

    Whoever remembers the game, as a program may, would be misled by a move taken back: then all
    leave, and sit down again when they are next asked.
    """

    def __init__(self, agent: Agent, limit: Limit, seed: int) -> None:
        self.agent, self.limit, self.seed = agent, limit, seed
        self.seats: dict[int, Player] = {}

    def think(self, position: Position) -> Thought:
        """Let the player to move think."""
        player = position.player
        if player not in self.seats:
            self.seats[player] = self.agent.sit(position.game, player, self.seed)
        seen = position.observe(player)
        return self.seats[player].think(seen, self.limit, derive_seed(self.seed, position.ply))

    def leave(self, position: Position) -> None:
        """End the game, or this course of it."""
        while self.seats:
            self.seats.popitem()[1].close(position.returns)


def _undone(position: Position, seat: int) -> Position:
    """Go back to the person's previous turn, if there was one."""
    earlier = position.previous
    while earlier is not None and earlier.player != seat:
        earlier = earlier.previous
    return position if earlier is None else earlier


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


def _show_board(position: Position, thought: Thought | None) -> None:
    if thought is not None and position.previous is not None and position.action is not None:
        told = position.previous.format(position.action)
        value = "" if thought.value is None else f" (expects {thought.value:+.2f})"
        console.print(f"\nthe agent plays [bold]{told}[/]{value}")
    console.print(board(position))
    if position.is_over:
        console.print(f"[bold]{verdict(position.returns)}[/]")


def _show_json(position: Position, thought: Thought | None) -> None:
    told: dict[str, Any] = {
        "position": position.to_text(),
        "ply": position.ply,
        "action": position.action,
        "player": position.player,
        "legal": [position.format(action) for action in position.legal_actions],
        "over": position.is_over,
        "returns": position.returns,
        "value": thought.value if thought else None,
    }
    print(json.dumps(told), flush=True)
