"""Expendibots as text, on the terminal and as a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import count
from math import cos, pi, sin

from plyground.errors import TextError
from plyground.game import Position
from plyground.games.expendibots import rules
from plyground.picture import STRIP, Click, Picture, Rows, ink_on
from plyground.text import counted, shortened

SIDES = "wb"
HEIGHTS = ("ABCDEFGHIJKL", "abcdefghijkl")
NAMES = ("White", "Black")
FILES = "abcdefgh"
SHAPE = "rows from the top, w or b to move, plies played"

STYLES = {"w": "bold cyan", "b": "bold red", ".": "dim"}
FRAME, SQUARES, INK = "#5d4a36", ("#c9a77c", "#ead6b5"), "#f3e9d8"
TINT, FIRE, SMOKE = "#f2cf4a", "#e4572e", "#f3b562"
DISCS, EDGES = ("#fbfaf6", "#33373d"), ("#8d8677", "#868c95")
RISE, MOST_SEEN = 0.07, 4
"""The vertical distance between the tokens of a stack, and how many of them are drawn."""

Board = dict[int, int]
"""The tokens on each square with a stack; Black's are negative."""


def board(state: Sequence[int]) -> Board:
    """Return the stacks of a state."""
    stacks: Board = {}
    for square in range(rules.SQUARES):
        tokens = sum((state[rules.HEIGHTS + bit] >> square & 1) << bit for bit in range(4))
        if tokens:
            stacks[square] = tokens if state[rules.STACKS] >> square & 1 else -tokens
    return stacks


def words(stacks: Board, mover: int, plies: int) -> list[int]:
    """Return the state with these stacks."""
    state = [0] * rules.WORDS
    for square, tokens in stacks.items():
        state[rules.STACKS + (tokens < 0)] |= 1 << square
        for bit in range(4):
            state[rules.HEIGHTS + bit] |= (abs(tokens) >> bit & 1) << square
    state = [word - (word >> 63 << 64) for word in state]  # bit 63 is the sign
    state[rules.MOVER], state[rules.PLIES] = mover, plies
    return state


def write(stacks: Board, mover: int, plies: int) -> str:
    """Return rows from the top, the side to move and the plies: `8/8/8/2a5/8/8/8/B7 w 12`."""
    lines = ("".join(_letter(stacks.get(8 * y + x, 0)) for x in range(8)) for y in range(7, -1, -1))
    rows = (re.sub(r"\.+", lambda run: str(len(run[0])), line) for line in lines)
    return f"{'/'.join(rows)} {SIDES[mover]} {plies}"


def _letter(tokens: int) -> str:
    return HEIGHTS[tokens < 0][abs(tokens) - 1] if tokens else "."


def read(text: str) -> tuple[Board, int, int]:
    """Return the stacks, the side to move and the plies of a text, or raise TextError.

    Empty squares may also be dots. The error names the row and the column.
    """
    parts = text.split()
    if len(parts) != 3:
        raise TextError(f"expendibots: {shortened(text)!r} has {len(parts)} parts, not 3: {SHAPE}")
    squares, mover, plies = parts
    if mover.lower() not in ("w", "b"):
        raise TextError(f"expendibots: {shortened(mover)!r} is to move; allowed: w, b")
    if not re.fullmatch(r"[0-9]{1,3}", plies) or int(plies) > rules.LONGEST:
        raise TextError(
            f"expendibots: {shortened(plies)!r} plies played; allowed: 0 to {rules.LONGEST}"
        )
    lines = squares.split("/")
    if len(lines) != rules.SIZE:
        rows = counted(len(lines), "row")
        raise TextError(f"expendibots: {rows} in {shortened(squares)!r}; the board has 8")
    stacks: Board = {}
    for number, line in enumerate(lines, start=1):
        for column, tokens in enumerate(_read_row(line, number)):
            if tokens:
                stacks[8 * (rules.SIZE - number) + column] = tokens
    for sign, name in zip((1, -1), NAMES, strict=True):
        total = sum(abs(tokens) for tokens in stacks.values() if tokens * sign > 0)
        if total > rules.TOKENS:
            raise TextError(
                f"expendibots: {name} has {total} tokens; at most {rules.TOKENS} are allowed"
            )
    return stacks, SIDES.index(mover.lower()), int(plies)


