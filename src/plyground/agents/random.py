"""Random play."""

from __future__ import annotations

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import derive_seed
from plyground.game import Position


class Random(Agent):
    """Play a random legal action, each with equal probability."""

    name = "random"

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        legal = position.legal_actions
        return Thought(
            legal[derive_seed(seed) % len(legal)]
        )  # creating a generator takes ten times as long
