"""SARSA(lambda): a player that learns what its actions are worth by playing, in a table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from random import Random

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import derive_seed
from plyground.game import Game, Position

FORGOTTEN = 0.01
"""A trace as faint as this is dropped."""

Known = tuple[Hashable, int]
"""What the table has a value for: a situation, and an action in it."""


class Sarsa:
    """A learner: games fill its table of what actions are worth; `agent` plays by the table."""

    def __init__(
        self,
        sense: Callable[[Position], Hashable],
        *,
        rate: float = 0.1,
        explore: float = 0.02,
        discount: float = 1.0,
        decay: float = 0.8,
    ) -> None:
        """Begin with an empty table.

        `sense` returns the situation of the player to move: there should be few, so that each
        occurs often. `rate` is how far a value moves towards what came of it, `explore` how often a
        random action is tried, `discount` what a result counts one move earlier, and `decay` the
        share of an error that reaches earlier actions.
        """
        self.sense, self.rate, self.explore = sense, rate, explore
        self.discount, self.decay = discount, decay
        self.values: dict[Known, float] = {}
        """What is known so far, from -1 to 1; all else is worth 0."""

    def agent(self) -> Agent:
        """Return an agent that plays the best actions by the table as it is now."""
        values, sense = dict(self.values), self.sense

        class ByTable(Agent):
            """Play the action with the highest value; among equals, the first."""

            name = "sarsa"
            deterministic = True

            def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
                action, value = _best(values, sense(position), position)
                return Thought(action, max(-1.0, min(1.0, value)))

        return ByTable()

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
        return _best(self.values, self.sense(position), position)[0]

    def _hear(self, traces: dict[Known, float], before: Known, wanted: float) -> None:
        """Move the value of the last action, and of those before it, towards what is wanted."""
        error = wanted - self.values.get(before, 0.0)
        traces[before] = 1.0
        for known in list(traces):
            self.values[known] = self.values.get(known, 0.0) + self.rate * traces[known] * error
            traces[known] *= self.discount * self.decay
            if traces[known] < FORGOTTEN:
                del traces[known]


def _best(
    values: Mapping[Known, float], situation: Hashable, position: Position
) -> tuple[int, float]:
    """Return the legal action with the highest value, and that value."""
    known = {action: values.get((situation, action), 0.0) for action in position.legal_actions}
    best = max(known, key=known.__getitem__)
    return best, known[best]
