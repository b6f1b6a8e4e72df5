"""A slow, independent implementation of Expendibots with a dictionary of stacks.

Actions are the course's own: ("MOVE", tokens, (x, y), (to_x, to_y)) and ("BOOM", (x, y)).
"""

from itertools import product

WHITE, BLACK = 1, -1
CELLS = list(product(range(8), range(8)))


class NaiveExpendibots:
    """`board` maps (x, y) to tokens, Black's negative; `side` is to move."""

    def __init__(self, board=None, side=WHITE, plies=0):
        if board is None:
            xs = (0, 1, 3, 4, 6, 7)
            board = {(x, y): WHITE for x in xs for y in (0, 1)}
            board |= {(x, y): BLACK for x in xs for y in (6, 7)}
        self.board, self.side, self.plies = dict(board), side, plies

    @classmethod
    def from_text(cls, text):
        """Build from `rows w|b plies`: A to L are White's stacks, a to l Black's."""
        rows, side, plies = text.split()
        board = {}
        for y, row in zip(range(7, -1, -1), rows.split("/"), strict=True):
            x = 0
            for symbol in row:
                if symbol.isdigit():
                    x += int(symbol)
                else:
                    sign = WHITE if symbol.isupper() else BLACK
                    board[x, y] = sign * (ord(symbol.lower()) - ord("a") + 1)
                    x += 1
        return cls(board, WHITE if side == "w" else BLACK, int(plies))

    def text(self):
        """Write what `from_text` reads."""
        rows = []
        for y in range(7, -1, -1):
            row, gap = "", 0
            for x in range(8):
                tokens = self.board.get((x, y), 0)
                if not tokens:
                    gap += 1
                    continue
                letter = chr(ord("a") + abs(tokens) - 1)
                row += (str(gap) if gap else "") + (letter.upper() if tokens > 0 else letter)
                gap = 0
            rows.append(row + (str(gap) if gap else ""))
        return f"{'/'.join(rows)} {'w' if self.side == WHITE else 'b'} {self.plies}"

    def tokens(self, side):
        return sum(abs(tokens) for tokens in self.board.values() if tokens * side > 0)

    def is_over(self):
        return not self.tokens(WHITE) or not self.tokens(BLACK) or self.plies >= 500

    def returns(self):
        white, black = self.tokens(WHITE) > 0, self.tokens(BLACK) > 0
        return {(True, False): (1.0, -1.0), (False, True): (-1.0, 1.0)}.get(
            (white, black), (0.0, 0.0)
        )

    def legal(self):
        return [] if self.is_over() else self.actions(self.side)

    def actions(self, side):
        """List the actions a side would have if it were to move."""
        found = []
        for (x, y), tokens in self.board.items():
            if tokens * side > 0:
                found.append(("BOOM", (x, y)))
                height = abs(tokens)
                for distance in range(1, height + 1):
                    for across, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                        to = x + across * distance, y + up * distance
                        if to in CELLS and self.board.get(to, 0) * side >= 0:
                            found += [("MOVE", m, (x, y), to) for m in range(1, height + 1)]
        return found

    def after(self, action):
        """Return the board after an action; this one does not change."""
        board = dict(self.board)
        if action[0] == "BOOM":
            explode(board, action[1])
        else:
            _, tokens, square, to = action
            board[square] -= self.side * tokens
            if board[square] == 0:
                del board[square]
            board[to] = board.get(to, 0) + self.side * tokens
        return NaiveExpendibots(board, -self.side, self.plies + 1)

    def components(self):
        """List the groups of squares that explode together."""
        groups, rest = [], dict(self.board)
        while rest:
            before = set(rest)
            explode(rest, next(iter(rest)))
            groups.append(before - set(rest))
        return groups

    def count_components(self, side, alone):
        groups = [{self.board[cell] * side > 0 for cell in group} for group in self.components()]
        return sum(colours == {True} if alone else True in colours for colours in groups)

    def mean_distance(self):
        total = pairs = 0
        for (x, y), tokens in self.board.items():
            for (to_x, to_y), others in self.board.items():
                if tokens > 0 > others:
                    total += tokens * -others * (abs(x - to_x) + abs(y - to_y))
                    pairs += tokens * -others
        return total / pairs


def explode(board, square):
    """Remove a stack and, from it, every stack in the 3 x 3 around, and so on."""
    del board[square]
    x, y = square
    for across, up in product((-1, 0, 1), repeat=2):
        if (x + across, y + up) in board:
            explode(board, (x + across, y + up))


def written(action):
    """Write an action as a person types it."""

    def name(cell):
        return "abcdefgh"[cell[0]] + str(cell[1] + 1)

    if action[0] == "BOOM":
        return f"boom-{name(action[1])}"
    _, tokens, square, to = action
    return f"{tokens if tokens > 1 else ''}{name(square)}-{name(to)}"


def naive_perft(naive, depth):
    """Count the lines of exactly `depth` plies."""
    if depth <= 1:
        return len(naive.legal()) if depth else 1
    return sum(naive_perft(naive.after(action), depth - 1) for action in naive.legal())