def _read_row(line: str, number: int) -> list[int]:
    row: list[int] = []
    for symbol in line:
        if symbol in "12345678":
            row += [0] * int(symbol)
        elif symbol == ".":
            row.append(0)
        elif symbol in HEIGHTS[0]:
            row.append(HEIGHTS[0].index(symbol) + 1)
        elif symbol in HEIGHTS[1]:
            row.append(-HEIGHTS[1].index(symbol) - 1)
        else:
            place = f"row {number}, column {len(row) + 1}"
            allowed = "A to L, a to l, . and the numbers 1 to 8"
            raise TextError(f"expendibots: {symbol!r} at {place}; allowed: {allowed}")
        if len(row) > rules.SIZE:
            raise TextError(f"expendibots: row {number} has more than {rules.SIZE} squares")
    if len(row) < rules.SIZE:
        raise TextError(f"expendibots: row {number} has {len(row)} squares; the board has 8")
    return row


# Actions ----------------------------------------------------------------------------------------


def square_name(square: int) -> str:
    """Return a square's name: file a to h (x 0 to 7), rank 1 to 8 (y 0 to 7)."""
    return f"{FILES[square & 7]}{(square >> 3) + 1}"


@cache
def move_of(action: int) -> tuple[int, int, int]:
    """Return a move's tokens, square and target square."""
    pair, less = divmod(action - rules.SQUARES, rules.TOKENS)
    square, number = divmod(pair, rules.TARGETS)
    return less + 1, square, int(rules.target(square, number))


@cache
def format_action(action: int) -> str:
    """Return an action as text: `boom-c3`, a move `c3-c4`, or of several tokens `2c3-c5`."""
    if action < rules.SQUARES:
        return f"boom-{square_name(action)}"
    tokens, square, to = move_of(action)
    return f"{tokens if tokens > 1 else ''}{square_name(square)}-{square_name(to)}"


def clicks(state: Sequence[int], action: int) -> tuple[Click, ...]:
    """Return the clicks of an action; the number of tokens comes last, if there is a choice."""
    if action < rules.SQUARES:
        return action, action
    tokens, square, to = move_of(action)
    tall = any(state[rules.HEIGHTS + bit] >> square & 1 for bit in (1, 2, 3))
    return (square, to, str(tokens)) if tall else (square, to)


def piles(position: Position) -> dict[int, list[str]]:
    """Return the names of the tokens on each square, from the bottom up.

    Each side's tokens are numbered in the first position of the line of play, and followed through
    it. A move takes the upper tokens of a stack, and puts them on top of the target's.
    """
    first, *later = position.line()
    names: dict[int, list[str]] = {}
    numbers = {side: count(1) for side in SIDES}
    for square, tokens in board(first.state.tolist()).items():
        side = SIDES[tokens < 0]
        names[square] = [f"{side}{next(numbers[side])}" for _ in range(abs(tokens))]
    for moment in later:
        if moment.action is None or moment.action < rules.SQUARES:
            left = int(moment.state[rules.STACKS] | moment.state[rules.STACKS + 1])
            names = {square: pile for square, pile in names.items() if left >> square & 1}
        else:
            tokens, square, to = move_of(moment.action)
            names.setdefault(to, []).extend(names[square][-tokens:])
            del names[square][-tokens:]
            if not names[square]:
                del names[square]
    return names


def around(square: int) -> list[int]:
    """Return the squares next to a square, also diagonally."""
    x, y = square & 7, square >> 3
    return [
        8 * (y + down) + x + across
        for down in (-1, 0, 1)
        for across in (-1, 0, 1)
        if (down or across) and 0 <= x + across < rules.SIZE and 0 <= y + down < rules.SIZE
    ]


