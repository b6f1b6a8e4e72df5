"""A trained network alone: its likeliest move, without search."""

from __future__ import annotations

from math import inf

from plyground.agents.agent import Limit, Player, Thought
from plyground.agents.trained import Trained
from plyground.game import Game, Position


class Network(Trained):
    """Play the move that a trained network finds likeliest, without search.

    In puzzles a move that leads back to an earlier position is taken only where there is no other.
    Where there is no time for the network, the first legal move is played.
    """

    name = "network"
    deterministic = True

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return NetworkPlayer(self, game, seat, seed)


class NetworkPlayer(Player):
    """One game's player, and its network."""

    agent: Network

    def __init__(self, agent: Network, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._inference = agent.inference(game)

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if self._inference.fitting(inf if limit.seconds is None else limit.seconds) < 1:
            return Thought(position.legal_actions[0], nodes=0)
        values, policy = self._inference.ask_about(position)
        ranked = sorted(policy, key=policy.__getitem__, reverse=True)
        action = ranked[0]
        if self.game.facts.players == 1:
            seen = {earlier.key for earlier in position.line()}
            new = (each for each in ranked if position.play(each).key not in seen)
            action = next(new, action)
        return Thought(action, float(values[position.player]), policy, nodes=1)
