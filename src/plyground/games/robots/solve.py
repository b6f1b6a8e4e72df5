"""Shortest solutions of Robot Reboot, proved."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from plyground.compile import Words, prepare
from plyground.control import NODES, STOP, UNLIMITED, new_control
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
        self._control, self._lines = self.work.control, self.work.lines

    def run(self, setup: Words, state: Words, longest: int | None, control: Words) -> int:
        """Return the fewest moves; `line` and `lines` have what was found.

        UNSOLVABLE: there is no solution, none of at most `longest` moves where that is given.
        TOO_LONG: none was found.
        """
        if self._control is not control:
            self._control = self.work.control = control
        most = LONGEST if longest is None else min(longest, LONGEST)
        before = control.item(NODES)
        moves: int = deepen(self.work, setup, state, most)
        if moves == TOO_LONG and most == longest and not control[STOP]:
            return UNSOLVABLE if control[NODES] - before <= self.work.most_nodes else TOO_LONG
        return moves

    def line(self, moves: int) -> tuple[int, ...]:
        """Return the first solution that the last run has found, of so many moves."""
        return tuple(self._lines[:moves].tolist())

    def all_lines(
        self, setup: Words, state: Words, moves: int, control: Words, wanted: int
    ) -> list[tuple[int, ...]] | None:
        """Return all solutions of the fewest moves, so many at most; None if it was stopped."""
        work, most_nodes = self.work, self.work.most_nodes
        work.lines = np.empty(wanted * PLIES, np.int64)
        work.wanted, work.most_nodes = wanted, UNLIMITED
        found = self.run(setup, state, moves, control) == moves
        starts = range(0, work.found * PLIES, PLIES)
        lines = [tuple(work.lines[at : at + moves].tolist()) for at in starts]
        work.lines, work.wanted, work.most_nodes = self._lines, 1, most_nodes
        return lines if found else None


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
        nodes = control.item(NODES)
        moves = search.run(setup, state, longest, control)
        line = search.line(moves) if moves > 0 else ()
        if moves == TOO_LONG and self._by_levels and not control[STOP]:
            moves, line = search_levels(search.work, setup, state, longest)
        if moves == TOO_LONG:
            return None
        score, value = None, -1.0
        if moves != UNSOLVABLE:
            cap = setup.item(CAP)
            score, made = moves, state.item(MOVES) + moves
            value = 1.0 - 2.0 * min(made, cap - 0.5) / cap if made <= cap else -1.0  # see outcome
        nodes = control.item(NODES) - nodes
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
        return self._search.all_lines(
            puzzle.setup, puzzle.state, len(solution.line), self._control(stop), most
        )

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
