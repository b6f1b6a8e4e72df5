"""Tron as text, on the terminal and as a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from plyground.errors import TextError
from plyground.game import Position
from plyground.games.tron import layout
from plyground.games.tron.board import ACTIONS, BARRIER, PLAYERS, POWERS, SPACE, WALL, Board, unpack
from plyground.picture import COLOURS, STRIP, Picture, Rows, ink_on, tint
from plyground.text import counted

FLOOR, GRID, STONE = "#f0f3f8", "#dde3ec", "#4a5568"
ASH = "#a8b0bd"
BADGES = {"*": "#7a3b8f", "^": "#00694d", "!": "#a3262b", "@": "#7a5c00"}
LOWER = {"*": 0.16, "^": 0.16, "@": -0.02}
"""Vertical shift of a symbol that makes it look centred."""
TERMINAL = {WALL: "bright_black on bright_black", BARRIER: "magenta on magenta", SPACE: "dim"}
TRAIL_STYLES = ("blue on blue", "red on red")
HEAD_STYLES = ("bold white on blue", "bold white on red")
POWER_STYLE = "bold yellow"

Fields = dict[str, str]
"""The fields of a position's text after the board, by name."""


# Text -------------------------------------------------------------------------------------------


def write(setup: Sequence[int], state: Sequence[int]) -> str:
    """Return the rows joined by `/`, with dots for blanks, the player to move, and other fields."""
    board = "/".join(unpack(setup, state)).replace(SPACE, ".")
    pending = ("", *ACTIONS, "?")[state[layout.PENDING]]
    haste = state[layout.HASTE], state[layout.SECOND_HASTE]
    fields = {
        "crashed": _players(state[layout.CRASHED]),
        "pending": pending,
        "speed": ",".join(map(str, haste)) if any(haste) else "",
        "armor": _players(state[layout.ARMOR]),
        "random": str(state[layout.RANDOM] or ""),
        "frame": str(setup[layout.FRAME] or ""),
    }
    written = (f" {name}={value}" for name, value in fields.items() if value)
    return f"{board} {PLAYERS[state[layout.TURN]]}{''.join(written)}"


def _players(bits: int) -> str:
    return "".join(player for seat, player in enumerate(PLAYERS) if bits >> seat & 1)


def read(text: str) -> tuple[Board, int, Fields]:
    """Return the board, the seat to move and the fields of a text that `write` wrote."""
    parts = text.split()
    if len(parts) < 2 or parts[1] not in tuple(PLAYERS):
        raise TextError(
            "tron: write a position as 'row/row/row 1', with the player to move at the end"
        )
    fields: Fields = {}
    known = ("crashed", "pending", "speed", "armor", "random", "frame")
    for part in parts[2:]:
        name, equals, value = part.partition("=")
        if name not in known or not equals or name in fields:
            raise TextError(
                f"tron: cannot read {part[:40]!r}; known: {'=, '.join(known)}=, each once"
            )
        fields[name] = value
    return parts[0].replace(".", SPACE).split("/"), PLAYERS.index(parts[1]), fields


def number(fields: Fields, name: str, low: int, high: int) -> int:
    """Return a field that is a whole number; 0 if it is missing."""
    return _number(name, fields.get(name, "0"), low, high)


def pair(fields: Fields, name: str, high: int) -> tuple[int, int]:
    """Return a field with one whole number from 0 on per player; zeros if it is missing."""
    values = fields.get(name, "0,0").split(",")
    if len(values) != len(PLAYERS):
        raise TextError(f"tron: {name}={fields[name][:40]!r}; write one number per player: 4,0")
    first, second = (_number(name, value, 0, high) for value in values)
    return first, second


def _number(name: str, value: str, low: int, high: int) -> int:
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20):
        raise TextError(f"tron: {name}={value[:40]!r} is not a whole number")
    if not low <= int(value) <= high:
        raise TextError(f"tron: {name}={value} is out of range; allowed: {low} to {high}")
    return int(value)


