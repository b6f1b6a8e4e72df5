"""Robot Reboot on the terminal and as a picture."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from plyground.games.robots import sliding
from plyground.games.robots.boards import LETTERS, Board, Place
from plyground.games.robots.text import Scene, place_name
from plyground.picture import FAINT, STRIP, Picture, Rows, Span, ink_on, tint

NAMES = ("yellow", "green", "red", "blue", "silver", "orange", "purple", "black")
STYLES = (
    "bold yellow", "bold green", "bold red", "bold blue",
    "bold white", "bold dark_orange", "bold magenta", "bold reverse",
)  # fmt: skip
FILLS = (
    "#f0e442", "#009e73", "#d55e00", "#0072b2", "#b8bec6", "#e69f00", "#cc79a7", "#333333",
)  # fmt: skip
PAPER, GRID, WALL, CLOSED, EDGE = "#f7f3e9", "#e3dbc9", "#4a4038", "#b9ae9c", "#2e3440"


class Slide(NamedTuple):
    """The last move: the robot, and the place it came from."""

    robot: int
    origin: Place


def status(seen: Scene, score: int, cap: int, rounds: int, over: bool) -> str:
    """Return one line: the round, the target robot and its house or the outcome, and the moves."""
    number = f"round {seen.round} of {rounds}: " if rounds > 1 else ""
    if over:
        outcome = "solved" if seen.is_solved else "lost"
        return f"{number}{outcome} after {seen.moves} move{'s' * (seen.moves != 1)}, score {score}"
    state = f"{number}{NAMES[seen.target]} to {place_name(seen.house)}, {seen.moves} of {cap} moves"
    return f"{state}, score {score}" if rounds > 1 else state


# Terminal ---------------------------------------------------------------------------------------

JOINTS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""The character where walls meet, by the sum of their directions: 1 up, 2 right, 4 down, 8 left."""


def rows(seen: Scene, last: Slide | None, words: str) -> Rows:
    """Return the board with its walls; `[ ]` is the house, dots show the path of the last move."""
    board = seen.board
    middles = _middles(seen, last)
    lines: Rows = [_columns(board)]
    for row in range(board.height + 1):
        edge = "".join(
            JOINTS[_joint(board, column, row)] + ("───" if _above(board, column, row) else "   ")
            for column in range(board.width)
        )
        lines.append([("   " + edge + JOINTS[_joint(board, board.width, row)], "")])
        if row == board.height:
            break
        line = [(f"{row + 1:>2} ", "dim")]
        for column in range(board.width):
            letter, style = middles[column, row]
            side = _side(letter)
            left, right = ("[", "]") if (column, row) == seen.house else (side, side)
            line.append(("│" if _left(board, column, row) else " ", ""))
            line.append((left + letter + right, style))
        lines.append([*line, ("│", "")])
    return [*lines, [("   " + words, "")]]


FLOOR = "▁"
"""A wall below a cell in `compact_rows`, where walls have no rows of their own."""


def compact_rows(seen: Scene, last: Slide | None, words: str) -> Rows:
    """Return the board with one row of text per row of cells; walls below cells are underlines.

    The house is the small letter of its robot.
    """
    board = seen.board
    middles = _middles(seen, last)
    lines: Rows = [_columns(board), [("    " + FLOOR * (4 * board.width - 1), "")]]
    for row in range(board.height):
        line = [(f"{row + 1:>2} ", "dim")]
        for column in range(board.width):
            letter, style = middles[column, row]
            is_walled = _above(board, column, row + 1)
            joins = is_walled and _above(board, column - 1, row + 1)
            line.append(("│" if _left(board, column, row) else FLOOR if joins else " ", ""))
            side = _side(letter)
            if is_walled and letter != OUTSIDE:
                side = FLOOR
                letter, style = (FLOOR, "") if letter == EMPTY else (letter, style)
            if (column, row) == seen.house:
                style += " reverse"
            line += [(side, ""), (letter, style), (side, "")]
        lines.append([*line, ("│", "")])
    return [*lines, [("   " + words, "")]]


EMPTY, OUTSIDE = "·", "░"


def _middles(seen: Scene, last: Slide | None) -> dict[Place, Span]:
    """Return the character in the middle of each cell, and its style."""
    board = seen.board
    inside = board.region(seen.house)
    middles = {
        (column, row): (EMPTY if inside[row, column] else OUTSIDE, "dim")
        for row in range(board.height)
        for column in range(board.width)
    }
    if last is not None:
        middles |= dict.fromkeys(passed(seen, last), ("•", STYLES[last.robot]))
    middles[seen.house] = LETTERS[seen.target], STYLES[seen.target]
    for robot, place in enumerate(seen.robots):
        middles[place] = LETTERS[robot].upper(), STYLES[robot]
    return middles


def _side(letter: str) -> str:
    """Return the character on both sides of a cell's letter."""
    return OUTSIDE if letter == OUTSIDE else " "


def _columns(board: Board) -> list[Span]:
    """Return the row of the columns' letters."""
    letters = "".join(f"{place_name((column, 0))[:-1]:^4}" for column in range(board.width))
    return [("    " + letters, "dim")]


