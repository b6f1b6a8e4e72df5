"""OpenSpiel's bots, on our games or on OpenSpiel's own."""

from __future__ import annotations

from plyground.agents.agent import Agent, Limit, Thought
from plyground.errors import CannotPlay, UnknownName
from plyground.game import Game, Position
from plyground.options import option


class OpenSpiel(Agent):
    """Ask a bot of OpenSpiel: its MCTS with random rollouts, or one that it has by name."""

    name = "openspiel"
    bot: str = option("mcts", help="mcts, or the name of one of OpenSpiel's bots")
    simulations: int = option(
        1000, low=1, help="simulations per move of mcts, which has no other limit"
    )
    native: str = option(
        "", help="OpenSpiel's own game to search in; its actions must be those of ours"
    )

    def prepare(self, game: Game) -> None:
        from plyground.interop import openspiel

        super().prepare(game)
        if self.bot not in openspiel.bots():
            raise UnknownName("bot of OpenSpiel", self.bot, openspiel.bots())
        if self.native and self.native.partition("(")[0] not in openspiel.games():
            raise UnknownName("game of OpenSpiel", self.native, openspiel.games())
        if game.facts.simultaneous:
            raise CannotPlay(f"{self.name} has no bots for games played at once, as {game}")

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        from plyground.interop import openspiel

        state = openspiel.state_of(position, self.native)
        simulations = limit.within(simulations=self.simulations).simulations or 0
        return Thought(openspiel.ask(self.bot, state, simulations, seed))
