"""A slow, independent implementation of Connect-N with plain lists."""

import re
from itertools import product

EMPTY = 0
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class NaiveConnectN:
    """A board of columns, each a list of stones (1 or 2) from the bottom up."""

    def __init__(self, width, height, n):
        self.width, self.height, self.n = width, height, n
        self.columns = [[] for _ in range(width)]
        self.plies = 0
        self.winner = EMPTY

    @classmethod
    def from_text(cls, text, n):
        """Build from rows of `x`, `o`, dots and numbers of empty cells, the top row first."""
        rows = re.sub(r"\d+", lambda gap: "." * int(gap[0]), text).split("/")
        board = cls(len(rows[0]), len(rows), n)
        for row in reversed(rows):
            for x, symbol in enumerate(row):
                if symbol != ".":
                    board.columns[x].append(".xo".index(symbol))
                    board.plies += 1
        board.winner = board.find_winner()
        return board

    def cell(self, x, y):
        """Return the stone at column x, row y from the bottom; None outside the board."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            return None
        column = self.columns[x]
        return column[y] if y < len(column) else EMPTY

    def windows(self):
        """List the contents of every n cells in a row."""
        found = []
        for x, y, (across, up) in product(range(self.width), range(self.height), DIRECTIONS):
            cells = [self.cell(x + across * step, y + up * step) for step in range(self.n)]
            if None not in cells:
                found.append(cells)
        return found

    def find_winner(self):
        for side in (1, 2):
            if any(cells == [side] * self.n for cells in self.windows()):
                return side
        return EMPTY

    def is_over(self):
        return self.winner != EMPTY or self.plies == self.width * self.height

    def legal(self):
        if self.is_over():
            return []
        return [x for x, column in enumerate(self.columns) if len(column) < self.height]

    def play(self, x):
        side = 1 + self.plies % 2
        self.columns[x].append(side)
        self.plies += 1
        if self.makes_line(x, side):
            self.winner = side

    def undo(self, x):
        self.columns[x].pop()
        self.plies -= 1
        self.winner = EMPTY

    def makes_line(self, x, side):
        """Walk from the top stone of column x both ways in every direction."""
        y = len(self.columns[x]) - 1
        for across, up in DIRECTIONS:
            length = 1
            for way in (1, -1):
                step = way
                while self.cell(x + across * step, y + up * step) == side:
                    length += 1
                    step += way
            if length >= self.n:
                return True
        return False

    def returns(self):
        return {EMPTY: (0.0, 0.0), 1: (1.0, -1.0), 2: (-1.0, 1.0)}[self.winner]

    def heuristic(self, weights, offensiveness):
        """Return each player's squashed score; only windows with stones of one player count."""
        sums = [0.0, 0.0]
        for cells in self.windows():
            stones = [cells.count(1), cells.count(2)]
            if stones.count(0) == 1:
                owner = 0 if stones[0] else 1
                sums[owner] += weights[min(stones[owner], len(weights) - 1)]
        scores = [
            offensiveness * sums[0] - (1 - offensiveness) * sums[1],
            offensiveness * sums[1] - (1 - offensiveness) * sums[0],
        ]
        return tuple(score / (1000 + abs(score)) for score in scores)

    def text(self):
        """Write the board as the game's own text does."""
        rows = (
            "".join(".xo"[self.cell(x, y)] for x in range(self.width))
            for y in reversed(range(self.height))
        )
        return re.sub(r"\.+", lambda gap: str(len(gap[0])), "/".join(rows))


def naive_perft(board, depth):
    """Count the lines of exactly `depth` plies."""
    if depth == 0:
        return 1
    total = 0
    for x in board.legal():
        board.play(x)
        total += naive_perft(board, depth - 1)
        board.undo(x)
    return total
