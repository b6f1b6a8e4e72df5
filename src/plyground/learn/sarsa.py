"""SARSA(lambda) with a table: a player that learns the values of its actions by playing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from random import Random

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import derive_seed
from plyground.game import Game, Position

FORGOTTEN = 0.01
"""An eligibility trace below this is dropped."""

Pair = tuple[Hashable, int]
"""A key of the table: a situation, and an action in it."""


class Sarsa:
    """A learner that fills a table of action values by playing; `agent` plays by the table."""

    def __init__(
        self,
        sense: Callable[[Position], Hashable],
        *,
        rate: float = 0.1,
        explore: float = 0.02,
        discount: float = 1.0,
        decay: float = 0.8,
    ) -> None:
        """Start with an empty table.

        `sense` returns the situation of the player to move: there should be few, so that each
        occurs often. `rate` is the learning rate, `explore` the probability of a random action,
        `discount` the factor on a result per move, and `decay` the lambda of eligibility traces.
        """
        self.sense, self.rate, self.explore = sense, rate, explore
        self.discount, self.decay = discount, decay
        self.values: dict[Pair, float] = {}
        """Values so far, from -1 to 1; pairs that are not in the table have the value 0."""

    def agent(self) -> Agent:
        """Return an agent that plays the best actions by a copy of the table."""
        values, sense = dict(self.values), self.sense

        class ByTable(Agent):
            """Play the action with the highest value, the first of equals."""

            name = "sarsa"
            deterministic = True

            def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
                action, value = _best(values, sense(position), position)
                return Thought(action, max(-1.0, min(1.0, value)))

        return ByTable()

    def learn(self, game: Game, opponents: Sequence[Agent], episodes: range, seed: int) -> None:
        """Play games against the opponents in turn, from a random seat, and learn from each."""
        for opponent in opponents:
            opponent.prepare(game)
        for episode in episodes:
            random = Random(derive_seed(seed, episode))
            position = game.start(random.getrandbits(32))
            self._episode(position, opponents[episode % len(opponents)], random)

    def _episode(self, position: Position, opponent: Agent, random: Random) -> None:
        seat = random.randrange(2)
        traces: dict[Pair, float] = {}
        before: Pair | None = None
        while not position.is_over:
            if position.player == seat:
                now = self.sense(position), self._explore(position, random)
                if before is not None:
                    self._update(traces, before, self.discount * self.values.get(now, 0.0))
                before, action = now, now[1]
            else:
                action = opponent.think(position, seed=random.getrandbits(32)).action
            position = position.play(action)
        if before is not None:
            self._update(traces, before, position.returns[seat])

    def _explore(self, position: Position, random: Random) -> int:
        if random.random() < self.explore:
            return random.choice(position.legal_actions)
        return _best(self.values, self.sense(position), position)[0]

    def _update(self, traces: dict[Pair, float], last: Pair, target: float) -> None:
        """Move the value of the last pair, and by their traces of those before, to the target."""
        error = target - self.values.get(last, 0.0)
        traces[last] = 1.0
        for pair in list(traces):
            self.values[pair] = self.values.get(pair, 0.0) + self.rate * traces[pair] * error
            traces[pair] *= self.discount * self.decay
            if traces[pair] < FORGOTTEN:
                del traces[pair]


def _best(
    values: Mapping[Pair, float], situation: Hashable, position: Position
) -> tuple[int, float]:
    """Return the legal action with the highest value, and that value."""
    legal = {action: values.get((situation, action), 0.0) for action in position.legal_actions}
    best = max(legal, key=legal.__getitem__)
    return best, legal[best]
