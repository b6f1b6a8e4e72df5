"""Exact results of endings of up to four tokens, by the table of endings."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from plyground.compile import loop, pointer, prepare
from plyground.control import NODES, STOP
from plyground.game import Position, Solution, Solver, Stop
from plyground.games.expendibots.endings import UNKNOWN, ending, packed_table

if TYPE_CHECKING:
    from plyground.games.expendibots import Expendibots

Outcome = tuple[float, int | None]
"""A result for the player to move, and the plies to the end; None if the draw may go on."""


@loop("i8(state, reals)")
def look_up(state, table):  # type: ignore[no-untyped-def]
    """Return the distance to the end of a game that is not over; see `endings`."""
    return ending(pointer(state), pointer(table))


class ExpendibotsSolver(Solver):
    """Knows every position of up to four tokens, and no other.

    A win comes before the limit of plies. Of the repetitions only those by the next action count:
    a position later on that occurred three times before could turn a win into a draw.
    """

    game: Expendibots
    scope = "positions of up to four tokens"

    def __init__(self, game: Expendibots) -> None:
        self.game = game
        self._table = packed_table()
        prepare(look_up)

    def solve(self, position: Position, stop: Stop | None = None) -> Solution | None:
        """Return the result and a line to the end; of a draw the line is one action.

        None: the position has more than four tokens.
        """
        stop, began = stop or Stop(), process_time()
        outcome = self._outcome(position)
        if outcome is None:
            return None
        line, nodes = self._line(position)
        stop.control[NODES] += nodes
        value, plies = outcome
        return Solution(value, int(value), plies, line, nodes, process_time() - began)

    def values(self, position: Position, stop: Stop | None = None) -> dict[int, Solution] | None:
        stop, solutions = stop or Stop(), {}
        for action, (value, plies) in (self._outcomes(position) or {}).items():
            began = process_time()
            line, nodes = self._line(position.play(action))
            stop.control[NODES] += nodes
            if stop.control[STOP]:
                return None
            seconds = process_time() - began
            solutions[action] = Solution(value, int(value), plies, (action, *line), nodes, seconds)
        return solutions if solutions or position.is_over else None

    def _outcomes(self, position: Position) -> dict[int, Outcome] | None:
        """Return the outcome of every action; None if the table does not have all of them."""
        outcomes: dict[int, Outcome] = {}
        for action in position.legal_actions:
            reply = self._outcome(position.play(action))
            if reply is None:
                return None
            value, plies = reply
            outcomes[action] = 0.0 - value, None if plies is None else plies + 1
        return outcomes

    def _outcome(self, position: Position) -> Outcome | None:
        """Return the result of a position; None if the table does not have it."""
        if position.is_over:
            return position.returns[position.player], 0
        distance = look_up(position.state, self._table)
        if distance == UNKNOWN:
            return None
        return float(np.sign(distance)), abs(distance) or None

    def _line(self, position: Position) -> tuple[tuple[int, ...], int]:
        """Return a line of best play, and how many positions were looked up for it."""
        line: list[int] = []
        nodes, value = 1, 1.0
        while value and (outcomes := self._outcomes(position)):
            # Of equal actions the last: rather a move than a boom, which leaves fewer tokens.
            merits = {
                action: (value, -value * (plies or 0))
                for action, (value, plies) in reversed(outcomes.items())
            }
            action = max(merits, key=merits.__getitem__)
            value = outcomes[action][0]
            line.append(action)
            nodes += len(outcomes)
            position = position.play(action)
        return tuple(line), nodes