def blast(stacks: Board, mover: int) -> dict[int, tuple[int, float]]:
    """Return the squares that explosions can reach, each with the side that can set one off.

    Where both sides can, it is the one to move. Squares whose stacks would be lost count more.
    """
    found: dict[int, tuple[int, float]] = {}
    for side in (1 - mover, mover):
        reached = {square for square, tokens in stacks.items() if (tokens < 0) == side}
        waiting = list(reached)
        while waiting:  # an explosion sets off every stack next to it
            square = waiting.pop()
            for near in around(square):
                if near not in reached:
                    reached.add(near)
                    waiting += [near] if near in stacks else []
        found |= {square: (side, 1.0 if square in stacks else 0.4) for square in reached}
    return found


# The board on a terminal and as a picture -------------------------------------------------------


def rows(stacks: Board, changed: set[int]) -> Rows:
    """Return the board with coordinates; `w3` is a white stack of 3, `changed` is underlined."""
    lines: Rows = []
    for y in range(7, -1, -1):
        line = [(f"{y + 1} ", "dim")]
        for square in range(8 * y, 8 * y + 8):
            tokens = stacks.get(square, 0)
            symbol = f"{SIDES[tokens < 0]}{abs(tokens)}" if tokens else "."
            style = STYLES[symbol[0]]
            line.append((symbol, f"{style} underline" if square in changed else style))
            line.append((" " * (3 - len(symbol)), ""))
        lines.append(line)
    return [*lines, [("  " + "".join(f"{letter:<3}" for letter in FILES), "dim")]]


def draw(position: Position, moved: set[int], exploded: set[int], title: str) -> Picture:
    """Return a picture with stacks of discs, the last move tinted and fire where stacks exploded.

    Each visible token is a piece with its name from `piles`; squares are areas.
    """
    stacks, names = board(position.state.tolist()), piles(position)
    picture = Picture(9.1, 9.1 + STRIP, title, colours=DISCS)
    picture.panel()
    picture.rectangle(0, 0, 9.1, 9.1, FRAME, corner=0.2)
    for square in range(rules.SQUARES):
        x, y = square & 7, square >> 3
        colour = TINT if square in moved else SQUARES[(x + y) % 2]
        picture.rectangle(x + 0.55, 7.55 - y, 1, 1, colour)
        picture.area(square, x + 0.55, 7.55 - y, 1, 1)
    for step in range(8):
        for at in (0.27, 8.83):
            picture.text(step + 1.05, at, FILES[step], INK, 0.32)
            picture.text(at, 8.05 - step, str(step + 1), INK, 0.32)
    for square in sorted(exploded):
        _burst(picture, (square & 7) + 1.05, 8.05 - (square >> 3))
    for square in sorted(stacks, reverse=True):  # from the top, so that tall stacks overlap upwards
        x, y = square & 7, square >> 3
        _pile(picture, x + 1.05, 8.05 - y, stacks[square] < 0, names[square])
    returns = position.returns if position.is_over else None
    picture.turn(SIDES.upper(), position.player, returns, names=NAMES)
    return picture


def _pile(picture: Picture, x: float, y: float, side: int, names: list[str]) -> None:
    """Draw the upper tokens of a stack, and the number of all its tokens."""
    seen = names[-MOST_SEEN:]
    lowest = y + RISE * (len(seen) - 1) / 2
    for number, name in enumerate(seen):
        with picture.piece(name, x, lowest - RISE * number):
            picture.circle(0, 0, 0.34, DISCS[side], edge=EDGES[side], line=0.04)
    if len(seen) > 1:
        top = y - RISE * (len(seen) - 1) / 2
        picture.text(x, top, str(len(names)), ink_on(DISCS[side]), 0.38)


def _burst(picture: Picture, x: float, y: float) -> None:
    for number in range(12):
        turn, reach = number * pi / 6, 0.42 if number % 2 else 0.3
        picture.line(x, y, x + reach * cos(turn), y + reach * sin(turn), FIRE, 0.09)
    picture.circle(x, y, 0.17, SMOKE)
