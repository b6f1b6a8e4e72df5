"""Battle Sheep on the terminal and as a picture."""

from __future__ import annotations

from math import sqrt

from plyground.game import Position
from plyground.games.sheep import layout
from plyground.games.sheep.layout import Place
from plyground.games.sheep.notation import (
    BLOCKED,
    LETTERS,
    UNKNOWN,
    Board,
    board_of,
    regions,
    split_action,
    written,
)
from plyground.games.sheep.rules import FREE
from plyground.picture import COLOURS, INK, STRIP, Click, Picture, Rows, ink_on, tint

STYLES = ("bold red", "bold blue", "bold yellow", "bold magenta")
MEADOW, GRASS, MARK, GREEN = "#e9ede1", "#b9d99a", "#86b45c", "#42562f"
SLANT = 0.5
ROW = sqrt(3) / 2
"""On hexagons a row lies SLANT further right than the one above it, and ROW lower."""


def newest(position: Position, board: Board) -> Place | None:
    """Return the cell that the last action took; None if it is not known, or was skipped."""
    if position.previous is None:
        return None
    before = board_of(position.previous.setup, position.previous.state)
    cells = ((x, y) for y, row in enumerate(board) for x in range(len(row)))
    return next(((x, y) for x, y in cells if board[y][x][0] != before[y][x][0]), None)


def tallies(board: Board, players: int, hexagonal: bool) -> list[str]:
    """Return each player's score as text; on hexagons its cells and its largest region."""
    scores = []
    for seat in range(1, players + 1):
        sizes = regions(board, seat, hexagonal)
        score = sum(size**1.25 for size in sizes)
        scores.append(f"{sum(sizes)}/{max(sizes, default=0)}" if hexagonal else f"{score:.1f}")
    return scores


def rows(position: Position, board: Board, hexagonal: bool) -> Rows:
    """Return the board with coordinates and scores; the last action's cell is shown inverted."""
    new = newest(position, board)
    head = "".join(f"{x:>4}" for x in range(len(board)))
    lines: Rows = [[("   " + head, "dim")]]
    for y, row in enumerate(board):
        line = [(" " * (2 * y if hexagonal else 0) + f"{y:>3}", "dim")]
        for x, (owner, sheep) in enumerate(row):
            text = written(owner, sheep)
            style = STYLES[owner - 1] if owner > 0 else "green" if owner == 0 else "dim"
            line += [(" " * (4 - len(text)), ""), (text, style + " reverse" * ((x, y) == new))]
        lines.append(line)
    return [*lines, _footer(position, board, hexagonal)]


def _footer(position: Position, board: Board, hexagonal: bool) -> list[tuple[str, str]]:
    line = [("   ", "")]
    for seat, score in enumerate(tallies(board, position.game.facts.players, hexagonal)):
        moves = not position.is_over and seat == position.player
        line.append((f" {'>' if moves else ' '}{LETTERS[seat]} {score}", STYLES[seat]))
    return line


def clicks(position: Position, action: int) -> tuple[Click, ...]:
    """Return the clicks of an action; the number of sheep comes last, if there is a choice."""
    setup, state, size = position.setup, position.state, int(position.setup[layout.SIZE])

    def is_free(x: int, y: int) -> bool:
        cell = setup[layout.RANKS + y * size + x] if 0 <= x < size and 0 <= y < size else BLOCKED
        return bool(cell >= 0 and state[FREE + (cell >> 6)] >> (cell & 63) & 1)

    (x, y), direction, sheep = _split(position, action)
    origin = y * size + x
    if direction == 0:
        return (origin,)
    dx, dy = (direction - 1) % 3 - 1, (direction - 1) // 3 - 1
    while is_free(x + dx, y + dy):
        x, y = x + dx, y + dy
    two_at_least = action + 2 - sheep
    ends = origin, y * size + x
    return (*ends, str(sheep)) if two_at_least in position.legal_actions else ends


def draw(position: Position, board: Board, hexagonal: bool, title: str) -> Picture:
    """Return a picture of the pasture in the players' colours, with the stacks and the scores.

    Every cell is an area. Stacks are pieces named by their cells: a stack never leaves its cell,
    and sheep that move away become a new stack.
    """
    cells = [(x, y) for y, row in enumerate(board) for x in range(len(row)) if row[x][0] != BLOCKED]
    paper = _Paper(board, cells, hexagonal, title)
    paper.ground()
    actions = (_split(position, action) for action in position.legal_actions)
    border = {place for place, direction, _ in actions if direction == 0}
    for place in cells:
        paper.cell(place, place in border)
        paper.area(place)
    paper.trace(position, newest(position, board))
    for place in cells:
        paper.stack(place)
    paper.scores(position)
    return paper.picture


def _split(position: Position, action: int) -> tuple[Place, int, int]:
    return split_action(action, int(position.setup[layout.SIZE]), int(position.setup[layout.SHEEP]))


