"""An agent that takes its time, so that a run can be disturbed while it lasts."""

import time

from plyground import Agent, Thought, option


class Slow(Agent):
    name = "slow"
    seconds: float = option(0.005, low=0)

    def choose(self, position, limit, seed):
        time.sleep(self.seconds)
        legal = position.legal_actions
        return Thought(legal[seed % len(legal)], 0.25)
