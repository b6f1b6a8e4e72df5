"""Exact scores of Connect-N on boards that fit into 128 bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from plyground.compile import Words, prepare
from plyground.control import NODES, STOP
from plyground.errors import OptionError, TextError
from plyground.game import Position, Solution, Solver, Stop
from plyground.game.solver import Best, Progress
from plyground.games.connect_n.boards import bits_of, workspace
from plyground.games.connect_n.negamax import LEAST_SLOT_BITS
from plyground.games.connect_n.openings import Book, shipped_book
from plyground.games.connect_n.proof import prove_64, prove_128, prove_back_64, prove_back_128
from plyground.games.connect_n.rules import PLIES, STONES, WORDS
from plyground.text import shortened

if TYPE_CHECKING:
    from plyground.games.connect_n import ConnectN

TABLE_BITS, MOST_TABLE_BITS = 24, 32
"""The table has 2**24 entries unless told otherwise: 128 MiB, 256 where boards take two words."""

SLICE = 1 << 21
"""Nodes after which compiled code lets Python see Ctrl-C: some 0.4 seconds."""

FEW = 100
"""Nodes that suffice for a position that the book leaves out: it is decided at once."""

LEAST_GROWTH = 1.3
"""Factor of the nodes per free cell. On 10 x 8, half of the positions that occur with 42 free cells
take more than 1.3**42 nodes, and most of those with 46 take more than 1.3**55."""

NO_LINE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Scores:
    """The scores of many positions, in their order; only the first `solved` ones are known."""

    scores: Words
    nodes: Words
    nanoseconds: Words
    """CPU time of each."""
    solved: int


def can_solve(game: ConnectN) -> bool:
    """Return whether the game's boards fit into 128 bits."""
    return bits_of(game.width, game.height, game.n) > 0