class _Paper:
    """Draws one board, with cells as squares or hexagons."""

    def __init__(self, board: Board, cells: list[Place], hexagonal: bool, title: str) -> None:
        self.board, self.hexagonal = board, hexagonal
        at = [self._raw(place) for place in cells]
        if not hexagonal:
            at = [(0.0, 0.0), (len(board) - 1.0, len(board) - 1.0)]
        self.left, self.top = min(x for x, _ in at) - 1.1, min(y for _, y in at) - 1.1
        width = max(x for x, _ in at) - self.left + 0.7
        self.bottom = max(y for _, y in at) - self.top + 0.7
        self.picture = Picture(max(width, 6.0), self.bottom + 2 * STRIP, title)

    def _raw(self, place: Place) -> tuple[float, float]:
        x, y = place
        return (x + SLANT * y, ROW * y) if self.hexagonal else (float(x), float(y))

    def at(self, place: Place) -> tuple[float, float]:
        """Return the middle of a cell."""
        x, y = self._raw(place)
        return x - self.left, y - self.top

    def ground(self) -> None:
        """Draw the background; rows and columns of squares are numbered at its edge."""
        picture, size = self.picture, len(self.board)
        picture.panel()
        picture.rectangle(0, 0, picture.width, self.bottom, MEADOW, corner=0.3)
        for number in range(0 if self.hexagonal else size):
            picture.text(self.at((number, 0))[0], 0.32, str(number), GREEN, 0.32)
            picture.text(0.32, self.at((0, number))[1], str(number), GREEN, 0.32)

    def cell(self, place: Place, marked: bool) -> None:
        """Draw one cell, joined to neighbours of the same owner to the right and below."""
        owner = self.board[place[1]][place[0]][0]
        colour = tint(COLOURS[owner - 1], 0.35) if owner else GRASS
        x, y = self.at(place)
        if self.hexagonal:
            self.picture.circle(x, y, 0.46, colour, edge=MARK if marked else colour, line=0.05)
            if not owner:
                self.picture.text(x, y, f"{place[0]},{place[1]}", GREEN, 0.25)
        else:
            self.picture.rectangle(x - 0.47, y - 0.47, 0.94, 0.94, colour, corner=0.1)
            if marked:
                self.picture.circle(x, y, 0.14, MARK)
        for direction in layout.sides_of(self.hexagonal) if owner else ():
            dx, dy = layout.DIRECTIONS[direction]
            later = place[0] + dx, place[1] + dy
            if (dy, dx) > (0, 0) and self._owner(later) == owner:
                to_x, to_y = self.at(later)
                if self.hexagonal:
                    self.picture.line(x, y, to_x, to_y, colour, 0.6)
                else:
                    wide, high = (0.4, 0.94) if dx else (0.94, 0.4)
                    middle = (x + to_x) / 2 - wide / 2, (y + to_y) / 2 - high / 2
                    self.picture.rectangle(*middle, wide, high, colour)

    def area(self, place: Place) -> None:
        """Record the area of a cell; the areas of hexagons are rectangles, laid like bricks."""
        x, y = self.at(place)
        high = ROW if self.hexagonal else 1.0
        self.picture.area(self._number(place), x - 0.5, y - high / 2, 1, high)

    def _number(self, place: Place) -> int:
        """Return the number of a place, counted row by row."""
        return place[1] * len(self.board) + place[0]

    def _owner(self, place: Place) -> int:
        x, y = place
        inside = 0 <= x < len(self.board) and 0 <= y < len(self.board)
        return self.board[y][x][0] if inside else BLOCKED

    def trace(self, position: Position, new: Place | None) -> None:
        """Draw the last move as a line from its stack to the cell it took."""
        if new is None or position.action is None:
            return
        place, direction, _ = _split(position, position.action)
        if direction:
            self.picture.line(*self.at(place), *self.at(new), INK, 0.09)
        x, y = self.at(new)
        self.picture.circle(x, y, 0.41, INK)

    def stack(self, place: Place) -> None:
        """Draw the sheep on a cell as a disc with their notation, such as `a14`."""
        owner, sheep = self.board[place[1]][place[0]]
        if owner > 0:
            colour = COLOURS[owner - 1]
            count = "?" if sheep == UNKNOWN else str(sheep) if sheep > 1 else ""
            words = LETTERS[owner - 1] + count
            with self.picture.piece(f"stack-{self._number(place)}", *self.at(place)):
                self.picture.circle(0, 0, 0.38 if count else 0.27, colour)
                self.picture.text(0, 0, words, ink_on(colour), 0.33 if len(words) > 2 else 0.38)

    def scores(self, position: Position) -> None:
        """Write below the board who is to move or who won, and the scores."""
        players = position.game.facts.players
        returns = position.returns if position.is_over else None
        self.picture.turn(LETTERS, position.player, returns, row=1)
        y = self.picture.height - STRIP / 2
        for seat, score in enumerate(tallies(self.board, players, self.hexagonal)):
            x = (seat + 0.5) * self.picture.width / players
            self.picture.token(x - 0.6, y, COLOURS[seat], LETTERS[seat])
            self.picture.text(x + 0.3, y, score, INK, 0.4)
