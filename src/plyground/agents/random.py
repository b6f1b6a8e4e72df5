"""Any legal action, each as likely as the others."""

from __future__ import annotations

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import random_below, random_stream
from plyground.game import Position


class Random(Agent):
    """Play any legal action, each as likely as the others."""

    name = "random"

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        actions = position.legal_actions
        return Thought(actions[int(random_below(random_stream(seed), len(actions)))])