def seats(fields: Fields, name: str) -> int:
    """Return a field that lists players, as bits; 0 if it is missing."""
    known = {"": 0, "1": 1, "2": 2, "12": 3}
    value = fields.get(name, "")
    if value not in known:
        raise TextError(f"tron: {name}={value[:40]!r}; allowed: 1, 2 and 12")
    return known[value]


# The terminal -----------------------------------------------------------------------------------


def owners(position: Position) -> dict[int, int]:
    """Return the owner of each trail's cell: the last to pass it on the line of play."""
    return {cell: seat for seat, cell in _passages(position)}


def _passages(position: Position) -> Iterator[tuple[int, int]]:
    """Yield (seat, cell) for every cell that a head entered, in the order of play."""
    before = [-1, -1]
    for moment in position.line():
        for seat in (0, 1):
            cell = int(moment.state[layout.HEADS + seat])
            if cell != before[seat]:
                yield seat, cell
                before[seat] = cell


def rows(position: Position) -> Rows:
    """Return the board, two characters per cell, and a line with the status."""
    trails = owners(position)
    lines: Rows = []
    for y, line in enumerate(unpack(position.setup.tolist(), position.state.tolist())):
        spans = []
        for x, symbol in enumerate(line):
            style = TERMINAL.get(symbol, POWER_STYLE)
            if symbol in PLAYERS:
                style = HEAD_STYLES[PLAYERS.index(symbol)]
            elif symbol == BARRIER and y * len(line) + x in trails:
                style = TRAIL_STYLES[trails[y * len(line) + x]]
            text = symbol * 2 if symbol in WALL + BARRIER else f" {symbol.replace(SPACE, '.')}"
            spans.append((text, style))
        lines.append(spans)
    return [*lines, [(status(position), "bold")]]


def status(position: Position) -> str:
    """Return a sentence: who is to move or who crashed, and who has speed or armor."""
    state = position.state.tolist()
    crashed, armor = state[layout.CRASHED], state[layout.ARMOR]
    if crashed:
        words = [" and ".join(f"player {player}" for player in _players(crashed)) + " crashed"]
    else:
        at_once = " (both at once)" if position.setup[layout.SIMULTANEOUS] else ""
        words = [f"player {PLAYERS[position.player]} to move{at_once}"]
    for seat, player in enumerate(PLAYERS):
        if state[layout.HASTE + seat]:
            words.append(
                f"player {player} has speed for {counted(state[layout.HASTE + seat], 'move')}"
            )
    words += [f"player {player} has armor" for player in _players(armor)]
    return ", ".join(words)


# The picture ------------------------------------------------------------------------------------


def draw(position: Position, title: str) -> Picture:
    """Return a picture with trails as bands in the players' colours and heads as bikes.

    Bikes and power-ups are pieces (see `Picture.piece`); every cell is an area.
    """
    state = position.state.tolist()
    board = unpack(position.setup.tolist(), state)
    width, height = len(board[0]), len(board)
    picture = Picture(width, height + STRIP, title)
    picture.panel()
    picture.rectangle(0, 0, width, height, FLOOR)
    for y, line in enumerate(board):
        for run in re.finditer(f"{WALL}+", line):
            picture.rectangle(run.start(), y, len(run[0]), 1, STONE)
    for x in range(1, width):
        picture.line(x, 0, x, height, GRID, 0.04)
    for y in range(1, height):
        picture.line(0, y, width, y, GRID, 0.04)
    trails = owners(position)
    for y, line in enumerate(board):
        for x, symbol in enumerate(line):
            picture.area(y * width + x, x, y, 1, 1)
            if symbol == BARRIER and y * width + x not in trails:
                picture.rectangle(x + 0.2, y + 0.2, 0.6, 0.6, ASH, corner=0.15)
            elif symbol in POWERS:
                with picture.piece(f"power-{y * width + x}", x + 0.5, y + 0.5):
                    picture.circle(0, 0, 0.38, "#ffffff", edge=BADGES[symbol], line=0.08)
                    picture.text(0, LOWER.get(symbol, 0.02), symbol, BADGES[symbol], 0.56)
    for seat in (0, 1):
        for trail in standing(position, "".join(board), trails, seat):
            _draw_band(picture, trail, width, tint(COLOURS[seat], 0.55))
    for seat in (0, 1):
        y, x = divmod(state[layout.HEADS + seat], width)
        with picture.piece(f"bike-{PLAYERS[seat]}", x + 0.5, y + 0.5):
            _draw_bike(picture, seat, state)
    if position.is_over:
        picture.caption(status(position))
    else:
        picture.caption(status(position), COLOURS[position.player], PLAYERS[position.player])
    return picture


