"""OpenSpiel's bots, on Plyground's games or on OpenSpiel's own."""

from __future__ import annotations

from plyground.agents.agent import Agent, Limit, Thought
from plyground.errors import CannotPlayError, UnknownNameError
from plyground.game import Game, Position
from plyground.options import option


class OpenSpiel(Agent):
    """Play as a bot of OpenSpiel: its MCTS with random rollouts, or a registered bot."""

    name = "openspiel"
    bot: str = option("mcts", help="mcts, or the name of a bot registered in OpenSpiel")
    simulations: int = option(1000, low=1, help="simulations per move of mcts, its only limit")
    native: str = option(
        "", help="OpenSpiel's own game to search in; it must number actions as this game does"
    )

    def accept(self, game: Game) -> None:
        if game.facts.simultaneous:
            raise CannotPlayError(f"{self.name} has no bots for simultaneous moves, as in {game}")

    def prepare(self, game: Game) -> None:
        from plyground.interop import openspiel

        super().prepare(game)
        if self.bot not in openspiel.bots():
            raise UnknownNameError("bot of OpenSpiel", self.bot, openspiel.bots())
        if self.native and self.native.partition("(")[0] not in openspiel.games():
            raise UnknownNameError("game of OpenSpiel", self.native, openspiel.games())

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        from plyground.interop import openspiel

        state = openspiel.state_of(position, self.native)
        simulations = limit.within(simulations=self.simulations).simulations or 0
        return Thought(openspiel.ask(self.bot, state, simulations, seed))
