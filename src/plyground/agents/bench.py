"""Node counts of fixed searches: a signature that changes only when a search or a game does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.game import Game, Position
from plyground.games import GAMES
from plyground.search.playout import random_line

DEEPENED = ("alphabeta", "maxn")
SIMULATED = ("mcts(simulations=5000, reuse=False)",)
POSITIONS = 4
ENOUGH = 2000
"""Nodes after which a search that deepens is not taken one ply deeper."""


@dataclass(frozen=True)
class Row:
    """One agent's searches in one game."""

    game: str
    agent: str
    nodes: int
    """The signature: the nodes of all the searches together."""
    seconds: float
    """Of CPU time."""


def samples(game: Game) -> list[Position]:
    """Return positions of random games: a start, then ever later ones, none of them over."""
    found = []
    for number in range(POSITIONS):
        position = game.start(number)
        line = random_line(position, number)
        for action in line[: len(line) * number // POSITIONS]:
            position = position.play(action)
        found.append(position)
    return found


def bench() -> Iterator[Row]:
    """Run every search in every game that it can play."""
    for name in GAMES.inside:
        game = GAMES.load(name)
        positions = samples(game)
        for spec in (*DEEPENED, *SIMULATED):
            agent = load_agent(spec)
            agent.prepare(game)
            began = process_time()
            nodes = sum(count(agent, position) for position in positions)
            yield Row(name, spec, nodes, process_time() - began)


def count(agent: Agent, position: Position) -> int:
    """Count the nodes of one search: to the first depth that takes enough of them."""
    if repr(agent) not in DEEPENED:
        return agent.think(position).nodes or 0
    nodes = 0
    for depth in range(1, position.game.facts.longest + 1):
        nodes = agent.think(position, Limit(depth=depth)).nodes or 0
        if nodes >= ENOUGH:
            break
    return nodes