def standing(
    position: Position, symbols: str, trails: dict[int, int], seat: int
) -> list[list[int]]:
    """Return the parts of a player's trail that still stand, each as a list of cells."""
    pieces: list[list[int]] = [[]]
    for passed, cell in _passages(position):
        if passed == seat:
            if trails[cell] == seat and symbols[cell] in BARRIER + PLAYERS:
                pieces[-1].append(cell)
            else:
                pieces.append([])
    return [piece for piece in pieces if piece]


def _draw_band(picture: Picture, cells: list[int], width: int, colour: str) -> None:
    """Draw one line from each corner to the next; a trail of one cell is a dot."""
    ends = (cells[0], cells[-1])
    corners = [
        now
        for before, now, after in zip(cells, cells[1:], cells[2:], strict=False)
        if now - before != after - now
    ]
    points = [ends[0], *corners, ends[1]]
    for start, end in pairwise(points):
        (from_y, from_x), (y, x) = divmod(start, width), divmod(end, width)
        picture.line(from_x + 0.5, from_y + 0.5, x + 0.5, y + 0.5, colour, 0.5)


def _draw_bike(picture: Picture, seat: int, state: Sequence[int]) -> None:
    if state[layout.ARMOR] >> seat & 1:
        picture.circle(0, 0, 0.47, "#ffffff", edge=BADGES["@"], line=0.07)
    picture.circle(0, 0, 0.38, COLOURS[seat])
    if state[layout.CRASHED] >> seat & 1:
        picture.line(-0.2, -0.2, 0.2, 0.2, "#ffffff", 0.14)
        picture.line(-0.2, 0.2, 0.2, -0.2, "#ffffff", 0.14)
    else:
        picture.text(0, 0.02, PLAYERS[seat], ink_on(COLOURS[seat]), 0.52)


# The overlay ------------------------------------------------------------------------------------


def territory(position: Position) -> dict[int, tuple[int, float]]:
    """Return the cells that one player reaches first; the nearer the other is, the less surely.

    By turns, the player to move is first where both need the same number of steps.
    """
    state = position.state.tolist()
    board = unpack(position.setup.tolist(), state)
    symbols, width = "".join(board), len(board[0])
    distances = [_distances(symbols, width, state[layout.HEADS + seat]) for seat in (0, 1)]
    owned: dict[int, tuple[int, float]] = {}
    for cell in distances[0].keys() | distances[1].keys():
        lead = distances[1].get(cell, FAR) - distances[0].get(cell, FAR)
        if lead == 0 and position.setup[layout.SIMULTANEOUS]:
            continue
        seat = position.player if lead == 0 else int(lead < 0)
        owned[cell] = seat, min(1.0, 0.4 + 0.1 * abs(lead))
    return owned


FAR = 1000
"""Steps to a cell that cannot be reached: more than any board has."""


def _distances(symbols: str, width: int, head: int) -> dict[int, int]:
    """Return the number of steps to every cell that can be reached from a head."""
    steps, edge, distance = dict[int, int](), [head], 0
    while edge:
        distance += 1
        beside = {cell + step for cell in edge for step in (-1, 1, -width, width)}
        edge = [
            cell
            for cell in beside
            if 0 <= cell < len(symbols) and symbols[cell] in SPACE + POWERS and cell not in steps
        ]
        steps |= dict.fromkeys(edge, distance)
    return steps
