"""SARSA(lambda): a player that learns what its actions are worth by playing, in a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from random import Random

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import derive_seed
from plyground.game import Game, Position
from plyground.options import option

FORGOTTEN = 0.01
"""A trace as faint as this is dropped."""

Known = tuple[Hashable, int]
"""What the table has a value for: a situation, and an action in it."""


class Sarsa(Agent):
    """Play what the table thinks best; `learn` fills it. Equal values are told apart by order."""

    rate: float = option(0.1, low=0, high=1, help="how far a value moves towards what came of it")
    explore: float = option(0.02, low=0, high=1, help="how often a random action is tried")
    discount: float = option(1.0, low=0, high=1, help="what a result counts one move earlier")
    decay: float = option(0.8, low=0, high=1, help="how much of an error earlier actions hear of")

    @cached_property
    def values(self) -> dict[Known, float]:
        """What is known so far, from -1 to 1; all else is worth 0."""
        return {}

    @abstractmethod
    def sense(self, position: Position) -> Hashable:
        """Give what the player to move sees: few situations, so that each comes often."""

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        situation = self.sense(position)
        known = {
            action: self.values.get((situation, action), 0.0) for action in position.legal_actions
        }
        best = max(known, key=known.__getitem__)
        return Thought(best, max(-1.0, min(1.0, known[best])))

    def learn(self, game: Game, opponents: Sequence[Agent], episodes: range, seed: int) -> None:
        """Play games against each opponent in turn, from either seat, and learn from each."""
        for opponent in opponents:
            opponent.prepare(game)
        for episode in episodes:
            random = Random(derive_seed(seed, episode))
            position = game.start(random.getrandbits(32))
            self._episode(position, opponents[episode % len(opponents)], random)

    def _episode(self, position: Position, opponent: Agent, random: Random) -> None:
        seat = random.randrange(2)
        traces: dict[Known, float] = {}
        before: Known | None = None
        while not position.is_over:
            if position.player == seat:
                now = self.sense(position), self._tried(position, random)
                if before is not None:
                    self._hear(traces, before, self.discount * self.values.get(now, 0.0))
                before, action = now, now[1]
            else:
                action = opponent.think(position, seed=random.getrandbits(32)).action
            position = position.play(action)
        if before is not None:
            self._hear(traces, before, position.returns[seat])

    def _tried(self, position: Position, random: Random) -> int:
        if random.random() < self.explore:
            return random.choice(position.legal_actions)
        return self.choose(position, Limit(), 0).action

    def _hear(self, traces: dict[Known, float], before: Known, wanted: float) -> None:
        """Move the value of the last action, and of those before it, towards what is wanted."""
        error = wanted - self.values.get(before, 0.0)
        traces[before] = 1.0
        for known in list(traces):
            self.values[known] = self.values.get(known, 0.0) + self.rate * traces[known] * error
            traces[known] *= self.discount * self.decay
            if traces[known] < FORGOTTEN:
                del traces[known]
