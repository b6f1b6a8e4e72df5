"""Any legal action, each as likely as the others."""

from __future__ import annotations

import random

from plyground.agents.agent import Agent, Limit, Thought
from plyground.game import Position


class Random(Agent):
    """Play any legal action, each as likely as the others."""

    name = "random"

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        return Thought(random.Random(seed).choice(position.legal_actions))
