"""One agent for the first moves, another for the rest."""

from __future__ import annotations

from functools import cached_property

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Thought
from plyground.game import Game, Position
from plyground.options import option


class Relay(Agent):
    """Let one agent play everyone's first moves of a game, and another go on."""

    name = "relay"
    guesses = False  # whoever thinks sees to that

    first: str = option("random", help="the agent that begins")
    then: str = option("mcts", help="the agent that goes on")
    moves: int = option(1, low=1, help="rounds of moves until then")

    @cached_property
    def _runners(self) -> tuple[Agent, Agent]:
        return load_agent(self.first), load_agent(self.then)

    def prepare(self, game: Game) -> None:
        for runner in self._runners:
            runner.prepare(game)

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        begins = position.ply < self.moves * position.game.facts.players
        return self._runners[0 if begins else 1].think(position, limit, seed)