class ConnectNSolver(Solver):
    """Solves positions: k is a win with k - 1 of one's stones to spare, -k such a loss, 0 a tie."""

    game: ConnectN

    def __init__(
        self, game: ConnectN, table_bits: int = TABLE_BITS, *, use_book: bool = True
    ) -> None:
        """Make a solver with a table of 2**table_bits entries."""
        shape = game.width, game.height, game.n
        bits = bits_of(*shape)
        if not can_solve(game):
            raise OptionError(f"{game} is too large to be solved: it needs more than 128 bits")
        if not LEAST_SLOT_BITS < table_bits <= MOST_TABLE_BITS:
            allowed = f"{LEAST_SLOT_BITS + 1} to {MOST_TABLE_BITS}"
            raise OptionError(f"table_bits of a solver is {table_bits}; allowed: {allowed}")
        self.game = game
        self.book: Book | None = shipped_book(*shape) if use_book else None
        self._work = workspace(*shape, table_bits - 1)
        self._size = bits // 64
        self._prove = {64: prove_64, 128: prove_128}[bits]
        prepare(self._prove)

    def forget(self) -> None:
        """Empty the table and touch all of its memory, so that no later call has to."""
        self._work.table.fill(0)

    def solve(
        self, position: Position, stop: Stop | None = None, *, weak: bool = False
    ) -> Solution | None:
        """Return the score of a position with a best line; None if the limit was reached.

        With `weak` only the score's sign is right, and there is neither line nor plies.
        """
        return self._solve(position, stop, weak=weak)

    def best(self, position: Position, stop: Stop | None = None) -> Solution | None:
        """Return the same, in the opening with a line that ends where the book does.

        The sign of the score is known first: after that the limit costs the soonest win, but not
        the win.
        """
        stop = stop or Stop()
        win = None if self._is_known(position) else self._find_win(position, stop)
        return self._solve(position, stop, least=1) or win

    def least_nodes(self, position: Position) -> float:
        if self._is_known(position):
            return 1.0
        return LEAST_GROWTH ** (self.game.width * self.game.height - int(position.state[PLIES]))

    def values(self, position: Position, stop: Stop | None = None) -> dict[int, Solution] | None:
        stop = stop or Stop()
        solutions: dict[int, Solution] = {}
        for action in position.legal_actions:
            reply = self._solve(position.play(action), stop, least=0)
            if reply is None or reply.score is None or reply.plies is None:
                return None
            solutions[action] = replace(
                reply,
                value=-reply.value + 0.0,  # no -0.0
                score=-reply.score,
                plies=reply.plies + 1,
                line=(action, *reply.line),
            )
        return solutions

    def best_actions(self, line: Sequence[Position], stop: Stop | None = None) -> list[Best | None]:
        known = [self._best_in_book(position) for position in line]
        back = [each for each, best in zip(line, known, strict=True) if best is None][::-1]
        boards, moves = self._boards(back)
        scores, columns = np.zeros(len(back), np.int64), np.zeros(len(back), np.int64)
        prove = {1: prove_back_64, 2: prove_back_128}[self._size]
        solved = self._in_slices(
            stop or Stop(), lambda start: prove(self._work, boards, moves, start, scores, columns)
        )
        proved = zip(back[:solved], scores.tolist(), columns.tolist(), strict=False)
        found = [self._best(*each) for each in proved]
        missing = iter([*[None] * (len(back) - solved), *reversed(found)])
        return [next(missing) if best is None else best for best in known]

    def _best_in_book(self, position: Position) -> Best | None:
        """Return the best actions of a position if all replies are in the book, or decided."""
        if self.book is None or position.state[PLIES] >= self.book.plies:
            return None
        replies = {action: position.play(action) for action in position.legal_actions}
        scores = {action: self.book.find(each) for action, each in replies.items()}
        decided = [action for action, score in scores.items() if score is None]
        result = self._run([replies[action] for action in decided], Stop(nodes=FEW), weak=False)
        scores |= zip(decided, result.scores[: result.solved].tolist(), strict=False)
        known = [-score for score in scores.values() if score is not None]
        if len(known) < len(scores):
            return None
        best = max(known)
        columns = sum(1 << action for action, score in scores.items() if score == -best)
        return self._best(position, best, columns)

    def _best(self, position: Position, score: int, columns: int) -> Best:
        actions = tuple(action for action in position.legal_actions if columns >> action & 1)
        return Best(actions, float(np.sign(score)), self._plies(position, score))

    def scores(
        self, positions: Sequence[Position], stop: Stop | None = None, *, weak: bool = False
    ) -> Scores:
        """Solve many positions in one call to compiled code, without the book and without lines."""
        return self._run(positions, stop or Stop(), weak)

    def read(self, text: str) -> Position:
        """Return the position of a text, or of the columns played, from 1: `44,10` or `4453`.

        What follows a blank is ignored: lists of positions have known scores there.
        """
        written, width = re.split(r"\s", text, maxsplit=1)[0], self.game.width
        if "/" in written or self.game.height == 1:
            return self.game.parse(written)
        separate = "," in written or width > 9
        columns = written.split(",") if separate and written else list(written)
        allowed = [str(column + 1) for column in range(width)]
        position = self.game.start()
        for number, column in enumerate(columns, start=1):
            place = f"connect_n: move {number} of {shortened(written)!r}"
            if column not in allowed:
                commas = ", with commas between" if width > 9 else ""
                quoted = repr(shortened(column))
                raise TextError(f"{place} is {quoted}; allowed: columns 1 to {width}{commas}")
            if position.is_over:
                raise TextError(f"{place}: the game was over before")
            action = allowed.index(column)
            if action not in position.legal_actions:
                raise TextError(f"{place}: column {column} is full")
            position = position.play(action)
        return position

    def build_book(
        self,
        folder: Path,
        plies: int,
        workers: int,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Path | None:
        from plyground.games.connect_n.book import build  # which needs this module

        return build(self.game, folder, plies, workers, seconds, progress)

    def _find_win(self, position: Position, stop: Stop) -> Solution | None:
        """Return an action that wins, not always the soonest; None if none is found."""
        proved = self._run([position], stop, weak=True)
        score, line = int(proved.scores[0]), np.empty(1, np.int64)
        if not proved.solved or score <= 0:
            return None
        followed = self._run([position], stop, weak=True, known=score, line=line)
        if not self._work.line_length:
            return None
        nodes = int(proved.nodes[0] + followed.nodes[0])
        nanoseconds = int(proved.nanoseconds[0] + followed.nanoseconds[0])
        return Solution(1.0, None, None, (int(line[0]),), nodes, nanoseconds / 1e9)

    def _is_known(self, position: Position) -> bool:
        """Return whether nothing has to be searched: the game is over, or the book has it."""
        return position.is_over or (self.book is not None and self.book.find(position) is not None)

    def _follow_book(self, position: Position) -> tuple[list[int], Position, int | None]:
        """Follow a best line to the end of the book; return it, where it ends and the score there.

        The score is None where the search must find it.
        """
        path: list[int] = []
        book = self.book
        score = None if book is None else book.find(position)
        while book is not None and score is not None:
            following = ((action, position.play(action)) for action in position.legal_actions)
            best = next((step for step in following if book.find(step[1]) == -score), None)
            if best is None:  # the book ends here, or the game is decided by the next stones
                break
            path.append(best[0])
            position, score = best[1], -score
        return path, position, score

    def _solve(
        self, position: Position, stop: Stop | None, *, weak: bool = False, least: int | None = None
    ) -> Solution | None:
        """Solve a position; a line of `least` actions from the book is not searched to its end."""
        path, end, known = self._follow_book(position)
        wants_line = not weak and (known is None or least is None or len(path) < least)
        line = np.empty(self.game.width * self.game.height if wants_line else 0, np.int64)
        result = self._run([end], stop or Stop(), weak, known, line)
        is_cut_off = wants_line and not path and not self._work.line_length
        if not result.solved or (is_cut_off and not position.is_over):
            return None
        score = int(result.scores[0]) * (-1) ** len(path)
        return Solution(
            value=float(np.sign(score)),
            score=score,
            plies=None if weak else self._plies(position, score),
            line=() if weak else (*path, *line[: self._work.line_length].tolist()),
            nodes=int(result.nodes[0]),
            seconds=int(result.nanoseconds[0]) / 1e9,
        )

    def _run(
        self,
        positions: Sequence[Position],
        stop: Stop,
        weak: bool,
        known: int | None = None,
        line: Words = NO_LINE,
    ) -> Scores:
        """Solve positions slice by slice; where `line` has room, find a line from the first one."""
        count, work = len(positions), self._work
        boards, moves = self._boards(positions)
        scores, nodes, nanoseconds = (np.zeros(count, np.int64) for _ in range(3))
        solved = 0
        if known is not None:
            scores[0], solved = known, 1
        work.line_length = 0
        more = scores, nodes, nanoseconds, line
        solved = self._in_slices(
            stop, lambda start: self._prove(work, boards, moves, weak, start, *more), solved
        )
        return Scores(scores, nodes, nanoseconds, solved)

    def _in_slices(self, stop: Stop, prove: Callable[[int], int], solved: int = 0) -> int:
        """Call compiled code until all is solved or the limit is reached; return how much is.

        `prove` goes on with the position after the `solved` ones.
        """
        work, control = self._work, stop.control
        work.control = control
        while True:
            work.slice_end = int(control[NODES]) + SLICE
            solved = prove(solved)
            if not work.halted or control[STOP]:
                return solved

    def _boards(self, positions: Sequence[Position]) -> tuple[Words, Words]:
        """Return the boards of positions, own stones and all, and how many stones there are."""
        for position in positions:
            if position.game is not self.game and position.game != self.game:
                raise OptionError(f"a solver of {self.game} cannot solve {position!r}")
        boards = np.zeros((len(positions), 2, self._size), np.int64)
        moves = np.zeros(len(positions), np.int64)
        for at, position in enumerate(positions):
            words = int(position.setup[WORDS])
            stones = position.state[STONES:].reshape(2, words)
            boards[at, 0, :words] = stones[position.player]
            boards[at, 1, :words] = stones[0] | stones[1]
            moves[at] = position.state[PLIES]
        return boards.reshape(-1), moves

    def _plies(self, position: Position, score: int) -> int:
        """Return the plies to the end: a win is the player's own stone, a loss the other's."""
        cells, moves = self.game.width * self.game.height, int(position.state[PLIES])
        if score == 0:
            return cells - moves
        last = cells + 2 - 2 * abs(score)  # or one less: the winner's stones are every other one
        return last - (last - moves - (score > 0)) % 2 - moves
