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
"""A deepening search ends at the first depth that takes at least this many nodes."""


@dataclass(frozen=True)
class Row:
    """One agent's searches in one game."""

    game: str
    agent: str
    nodes: int
    """Nodes of all searches together; the signature is the sum of all rows."""
    seconds: float
    """CPU time."""


def samples(game: Game) -> list[Position]:
    """Return positions of random games: a start, then ever later ones, none of them over."""
    positions = []
    for number in range(POSITIONS):
        position = game.start(number)
        line = random_line(position, number)
        for action in line[: len(line) * number // POSITIONS]:
            position = position.play(action)
        positions.append(position)
    return positions


def bench() -> Iterator[Row]:
    """Run every search in every game, and yield a row for each."""
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
    """Return the nodes of one search; a deepening one goes on until it takes ENOUGH."""
    if repr(agent) not in DEEPENED:
        return agent.think(position).nodes or 0
    nodes = 0
    for depth in range(1, position.game.facts.longest + 1):
        nodes = agent.think(position, Limit(depth=depth)).nodes or 0
        if nodes >= ENOUGH:
            break
    return nodes
