"""A student's agent that imports from its package and is not named THE_AGENT."""

from . import choice
from .choice import middle
from agent import Agent


class Centred(Agent):
    def go(self, brd):
        assert choice.__name__ == "Group02.choice"
        return middle(brd)


TOURNAMENT_AGENT = Centred("Group02")
