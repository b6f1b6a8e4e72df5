"""Best-first search of a puzzle, by the values and the policy of a network.

It goes on from move to move: what was evaluated is remembered, so that the moves of a game share
one search, whose first move is played when it has to be.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.game import Position
from plyground.game.advice import bound

CAUTION = 0.03
"""How much less a line is worth for each unit of surprise: the negative logarithm of its policy."""

EAGERNESS = 0.6
"""What a ply adds to the rank of a line, in units of a ply's share of the returns.

Networks promise too much of hard positions, and less on the way. Without this, the search would
stay among the first moves, whose promises are still high.
"""

UNLIKELY = 1e-6
"""The least policy that is told from 0."""

LOST = -1.0

Ask = Callable[[list[Position]], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Returns the value and the policy over legal actions of each position, one row each."""


class Line(NamedTuple):
    """Actions from the root to a position that is to be looked at; the lowest comes first."""

    rank: float
    order: int
    """Earlier lines come first, where two have the same rank."""
    promise: float
    """The value of the position before the last action, less what unlikely actions suggest."""
    surprise: float
    position: Position
    actions: tuple[int, ...]


class BestFirst:
    """Lines from one position of a puzzle; the most promising is followed next.

    A line that ends the game is worth its return. A position that several lines reach is looked at
    once; positions of the game so far, and those that cannot be solved any more by the game's own
    bound, are left out.
    """

    def __init__(self, root: Position, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[bytes, tuple[float, list[float]]] = {}
        """By state: the network's value and policy."""
        self._bounded = root.game.advisor("bound") is not None and not root.game.facts.hidden
        self.solution: tuple[int, ...] = ()
        """The best line that ends the game; empty where none is known."""
        self.worth = LOST
        """What it returns."""
        self.root = root
        self.plant(root)

    def plant(self, root: Position) -> None:
        """Make a position the root; a solution that leads through it is kept."""
        if self.solution and root != self.root:
            follows = self.root.play(self.solution[0]) == root
            self.solution, self.worth = (self.solution[1:], self.worth) if follows else ((), LOST)
        if not np.array_equal(root.setup, self.root.setup):
            self._known.clear()
        self.root, self.evaluations = root, 0
        self._per_ply = EAGERNESS * 2.0 / root.game.facts.longest
        self._order = count()
        self._open: list[Line] = []
        self._seen = {position.key for position in root.line()}  # no line leads back
        self._push(root, (), 0.0, 1.0)

    @property
    def is_done(self) -> bool:
        """Return whether no open line promises more than the solution."""
        return not self._open

    @property
    def policy(self) -> list[float]:
        """Return the network's policy at the root; empty before the first evaluation."""
        return self._known.get(self.root.state.tobytes(), (0.0, []))[1]

    def best(self) -> tuple[tuple[int, ...], float]:
        """Return the line to play and what it is worth: the solution, or the most promising one."""
        if self.solution:
            return self.solution, self.worth
        if self._open and self._open[0].actions:
            return self._open[0].actions, self._open[0].promise
        likeliest = max(range(len(self.policy)), key=self.policy.__getitem__, default=0)
        return (self.root.legal_actions[likeliest],), self.worth

    def grow(self, size: int) -> None:
        """Ask about the most promising positions, so many at most, and open their moves."""
        batch: list[Line] = []
        while self._open and len(batch) < size:
            line = heappop(self._open)
            if line.position.state.tobytes() in self._known:
                self._expand(line)
            else:
                batch.append(line)
        if not batch:
            return
        values, policies = self._ask([line.position for line in batch])
        self.evaluations += len(batch)
        for line, value, policy in zip(batch, values, policies, strict=True):
            shares = policy[: len(line.position.legal_actions)].tolist()
            self._known[line.position.state.tobytes()] = float(value), shares
            self._expand(line)

    def _expand(self, line: Line) -> None:
        """Open the moves of a position that was evaluated."""
        position, actions = line.position, line.actions
        value, policy = self._known[position.state.tobytes()]
        for action, share in zip(position.legal_actions, policy, strict=True):
            after = position.play(action)
            if after.is_over:
                if after.returns[0] > self.worth:
                    self._solve((*actions, action), after.returns[0])
            elif after.key not in self._seen and not self._is_late(after):
                self._seen.add(after.key)
                surprise = line.surprise - log(max(share, UNLIKELY))
                self._push(after, (*actions, action), surprise, value)

    def _push(
        self, position: Position, actions: tuple[int, ...], surprise: float, value: float
    ) -> None:
        promise = value - CAUTION * surprise
        if promise > self.worth:
            rank = -promise - self._per_ply * len(actions)
            line = Line(rank, next(self._order), promise, surprise, position, actions)
            heappush(self._open, line)

    def _solve(self, actions: tuple[int, ...], worth: float) -> None:
        """Keep a better solution, and only those lines that promise to be better still."""
        self.solution, self.worth = actions, worth
        self._open = [line for line in self._open if line.promise > worth]
        heapify(self._open)

    def _is_late(self, position: Position) -> bool:
        """Return whether a position cannot be solved in the plies that are left."""
        left = position.game.facts.longest - position.ply
        return self._bounded and bound(position) > left
