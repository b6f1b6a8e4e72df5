"""Positions of Robot Reboot as one line: walls, robots, the house and the moves made."""

from __future__ import annotations

import re
from typing import NamedTuple

from plyground.errors import TextError
from plyground.games.robots import sliding
from plyground.games.robots.boards import (
    ANY,
    LETTERS,
    STEPS,
    Board,
    Place,
    cell_of,
    goes_on,
    place_of,
)
from plyground.games.robots.layout import room_for
from plyground.text import counted, shortened

SIDES = ("north", "east", "south", "west")
FIELDS = ("round", "spent", "houses", "random")


class Scene(NamedTuple):
    """A position as places and numbers; its board has houses only in games of several rounds."""

    board: Board
    robots: list[Place]
    target: int
    house: Place
    moves: int
    round: int = 1
    spent: int = 0
    """The moves of earlier rounds."""
    random: int = 0
    """The random stream of later draws; 0: hidden."""

    @property
    def is_solved(self) -> bool:
        return self.robots[self.target] == self.house


def scene_of(setup: list[int], state: list[int]) -> Scene:
    """Return the scene of a setup and a state."""
    width, height = setup[sliding.WIDTH], setup[sliding.HEIGHT]
    walls = [
        [
            setup[sliding.CELLS + cell_of((column, row))] >> sliding.WALL_SHIFT & sliding.WALL_MASK
            for column in range(width)
        ]
        for row in range(height)
    ]
    board = Board(width, height, walls)
    extra = sliding.FIRST + setup[sliding.ROBOTS]
    robots = [place_of(cell) for cell in state[sliding.FIRST : extra]]
    moves = state[sliding.MOVES]
    if setup[sliding.ROUNDS] == 1:
        house = place_of(setup[sliding.HOUSE])
        return Scene(board, robots, setup[sliding.TARGET], house, moves)
    first = sliding.CELLS + sliding.STRIDE * height
    words = setup[first : first + 2 * setup[sliding.ROOM]]
    pairs = list(zip(words[::2], words[1::2], strict=True))[: setup[sliding.HOUSES]]
    board.houses = [(place_of(cell), (LETTERS + ANY)[owner]) for cell, owner in pairs]
    target, number, done, spent, random = state[extra:]
    return Scene(
        board, robots, target, board.houses[number][0], moves, done + 1, spent, random
    )  # fmt: skip


