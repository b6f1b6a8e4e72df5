"""A position of Robot Reboot as one line: the walls, the robots, the house and the moves made."""

from __future__ import annotations

import re
from typing import NamedTuple

from plyground.errors import BadText
from plyground.games.robots import rules
from plyground.games.robots.boards import LETTERS, STEPS, Board, Place
from plyground.games.robots.layout import cell_of, place_of

SIDES = ("north", "east", "south", "west")


class Scene(NamedTuple):
    """A position in plain terms."""

    board: Board
    robots: list[Place]
    target: int
    house: Place
    moves: int


def scene_of(setup: list[int], state: list[int]) -> Scene:
    """Read a scene off the words."""
    width, height = setup[rules.WIDTH], setup[rules.HEIGHT]
    walls = [
        [
            setup[rules.CELLS + cell_of((column, row))] >> rules.WALL_SHIFT & rules.WALL_MASK
            for column in range(width)
        ]
        for row in range(height)
    ]
    robots = [place_of(cell) for cell in state[rules.FIRST :]]
    house = place_of(setup[rules.HOUSE])
    return Scene(
        Board(width, height, walls), robots, setup[rules.TARGET], house, state[rules.MOVES]
    )


def place_name(place: Place) -> str:
    """Write a place as in a spreadsheet: A1 is the north-western cell, then B1; Z1, AA1."""
    column, row = place
    return (chr(64 + column // 26) if column > 25 else "") + chr(65 + column % 26) + str(row + 1)


def write_scene(seen: Scene) -> str:
    """Write walls, robots, `robot>house` and moves: `9113/.../c446 yC4 gA1 rB2 bD4 r>C2 0`."""
    walls = "/".join("".join(f"{cell:x}" for cell in row) for row in seen.board.walls)
    robots = [
        letter + place_name(place) for letter, place in zip(LETTERS, seen.robots, strict=False)
    ]
    house = f"{LETTERS[seen.target]}>{place_name(seen.house)}"
    return " ".join([walls, *robots, house, str(seen.moves)])


def read_scene(text: str, width: int, height: int, robots: int, cap: int) -> Scene:
    """Read what `write_scene` wrote, in letters of either case."""
    parts = text.casefold().split()
    if len(parts) != robots + 3:
        example = " ".join(f"{letter}A{row}" for row, letter in enumerate(LETTERS[:robots], 1))
        wanted = f"the walls, {robots} robots ({example}), a house (y>C2) and the moves made"
        raise BadText(f"robots: {len(parts)} words in {_shortened(text)!r}; write {wanted}")
    walls, *places, home, moves = parts
    board = _read_walls(walls, width, height)
    standing = [
        _read_place(part, letter, "", board) for letter, part in zip(LETTERS, places, strict=False)
    ]
    for index, place in enumerate(standing):
        if place in standing[:index]:
            raise BadText(f"robots: two robots stand on {place_name(place)}")
    if home[:1] not in LETTERS[:robots]:
        raise BadText(f"robots: house {_shortened(home)!r}; write r>C2, for one of {robots} robots")
    house = _read_place(home, home[:1], ">", board)
    if re.fullmatch("[0-9]{1,3}", moves) is None or int(moves) > cap:
        raise BadText(f"robots: moves {_shortened(moves)!r}; write a number from 0 to cap={cap}")
    return Scene(board, standing, LETTERS.index(home[0]), house, int(moves))


def _read_walls(text: str, width: int, height: int) -> Board:
    lines = text.split("/")
    if len(lines) != height:
        raise BadText(f"robots: {len(lines)} rows of walls, the board has {height}")
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            raise BadText(f"robots: row {number} has {len(line)} cells, the board is {width} wide")
        for column, digit in enumerate(line, start=1):
            if digit not in "0123456789abcdef":
                place = f"row {number}, column {column}"
                raise BadText(f"robots: {digit!r} at {place}; walls are hexadecimal digits")
    board = Board(width, height, [[int(digit, 16) for digit in line] for line in lines])
    for row in range(height):
        for column in range(width):
            for side, (across, down) in enumerate(STEPS):
                here = board.walls[row][column] >> side & 1
                beside = column + across, row + down
                where = f"the {SIDES[side]} of row {row + 1}, column {column + 1}"
                if not board.has(*beside):
                    if not here:
                        raise BadText(f"robots: no wall at the edge of the board in {where}")
                elif here and not board.walls[beside[1]][beside[0]] >> (side ^ 2) & 1:
                    raise BadText(f"robots: {place_name(beside)} lacks the wall in {where}")
    return board


def _read_place(text: str, letter: str, mark: str, board: Board) -> Place:
    found = re.fullmatch(f"{re.escape(letter + mark)}([a-z]{{1,2}})([0-9]{{1,2}})", text)
    if found is None:
        wanted = f"{letter}{mark}C2"
        raise BadText(f"robots: {_shortened(text)!r} where a place such as {wanted} must stand")
    column = 0
    for digit in found[1]:
        column = 26 * column + ord(digit) - 96
    place = column - 1, int(found[2]) - 1
    if not board.has(*place):
        corner = place_name((board.width - 1, board.height - 1))
        raise BadText(f"robots: {text!r} is not on the board, which ends at {corner}")
    return place


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
