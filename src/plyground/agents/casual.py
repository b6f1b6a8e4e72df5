"""Play with mistakes as people make them: the better a move looks, the likelier it is played."""

from __future__ import annotations

import random
from math import exp, log

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.game import Game, Position
from plyground.options import Kind, option

ABSURD = 4.0
"""Moves that look worse than the best by more than so many temperatures are never played."""


class Casual(Agent):
    """Play the better-looking moves more often; what a move looks like, another agent says."""

    name = "casual"
    guesses = False  # left to the agent that judges

    judge: str = option(
        "mcts(simulations=50)", kind=Kind.AGENT, help="agent whose opinion of each move counts"
    )
    temperature: float = option(
        0.1, low=0.001, high=100, help="how much worse a move may look and still be played often"
    )

    def prepare(self, game: Game) -> None:
        load_agent(self.judge).prepare(game)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return CasualPlayer(self, game, seat, seed)


class CasualPlayer(Player):
    """One game's player; the judge thinks about every position anew."""

    agent: Casual

    def __init__(self, agent: Casual, game: Game, seat: int, seed: int = 0) -> None:
        super().__init__(agent, game, seat, seed)
        self._judge = load_agent(agent.judge)

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        few = self.game.facts.players <= 2 and position.observer is None
        values = (self._values if few else self._shares)(position, limit, seed)
        best, unit = max(values.values()), self.agent.temperature
        weights = {
            action: exp((value - best) / unit)
            for action, value in values.items()
            if value >= best - ABSURD * unit
        }
        action = random.Random(seed).choices(list(weights), list(weights.values()))[0]
        total = sum(weights.values())
        policy = {each: weight / total for each, weight in weights.items()}
        return Thought(action, values[action] if few else None, policy)

    def _values(self, position: Position, limit: Limit, seed: int) -> dict[int, float]:
        """Return what the judge expects after each action."""
        values = {}
        for action in position.legal_actions:
            after = position.play(action)
            if after.is_over:
                values[action] = after.returns[position.player]
            else:
                value = self._judge.think(after, limit, seed).value or 0.0
                values[action] = value if after.player == position.player else -value
        return values

    def _shares(self, position: Position, limit: Limit, seed: int) -> dict[int, float]:
        """Return the logarithm of each action's share in the judge's policy.

        With more than two players the value that others expect does not say what one gets oneself.
        """
        policy = self._judge.think(position, limit, seed).policy
        return {action: log(share) for action, share in policy.items() if share > 0.0}