def place_name(place: Place) -> str:
    """Return a place as in a spreadsheet: A1 is the north-western cell, B1 the next; AA1 follows
    Z1."""
    column, row = place
    return (chr(64 + column // 26) if column > 25 else "") + chr(65 + column % 26) + str(row + 1)


def write_scene(seen: Scene) -> str:
    """Return walls, robots, `robot>house` and moves: `9113/.../c446 yC4 gA1 rB2 bD4 r>C2 0`.

    In games of several rounds the round, moves of earlier rounds, houses and the random stream
    follow.
    """
    walls = "/".join("".join(f"{cell:x}" for cell in row) for row in seen.board.walls)
    robots = [
        letter + place_name(place) for letter, place in zip(LETTERS, seen.robots, strict=False)
    ]
    house = f"{LETTERS[seen.target]}>{place_name(seen.house)}"
    words = [walls, *robots, house, str(seen.moves)]
    if seen.board.houses:
        houses = ",".join(owner + place_name(place) for place, owner in seen.board.houses)
        words += [f"round={seen.round}", f"spent={seen.spent}", f"houses={houses}"]
        words += [f"random={seen.random}"] if seen.random else []
    return " ".join(words)


def read_scene(text: str, width: int, height: int, robots: int, cap: int, rounds: int) -> Scene:
    """Return the scene of a text that `write_scene` wrote, ignoring case, or raise TextError."""
    parts = text.casefold().split()
    fields = parts[robots + 3 :] if rounds > 1 else []
    parts = parts[: robots + 3] if rounds > 1 else parts
    if len(parts) != robots + 3:
        example = " ".join(f"{letter}A{row}" for row, letter in enumerate(LETTERS[:robots], 1))
        form = (
            f"the walls, {counted(robots, 'robot')} ({example}), a house (y>C2) and the moves made"
        )
        raise TextError(
            f"robots: {counted(len(parts), 'word')} in {shortened(text)!r}; write {form}"
        )
    walls, *robot_parts, goal, moves = parts
    board = _read_walls(walls, width, height)
    places = [
        _read_place(part, letter, "", board)
        for letter, part in zip(LETTERS, robot_parts, strict=False)
    ]
    for index, place in enumerate(places):
        if place in places[:index]:
            raise TextError(f"robots: two robots stand on {place_name(place)}")
    if goal[:1] not in LETTERS[:robots]:
        raise TextError(
            f"robots: house {shortened(goal)!r}; write r>C2, for one of {robots} robots"
        )
    house = _read_place(goal, goal[:1], ">", board)
    if re.fullmatch("[0-9]{1,3}", moves) is None or int(moves) > cap:
        raise TextError(f"robots: moves {shortened(moves)!r}; write a number from 0 to cap={cap}")
    scene = Scene(board, places, LETTERS.index(goal[0]), house, int(moves))
    return _read_rounds(scene, fields, cap, rounds) if rounds > 1 else scene


def _read_rounds(seen: Scene, parts: list[str], cap: int, rounds: int) -> Scene:
    """Return the scene with the fields of rounds: `round=2 spent=7 houses=yC2,*D4 random=5`."""
    fields: dict[str, str] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if name not in FIELDS or not equals or name in fields:
            known = "=, ".join(FIELDS)
            raise TextError(f"robots: cannot read {shortened(part)!r}; known: {known}=, each once")
        fields[name] = value
    _read_houses(seen, fields.get("houses", ""))
    number = _read_number(fields, "round", 1, rounds)
    spent = _read_number(fields, "spent", number - 1, cap * (number - 1))
    random = _read_number({"random": "0"} | fields, "random", -(2**63), 2**63 - 1)
    if number < rounds and (seen.is_solved or seen.moves == cap):
        raise TextError(f"robots: round {number} of {rounds} is over; write the next round's start")
    return seen._replace(round=number, spent=spent, random=random)


def _read_houses(seen: Scene, text: str) -> None:
    """Set the board's houses, and check that the round's own house is one of them."""
    board, robots = seen.board, len(seen.robots)
    for part in text.split(",") if text else []:
        if part[:1] not in LETTERS[:robots] + ANY:
            allowed = f"{', '.join(LETTERS[:robots])} and {ANY} for any robot"
            raise TextError(f"robots: house {shortened(part)!r}; letters are {allowed}")
        board.houses.append((_read_place(part, part[:1], "", board), part[0]))
    places = [place for place, _ in board.houses]
    room = room_for(board.width, board.height)
    if len(places) > room or len(set(places)) < len(places):
        raise TextError(f"robots: {len(places)} houses; at most {room}, all at different places")
    if not goes_on(board.houses, robots):
        raise TextError("robots: houses= must have two houses for some robot")
    if not {(seen.house, LETTERS[seen.target]), (seen.house, ANY)} & set(board.houses):
        own = f"{LETTERS[seen.target]}{place_name(seen.house)}"
        raise TextError(f"robots: houses= does not contain this round's house, {own}")


def _read_number(fields: dict[str, str], name: str, low: int, high: int) -> int:
    value = fields.get(name, "")
    if re.fullmatch("-?[0-9]{1,19}", value) is None or not low <= int(value) <= high:
        raise TextError(f"robots: {name}={shortened(value)!r}; write a number from {low} to {high}")
    return int(value)


def _read_walls(text: str, width: int, height: int) -> Board:
    lines = text.split("/")
    if len(lines) != height:
        raise TextError(f"robots: {counted(len(lines), 'row')} of walls; the board has {height}")
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            raise TextError(
                f"robots: row {number} has {counted(len(line), 'cell')}; the board has {width}"
            )
        for column, digit in enumerate(line, start=1):
            if digit not in "0123456789abcdef":
                place = f"row {number}, column {column}"
                raise TextError(f"robots: {digit!r} at {place}; walls are hexadecimal digits")
    board = Board(width, height, [[int(digit, 16) for digit in line] for line in lines])
    for row in range(height):
        for column in range(width):
            for side, (across, down) in enumerate(STEPS):
                here = board.walls[row][column] >> side & 1
                beside = column + across, row + down
                where = f"the {SIDES[side]} of row {row + 1}, column {column + 1}"
                if not board.has(*beside):
                    if not here:
                        raise TextError(f"robots: no wall at the edge of the board in {where}")
                elif here and not board.walls[beside[1]][beside[0]] >> (side ^ 2) & 1:
                    raise TextError(
                        f"robots: {place_name(beside)} must also have the wall in {where}"
                    )
    return board


def _read_place(text: str, letter: str, mark: str, board: Board) -> Place:
    match = re.fullmatch(f"{re.escape(letter + mark)}([a-z]{{1,2}})([0-9]{{1,2}})", text)
    if match is None:
        example = f"{letter}{mark}C2"
        raise TextError(f"robots: {shortened(text)!r} is not a place; write it as {example}")
    column = 0
    for digit in match[1]:
        column = 26 * column + ord(digit) - 96
    place = column - 1, int(match[2]) - 1
    if not board.has(*place):
        corner = place_name((board.width - 1, board.height - 1))
        raise TextError(f"robots: {text!r} is not on the board, which ends at {corner}")
    return place
