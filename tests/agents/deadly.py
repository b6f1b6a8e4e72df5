"""An agent that kills the process it plays in, at its second move."""

import os
import signal

from plyground import Agent, Thought


class Deadly(Agent):
    name = "deadly"

    def choose(self, position, limit, seed):
        if position.ply >= 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return Thought(position.legal_actions[0])
