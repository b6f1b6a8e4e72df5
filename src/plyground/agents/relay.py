"""One agent for the first moves, another for the rest."""

from __future__ import annotations

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.game import Game, Position
from plyground.options import Kind, option


class Relay(Agent):
    """Play the first moves as one agent, and the rest of the game as another."""

    name = "relay"
    guesses = False  # left to the agent that chooses the move

    first: str = option("random", kind=Kind.AGENT, help="agent for the first moves")
    then: str = option("mcts", kind=Kind.AGENT, help="agent for the rest of the game")
    moves: int = option(1, low=1, help="moves of each player before the second agent takes over")

    def accept(self, game: Game) -> None:
        for spec in (self.first, self.then):
            load_agent(spec).accept(game)

    def prepare(self, game: Game) -> None:
        for spec in (self.first, self.then):
            load_agent(spec).prepare(game)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return RelayPlayer(self, game, seat, seed, ponder)


class RelayPlayer(Player):
    """Player made of one player of each of the two agents, both in the same seat."""

    agent: Relay

    def __init__(self, agent: Relay, game: Game, seat: int, seed: int, ponder: bool) -> None:
        super().__init__(agent, game, seat, seed)
        self._players: list[Player] = []
        try:
            for spec in (agent.first, agent.then):
                self._players.append(load_agent(spec).sit(game, seat, seed, ponder=ponder))
        except BaseException:
            self.close()
            raise

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        begins = position.ply < self.agent.moves * self.game.facts.players
        return self._players[0 if begins else 1].think(position, limit, seed)

    def watch(self, action: int) -> None:
        for player in self._players:
            player.watch(action)

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        logs = []
        while self._players:
            player = self._players.pop()
            player.close(returns)
            logs.append(player.log)
        self.log = "\n".join(filter(None, reversed(logs)))
