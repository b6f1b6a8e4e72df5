"""The course's board of Connect-N: row 0 is at the bottom."""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class Board:
    """Stones (0 none, 1 or 2) by row and column, w columns, h rows, n in a row to win."""

    def __init__(self, board, w, h, n):
        """Make a board that shares these rows, with player 1 to move."""
        self.board = board
        self.w = w
        self.h = h
        self.n = n
        self.player = 1

    def copy(self):
        """Return a copy with rows of its own."""
        other = Board([row[:] for row in self.board], self.w, self.h, self.n)
        other.player = self.player
        return other

    def is_line_at(self, x, y, dx, dy):
        """Return whether n stones of one player lie in a row from (x, y) in direction (dx, dy)."""
        last_x, last_y = x + (self.n - 1) * dx, y + (self.n - 1) * dy
        if not (0 <= last_x < self.w and 0 <= last_y < self.h):
            return False
        stone = self.board[y][x]
        return stone != 0 and all(
            self.board[y + step * dy][x + step * dx] == stone for step in range(1, self.n)
        )

    def is_any_line_at(self, x, y):
        """Return whether a line begins at (x, y), in any direction."""
        return any(self.is_line_at(x, y, dx, dy) for dx, dy in DIRECTIONS)

    def get_outcome(self):
        """Return the winner, 1 or 2; 0 if there is none."""
        for y in range(self.h):
            for x in range(self.w):
                if self.board[y][x] != 0 and self.is_any_line_at(x, y):
                    return self.board[y][x]
        return 0

    def add_token(self, x):
        """Drop a stone of the player to move into column x, and pass the turn."""
        y = 0
        while self.board[y][x] != 0:
            y += 1
        self.board[y][x] = self.player
        self.player = 3 - self.player

    def free_cols(self):
        """Return the columns that are not full."""
        return [x for x in range(self.w) if self.board[-1][x] == 0]

    def print_it(self):
        """Print the board, the top row first."""
        frame = "+" + "-" * self.w + "+"
        print(frame)
        for row in reversed(self.board):
            print("|" + "".join(" 12"[stone] for stone in row) + "|")
        print(frame)
        print(" " + "".join(str(x % 10) for x in range(self.w)))
