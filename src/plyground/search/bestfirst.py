"""Best-first search of a puzzle, by the values and the policy of a network."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import log

from numpy.typing import NDArray

from plyground.game import Position

CAUTION = 0.02
"""How much less a line is worth for each unit of surprise: the negative logarithm of its policy."""

Ask = Callable[[list[Position]], tuple[NDArray, NDArray]]  # type: ignore[type-arg]
"""Returns the value and the policy over legal actions of each position, one row each."""


class BestFirst:
    """Lines from one position of a puzzle; the most promising is followed next.

    A line is worth the value of its last position, less what its unlikely moves suggest; one that
    ends the game is worth its return. A position that several lines reach is looked at once, and
    positions of the game so far are left out.
    """

    def __init__(self, root: Position, ask: Ask, plan: tuple[int, ...] = ()) -> None:
        """Begin; `plan` is a line that is known to end the game, to be improved on."""
        self.root, self._ask = root, ask
        self.solution = plan
        """The best line that ends the game; empty where none is known."""
        self.worth = self._play(plan).returns[0] if plan else -2.0
        """What it returns."""
        self.evaluations = 0
        self.policy: list[float] = []
        """The network's policy at the root."""
        self._order = count()  # earlier lines come first, where two are worth the same
        self._open: list[tuple[float, int, float, Position, tuple[int, ...]]] = []
        self._hopeful: tuple[float, tuple[int, ...]] = (-2.0, ())
        """The best line that was looked at and does not end the game."""
        self._seen = {position.key for position in root.line()}  # no line leads back
        self._push(root, (), 0.0, 1.0)

    def _play(self, line: tuple[int, ...]) -> Position:
        position = self.root
        for action in line:
            position = position.play(action)
        return position

    @property
    def is_done(self) -> bool:
        """Return whether no open line can be better than the solution."""
        return not self._open or -self._open[0][0] <= self.worth

    def _push(
        self, position: Position, line: tuple[int, ...], surprise: float, value: float
    ) -> None:
        priority = value - CAUTION * surprise
        heappush(self._open, (-priority, next(self._order), surprise, position, line))

    def grow(self, size: int) -> None:
        """Ask about the most promising positions, so many at most, and open their moves."""
        batch: list[tuple[float, Position, tuple[int, ...]]] = []
        while self._open and len(batch) < size and not self.is_done:
            _, _, surprise, position, line = heappop(self._open)
            batch.append((surprise, position, line))
        if not batch:
            return
        values, policies = self._ask([position for _, position, _ in batch])
        self.evaluations += len(batch)
        for (surprise, position, line), value, policy in zip(batch, values, policies, strict=True):
            if not line:
                self.policy = policy[: len(position.legal_actions)].tolist()
            promise = float(value) - CAUTION * surprise
            if line and promise > self._hopeful[0]:
                self._hopeful = promise, line
            self._open_moves(position, line, surprise, float(value), policy)

    def _open_moves(
        self,
        position: Position,
        line: tuple[int, ...],
        surprise: float,
        value: float,
        policy: NDArray,  # type: ignore[type-arg]
    ) -> None:
        for action, share in zip(position.legal_actions, policy, strict=False):
            after = position.play(action)
            if after.is_over:
                if after.returns[0] > self.worth:
                    self.worth, self.solution = after.returns[0], (*line, action)
            elif after.key not in self._seen:
                self._seen.add(after.key)
                unlikely = surprise - log(max(float(share), 1e-6))
                self._push(after, (*line, action), unlikely, value)

    def best(self) -> tuple[tuple[int, ...], float]:
        """Return the line to play and what it is worth: the solution, or the most hopeful one."""
        if self.solution and self.worth > -1.0:
            return self.solution, self.worth
        if self._hopeful[1]:
            return self._hopeful[1], self._hopeful[0]
        likeliest = max(range(len(self.policy)), key=self.policy.__getitem__, default=0)
        return (self.root.legal_actions[likeliest],), self.worth
