"""Shortest solutions of Robot Reboot, proved."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from plyground.compile import Words, prepare
from plyground.control import NODES, STOP, new_control
from plyground.game import Position, Solution, Solver, Stop
from plyground.games.robots.deepening import TOO_LONG, UNSOLVABLE, deepen
from plyground.games.robots.levels import LOOPS, fits, search_levels
from plyground.games.robots.sliding import CAP, HEIGHT, MOVES, WIDTH
from plyground.games.robots.workspace import LONGEST, PLIES, new_workspace

if TYPE_CHECKING:
    from plyground.games.robots import Robots

TABLE_BITS = 22
"""The table has 4 million entries, 32 MB; short searches use a small part of it."""
SWITCH = 20_000_000
"""The nodes after which a search level by level takes over from deepening."""
DEAL_BITS, DEAL_NODES = 16, 200_000
"""The table's size for deals, and the nodes after which a start is taken for unsolvable."""


class Search:
    """Searches for shortest solutions on boards of one size, one after the other."""

    def __init__(self, width: int, height: int, table_bits: int) -> None:
        self.work = new_workspace(width, height, table_bits)

    def run(
        self, setup: Words, state: Words, longest: int | None, control: Words, wanted: int = 1
    ) -> int:
        """Return the fewest moves; `solutions` has what was found.

        UNSOLVABLE: there is no solution, none of at most `longest` moves where that is given.
        TOO_LONG: none was found.
        """
        work = self.work
        if work.control is not control:
            work.control = control
        if len(work.lines) < wanted * PLIES:
            work.lines = np.empty(wanted * PLIES, np.int64)
        work.wanted = wanted
        most = LONGEST if longest is None else min(longest, LONGEST)
        before = int(control[NODES])
        moves: int = deepen(work, setup, state, most)
        if moves == TOO_LONG and most == longest and not control[STOP]:
            return UNSOLVABLE if control[NODES] - before <= work.most_nodes else TOO_LONG
        return moves

    def solutions(self, moves: int) -> list[tuple[int, ...]]:
        """List the solutions of so many moves that the last run has found."""
        starts = range(0, self.work.found * PLIES, PLIES)
        return [tuple(self.work.lines[at : at + moves].tolist()) for at in starts]


class RobotsSolver(Solver):
    """Finds the fewest moves that bring the target robot home, and proves where there are none.

    The score is the number of moves, None where there is no solution. The cap does not matter
    unless `within_cap` is set: then a solution that comes too late is none. Of a game of several
    rounds it solves the one that the position is in.
    """

    def __init__(self, game: Robots, within_cap: bool = False) -> None:
        self.game = game
        self.within_cap = within_cap
        self._search = Search(game.width, game.height, TABLE_BITS)
        self._unlimited = new_control()
        prepare(deepen, *LOOPS)
        self._by_levels = fits(game.width, game.height, game.robots)
        if self._by_levels:
            self._search.work.most_nodes = SWITCH

    def solve(self, position: Position, stop: Stop | None = None) -> Solution | None:
        """Return the fewest moves and a line of so many; None if the limit was reached before."""
        began = time.thread_time()
        puzzle = position.game.puzzle(position)
        setup, state, search = puzzle.setup, puzzle.state, self._search
        longest, control = self._longest(puzzle), self._control(stop)
        nodes = int(control[NODES])
        moves = search.run(setup, state, longest, control)
        line = search.solutions(moves)[0] if moves > 0 else ()
        if moves == TOO_LONG and self._by_levels and not control[STOP]:
            moves, line = search_levels(search.work, setup, state, longest)
        if moves == TOO_LONG:
            return None
        score, value = None, -1.0
        if moves != UNSOLVABLE:
            cap = int(setup[CAP])
            score, value = moves, 1.0 - 2.0 * min(int(state[MOVES]) + moves, cap) / cap
        nodes = int(control[NODES]) - nodes
        return Solution(value, score, score, line, nodes, time.thread_time() - began)

    def values(self, position: Position, stop: Stop | None = None) -> dict[int, Solution] | None:
        """Return the same for every legal action, its own move included."""
        puzzle = position.game.puzzle(position)
        solutions = {}
        for action in puzzle.legal_actions:
            after = self.solve(puzzle.play(action), stop)
            if after is None:
                return None
            moves = None if after.score is None else after.score + 1
            line = (action, *after.line)
            solutions[action] = replace(after, score=moves, plies=moves, line=line)
        return solutions

    def all_lines(
        self, position: Position, most: int = 1000, stop: Stop | None = None
    ) -> list[tuple[int, ...]] | None:
        """Return the shortest solutions, at most so many; None if the limit was reached before."""
        puzzle = position.game.puzzle(position)
        solution = self.solve(position, stop)
        if solution is None or not solution.line:
            return None if solution is None else []
        search, moves = self._search, len(solution.line)
        control = self._control(stop)
        found = search.run(puzzle.setup, puzzle.state, moves, control, most) == moves
        return search.solutions(moves) if found else None

    def _control(self, stop: Stop | None) -> Words:
        if stop is not None:
            return stop.control
        self._unlimited[STOP] = self._unlimited[NODES] = 0
        return self._unlimited

    def _longest(self, puzzle: Position) -> int | None:
        return int(puzzle.setup[CAP] - puzzle.state[MOVES]) if self.within_cap else None


def can_be_solved(setup: Words, state: Words) -> bool:
    """Return whether a start has a solution within the cap; a very hard one counts as none."""
    search = Search(int(setup[WIDTH]), int(setup[HEIGHT]), DEAL_BITS)
    return search.run(setup, state, int(setup[CAP]), new_control(DEAL_NODES)) > 0
