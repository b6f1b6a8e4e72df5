"""Base class of players that search by trees, and what the trees say of the root's actions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from plyground.agents.agent import Agent, Proof, SearchPlayer
from plyground.arithmetic import derive_seed
from plyground.game import Game, Position
from plyground.search.tree import Tree


class TreePlayer(SearchPlayer):
    """Player with trees that are kept from move to move."""

    def __init__(self, agent: Agent, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self.trees: list[Tree] = []
        self._followed: Position | None = None
        """The last position searched, advanced by the moves played since."""

    @abstractmethod
    def new_tree(self, root: Position, seed: int) -> Tree:
        """Return a new tree."""

    def forget(self) -> None:
        self.trees.clear()

    def watch(self, action: int) -> None:
        if self._followed is not None and self._followed.observer is None:
            self._followed = self._followed.replay(action)

    def plant(
        self, position: Position, seed: int, number: int, *, reuse: bool = True
    ) -> tuple[Position, list[Tree]]:
        """Return the position, with the moves before it, and so many trees rooted in it.

        Where something is hidden, each tree's root is a guess of its own.
        """
        if position.previous is None and position == self._followed:
            position = self._followed  # the same position, and this one knows the moves before it
        self._followed = position
        roots = [position.determinize(derive_seed(seed, index)) for index in range(number)]
        for index, root in enumerate(roots):
            stream = derive_seed(seed, position.ply, index)
            if index < len(self.trees):
                self.trees[index].plant(root, stream, reuse)
            else:
                self.trees.append(self.new_tree(root, stream))
        return position, self.trees[:number]


class Statistics(NamedTuple):
    """What trees say of each legal action at their root, added up."""

    visits: dict[int, int]
    means: dict[int, float]
    """Mean value, or the proved one; 0 without visits."""
    wins: dict[int, float]
    """Simulations won, if the trees count them."""
    proved: dict[int, float]
    """The values of actions that are proved to win (above 0), draw (0) or lose (below 0)."""
    is_proved: bool
    """Whether the root's result is proved."""

    @classmethod
    def of(cls, position: Position, trees: Sequence[Tree]) -> Self:
        """Return the statistics of trees whose roots are a position or guesses of it."""
        visits = dict.fromkeys(position.legal_actions, 0)
        values = dict.fromkeys(position.legal_actions, 0.0)
        wins = dict.fromkeys(position.legal_actions, 0.0)
        proved: dict[int, float] = {}
        for tree in trees:
            for child, won in zip(tree.children(0), tree.wins(), strict=False):
                action = int(child["action"])
                visits[action] = visits.get(action, 0) + int(child["visits"])
                values[action] = values.get(action, 0.0) + float(child["value"])
                wins[action] = wins.get(action, 0.0) + won
            if position.observer is None:
                proved |= tree.proved_values()
        means = {action: values[action] / max(1, visits[action]) for action in visits} | proved
        return cls(visits, means, wins, proved, any(tree.is_proved for tree in trees))

    def proof(self, best: int) -> Proof | None:
        """Return what is proved of the root, whose best action is given."""
        if not self.is_proved or best not in self.proved:
            return None
        return Proof(float(np.sign(self.proved[best])))

    def rank(self, action: int) -> float:
        """Return what comes first in choosing an action: what is proved.

        Proved wins are ranked above everything else, the one that counts most first, and proved
        losses below, but above an action that seems to lose even sooner. Where there is a proved
        draw, an action without a proof must promise more.
        """
        if action in self.proved:
            return self.proved[action] + 2.0 * float(np.sign(self.proved[action]))
        losses = [value for value in self.proved.values() if value < 0.0]
        expected = self.means[action] if self.visits[action] else -1.0
        if losses and expected < max(losses):
            return expected - 2.0
        if 0 not in self.proved.values():
            return 0
        return 1 if self.visits[action] and self.means[action] > 0 else -1

    @property
    def policy(self) -> dict[int, float]:
        """Return each action's share of the visits."""
        total = max(1, sum(self.visits.values()))
        return {action: count / total for action, count in self.visits.items()}
