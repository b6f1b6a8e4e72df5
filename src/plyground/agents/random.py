"""Any legal action, each as likely as the others."""

from __future__ import annotations

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import derive_seed
from plyground.game import Position


class Random(Agent):
    """Play any legal action, each as likely as the others."""

    name = "random"

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        legal = position.legal_actions
        return Thought(legal[derive_seed(seed) % len(legal)])  # a generator would cost ten times it
