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

    def windows(self, directions=DIRECTIONS):
        """List the contents of every n cells in a row."""
        found = []
        for x, y, (across, up) in product(range(self.width), range(self.height), directions):
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

    def threats(self, side):
        """Return the free cells (x, y) that would complete a line of a side."""
        found = set()
        for x, y, (across, up) in product(range(self.width), range(self.height), DIRECTIONS):
            places = [(x + across * step, y + up * step) for step in range(self.n)]
            cells = [self.cell(*place) for place in places]
            if cells.count(side) == self.n - 1 and EMPTY in cells:
                found.add(places[cells.index(EMPTY)])
        return found

    def threat_value(self, favourable, unfavourable, stacked, zugzwang, half_plies, windows, won):
        """Return the value of the threat heuristic for the player to move."""
        side = 1 + self.plies % 2
        own, other = self.threats(side), self.threats(3 - side)
        following = {(x, len(column)) for x, column in enumerate(self.columns)}
        if own & following:
            return won
        forced = other & following
        if forced:
            ((x, y), *more) = forced
            if more or (x, y + 1) in other:
                return -won
            self.columns[x].append(side)
            self.plies += 1
            value = -self.threat_value(
                favourable, unfavourable, stacked, zugzwang, half_plies, windows, won
            )
            self.undo(x)
            return value
        result, plies = self.forced_result(own, other)
        score = result * zugzwang * half_plies / (half_plies + plies)
        for sign, each in ((1, side), (-1, 3 - side)):
            mine, theirs = (own, other) if each == side else (other, own)
            lowest = {x: min(y for at, y in theirs if at == x) for x, _ in theirs}
            useful = {(x, y) for x, y in mine if y <= lowest.get(x, y)}
            for x in {x for x, _ in useful}:
                y = min(y for at, y in useful if at == x)
                to_first = (y + (self.width - 1) * self.height) % 2 == 0
                score += sign * (favourable if to_first == (each == 1) else unfavourable)
            score += sign * stacked * any((x, y + 1) in useful for x, y in useful)
            for cells in self.windows(directions=[way for way in DIRECTIONS if way[0]]):
                missing = self.n - cells.count(each)
                if 3 - each not in cells and 2 <= missing < self.n:
                    score += sign * [*windows, *[0] * self.n][missing - 2] * self.n / 4
        return score / (1 + abs(score))

    def forced_result(self, own, other):
        """Return who wins if no new threat arises (1: who is to move), and the plies until then."""
        own, other = set(own), set(other)
        while True:
            safe, lowest = 0, []
            for x, column in enumerate(self.columns):
                rows = [y for at, y in own | other if at == x]
                safe += (min(rows) - 1 if rows else self.height) - len(column)
                lowest += [(x, min(rows))] if rows else []
            if not lowest:
                return 0, safe
            turn, mine, theirs = (1, own, other) if safe % 2 == 0 else (-1, other, own)
            given = [place for place in lowest if place in mine and place not in theirs]
            if not given:
                return -turn, safe
            if any((x, y + 1) in mine for x, y in given):
                return turn, safe
            mine.remove(given[0])

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