def passed(seen: Scene, last: Slide | None) -> list[Place]:
    """Return the places that the last slide passed, from its origin on, without its end."""
    if last is None:
        return []
    (column, row), (to_column, to_row) = last.origin, seen.robots[last.robot]
    across, down = _sign(to_column - column), _sign(to_row - row)
    steps = max(abs(to_column - column), abs(to_row - row))
    return [(column + across * step, row + down * step) for step in range(steps)]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _above(board: Board, column: int, row: int) -> bool:
    """Return whether the edge above a cell, or below the last row, is a wall."""
    if not 0 <= column < board.width:
        return False
    if row == board.height:
        return bool(board.walls[row - 1][column] >> sliding.SOUTH & 1)
    return bool(board.walls[row][column] >> sliding.NORTH & 1)


def _left(board: Board, column: int, row: int) -> bool:
    """Return whether the edge to the left of a cell, or right of the last column, is a wall."""
    if not 0 <= row < board.height:
        return False
    if column == board.width:
        return bool(board.walls[row][column - 1] >> sliding.EAST & 1)
    return bool(board.walls[row][column] >> sliding.WEST & 1)


def _joint(board: Board, column: int, row: int) -> int:
    """Return the directions of the walls that meet at a cell's upper left corner, as in JOINTS."""
    return (
        _left(board, column, row - 1)
        + 2 * _above(board, column, row)
        + 4 * _left(board, column, row)
        + 8 * _above(board, column - 1, row)
    )


# Picture ----------------------------------------------------------------------------------------

MARGIN = 0.8


def draw(seen: Scene, last: Slide | None, words: str, title: str) -> Picture:
    """Return a picture with walls, robots with their letters, the house and the last move's path.

    Robots and the house are pieces; every cell is an area.
    """
    board = seen.board
    width, height = board.width, board.height
    picture = Picture(width + 2 * MARGIN, height + MARGIN + 0.2 + STRIP, title)
    picture.panel()
    picture.rectangle(MARGIN, MARGIN, width, height, PAPER)
    for column in range(width + 1):
        x = MARGIN + column
        picture.line(x, MARGIN, x, MARGIN + height, GRID, 0.03)
        if column < width:
            name = place_name((column, 0))[:-1]
            picture.text(x + 0.5, MARGIN - 0.4, name, FAINT, 0.4)
    for row in range(height + 1):
        y = MARGIN + row
        picture.line(MARGIN, y, MARGIN + width, y, GRID, 0.03)
        if row < height:
            picture.text(MARGIN - 0.4, y + 0.5, str(row + 1), FAINT, 0.4)
    inside = board.region(seen.house)
    for row in range(height):
        for column in range(width):
            area = area_of((column, row), width)
            picture.area(area, MARGIN + column, MARGIN + row, 1, 1)
            if not inside[row, column]:
                picture.rectangle(MARGIN + column, MARGIN + row, 1, 1, CLOSED)
    _draw_house(picture, seen)
    _draw_walls(picture, board)
    if last is not None:
        x, y = _centre(last.origin)
        picture.circle(x, y, 0.16, FILLS[last.robot], edge=EDGE, line=0.02)
        picture.line(x, y, *_centre(seen.robots[last.robot]), FILLS[last.robot], 0.1)
    for robot, place in enumerate(seen.robots):
        with picture.piece(f"robot-{LETTERS[robot]}", *_centre(place)):
            picture.circle(0, 0, 0.34, FILLS[robot], edge=EDGE, line=0.06)
            picture.text(0, 0.02, LETTERS[robot].upper(), ink_on(FILLS[robot]), 0.4)
    picture.caption(words, FILLS[seen.target], LETTERS[seen.target].upper())
    return picture


def area_of(place: Place, width: int) -> int:
    """Return the number of a place's area, counted row by row."""
    return place[1] * width + place[0]


def _draw_house(picture: Picture, seen: Scene) -> None:
    """Draw the house: a ring in the robot's colour, with its letter, on a tinted cell."""
    fill = FILLS[seen.target]
    with picture.piece("house", *_centre(seen.house)):
        picture.rectangle(-0.5, -0.5, 1, 1, tint(fill, 0.4))
        picture.circle(0, 0, 0.39, PAPER, edge=EDGE, line=0.18)
        picture.circle(0, 0, 0.39, "none", edge=fill, line=0.13)
        picture.text(0, 0.02, LETTERS[seen.target], EDGE, 0.42)


def _draw_walls(picture: Picture, board: Board) -> None:
    """Draw each straight run of walls as one line."""
    for row in range(board.height + 1):
        for run in _runs([_above(board, column, row) for column in range(board.width)]):
            x, to_x = (MARGIN + end for end in run)
            picture.line(x, MARGIN + row, to_x, MARGIN + row, WALL, 0.12)
    for column in range(board.width + 1):
        for run in _runs([_left(board, column, row) for row in range(board.height)]):
            y, to_y = (MARGIN + end for end in run)
            picture.line(MARGIN + column, y, MARGIN + column, to_y, WALL, 0.12)


def _runs(walls: list[bool]) -> list[tuple[int, int]]:
    """Return the begin and the end of each run of walls."""
    changes = [
        at for at, (one, next_) in enumerate(pairwise([False, *walls, False])) if one != next_
    ]
    return list(zip(changes[::2], changes[1::2], strict=True))


def _centre(place: Place) -> tuple[float, float]:
    return MARGIN + place[0] + 0.5, MARGIN + place[1] + 0.5
