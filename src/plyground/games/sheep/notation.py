"""Positions of Battle Sheep as one line of text, such as `##../a14..a2/..b16./#.## b`.

Rows from the top are joined by `/`: `#` is a wall, `.` a free cell, a letter and a number a
player's stack (`a` alone is one sheep, `a?` a number hidden from the observer). The last letter is
the player to move, `-` once the game is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from plyground.arithmetic import split
from plyground.compile import Words
from plyground.errors import TextError
from plyground.games.sheep import layout, rules
from plyground.games.sheep.layout import DIRECTIONS, PASTURE, WALL, Place
from plyground.text import counted, shortened

BLOCKED = -1
UNKNOWN = 0
LETTERS = "abcd"
OVER = "-"

Cell = tuple[int, int]
"""The owner (-1: a wall, 0: nobody, else the player from 1) and the sheep (0: unknown)."""

Board = list[list[Cell]]
"""Rows from the top down."""

_CELL = re.compile(r"[.#]|[a-d](?:\?|[0-9]{1,3})?|.", re.DOTALL)


# Words and boards -------------------------------------------------------------------------------


def empty(rows: list[str]) -> Board:
    """Return a map without sheep."""
    return [[(BLOCKED if cell == WALL else 0, 0) for cell in row] for row in rows]


def map_of(board: Board) -> list[str]:
    """Return the map under a board."""
    return ["".join(WALL if owner == BLOCKED else PASTURE for owner, _ in row) for row in board]


def board_of(setup: Words, state: Words) -> Board:
    """Return the board of a setup and a state."""
    size, words = int(setup[layout.SIZE]), int(setup[layout.WORDS])
    counts = int(setup[layout.COUNTS])
    owners = [_joined(state[at : at + words]) for at in range(rules.FREE + words, counts, words)]
    sheep = _joined(state[counts:])

    def cell_at(cell: int) -> Cell:
        if cell < 0:
            return BLOCKED, 0
        owner = next((seat for seat, cells in enumerate(owners, 1) if cells >> cell & 1), 0)
        return owner, sheep >> 8 * cell & 255

    ranks = setup[layout.RANKS : layout.RANKS + size * size].tolist()
    return [[cell_at(cell) for cell in ranks[y * size : (y + 1) * size]] for y in range(size)]


def state_of(board: Board, turn: int, players: int) -> list[int]:
    """Return the state of a board; `turn` counts from 0 and is `players` once the game is over."""
    cells = [cell for row in board for cell in row if cell[0] != BLOCKED]
    state = [turn]
    for owner in range(players + 1):
        owned = sum(1 << number for number, cell in enumerate(cells) if cell[0] == owner)
        state += split(owned, -(-len(cells) // 64))
    counts = sum(sheep << 8 * number for number, (_, sheep) in enumerate(cells))
    return state + split(counts, -(-len(cells) // 8))


def _joined(words: Iterable[int]) -> int:
    return sum((int(word) & 0xFFFFFFFFFFFFFFFF) << 64 * at for at, word in enumerate(words))


def can_move(board: Board, seat: int, hexagonal: bool) -> bool:
    """Return whether a player whose counts are known has a move; seats count from 1."""
    steps = layout.moves_of(hexagonal)
    return any(
        sheep > 1 and 0 in _around(board, place, steps)
        for place, sheep in _stacks(board, seat).items()
    )


def regions(board: Board, seat: int, hexagonal: bool) -> list[int]:
    """Return the sizes of a player's regions, the largest first; seats count from 1.

    The cells of a region share sides.
    """
    left = {(x, y) for y, row in enumerate(board) for x in range(len(row)) if row[x][0] == seat}
    sides, sizes = layout.sides_of(hexagonal), []
    while left:
        edge, size = [left.pop()], 0
        while edge:
            size += 1
            for place in layout.neighbours(edge.pop(), sides, len(board)):
                if place in left:
                    left.remove(place)
                    edge.append(place)
        sizes.append(size)
    return sorted(sizes, reverse=True)


# Writing and reading ----------------------------------------------------------------------------


def write(board: Board, turn: int, players: int) -> str:
    """Return a position as text; `turn` is as in `state_of`."""
    rows = ("".join(written(*cell) for cell in row) for row in board)
    return f"{'/'.join(rows)} {OVER if turn == players else LETTERS[turn]}"


def written(owner: int, sheep: int) -> str:
    """Return one cell as text."""
    if owner <= 0:
        return WALL if owner == BLOCKED else PASTURE
    return LETTERS[owner - 1] + ("?" if sheep == UNKNOWN else str(sheep) if sheep > 1 else "")


def read(text: str, size: int, players: int, sheep: int) -> tuple[Board, int]:
    """Return the board and turn of a text, or raise TextError with the row and column.

    Only the syntax is checked; `check` tests whether the position is possible.
    """
    parts = text.strip().lower().split(" ")
    if len(parts) != 2 or parts[1] not in (*LETTERS[:players], OVER):
        movers = ", ".join((*LETTERS[:players], OVER))
        raise TextError(f"sheep: write rows joined by /, a blank and the player to move ({movers})")
    lines = parts[0].split("/")
    if len(lines) != size:
        raise TextError(
            f"sheep: {counted(len(lines), 'row')} in {shortened(text)!r}; the grid has {size}"
        )
    board: Board = []
    for y, line in enumerate(lines, start=1):
        pieces = _CELL.findall(line)
        row = [
            _read_cell(piece, f"row {y}, column {x}", players, sheep)
            for x, piece in enumerate(pieces[: size + 1], start=1)
        ]
        if len(pieces) != size:
            raise TextError(
                f"sheep: row {y} has {counted(len(pieces), 'cell')}; the grid has {size}"
            )
        board.append(row)
    return board, players if parts[1] == OVER else LETTERS.index(parts[1])


def _read_cell(piece: str, where: str, players: int, sheep: int) -> Cell:
    if piece in (PASTURE, WALL):
        return (BLOCKED if piece == WALL else 0), 0
    if piece[0] not in LETTERS[:players]:
        allowed = f"{', '.join(LETTERS[:players])}, {PASTURE} and {WALL}"
        raise TextError(f"sheep: {piece!r} at {where}; allowed: {allowed}")
    if piece[1:] == "?":
        return LETTERS.index(piece[0]) + 1, UNKNOWN
    count = int(piece[1:] or 1)
    if not 1 <= count <= sheep:
        raise TextError(f"sheep: {count} sheep at {where}; a stack has 1 to {sheep}")
    return LETTERS.index(piece[0]) + 1, count


# Checks of a whole position ---------------------------------------------------------------------


def check(board: Board, turn: int, players: int, sheep: int, hexagonal: bool) -> None:
    """Raise TextError if a board breaks a rule about sheep, placing, or who is to move."""
    stacks = [_stacks(board, seat) for seat in range(1, players + 1)]
    for letter, own in zip(LETTERS, stacks, strict=False):
        counts = list(own.values())
        if UNKNOWN in counts and any(counts):
            raise TextError(f"sheep: either all counts of {letter} must be known or none")
        total = len(counts) if UNKNOWN in counts else sum(counts)
        if counts and total != sheep and not (UNKNOWN in counts and total < sheep):
            raise TextError(f"sheep: {letter} has {total} sheep; it must have {sheep}")
    if any(not own for own in stacks):
        _check_placing(board, stacks, turn, hexagonal)
    else:
        _check_moving(board, stacks, turn, sheep, hexagonal)
    _check_view(stacks, turn)


def _stacks(board: Board, seat: int) -> dict[Place, int]:
    return {
        (x, y): sheep
        for y, row in enumerate(board)
        for x, (owner, sheep) in enumerate(row)
        if owner == seat
    }


def _check_placing(
    board: Board, stacks: list[dict[Place, int]], turn: int, hexagonal: bool
) -> None:
    placed = [len(own) for own in stacks]
    first = placed.index(0)
    if placed != [1] * first + [0] * (len(placed) - first):
        raise TextError("sheep: players place in order, and move only when all have placed")
    if turn != first:
        raise TextError(f"sheep: {LETTERS[first]} is to place; the text must end with it")
    for x, y in (place for own in stacks for place in own):
        if all(owner != BLOCKED for owner in _around(board, (x, y), layout.sides_of(hexagonal))):
            raise TextError(f"sheep: row {y + 1}, column {x + 1} is not at the border")


def _check_moving(
    board: Board, stacks: list[dict[Place, int]], turn: int, sheep: int, hexagonal: bool
) -> None:
    """Check that the player to move may have a move, or if the game is over, that nobody does."""
    for seat, own in enumerate(stacks):
        steps = layout.moves_of(hexagonal)
        opened = {place for place in own if 0 in _around(board, place, steps)}
        if UNKNOWN in own.values():
            possibly = bool(opened) and len(own) < sheep
            certainly = len(opened) == len(own) < sheep
        else:
            possibly = certainly = any(own[place] > 1 for place in opened)
        if turn == seat and not possibly:
            raise TextError(f"sheep: {LETTERS[seat]} is to move but cannot")
        if turn == len(stacks) and certainly:
            raise TextError(f"sheep: the game is not over: {LETTERS[seat]} can move")


def _check_view(stacks: list[dict[Place, int]], turn: int) -> None:
    """Check that in a view with unknown counts exactly one player's, the observer's, are known."""
    placed = [own for own in stacks if own]
    unknown = [own for own in placed if UNKNOWN in own.values()]
    known = len(placed) - len(unknown)
    if unknown and known > 1:
        raise TextError("sheep: in a view with unknown counts only one player's may be known")
    if unknown and known == 0 and len(placed) == len(stacks) != turn:
        raise TextError("sheep: no player's counts are known; the observer's must be")


def observer_of(board: Board, turn: int, players: int) -> int | None:
    """Return the seat whose view a board is, or None if all counts are known.

    It is the only player with known counts; if there is none, the player to move, who has yet to
    place.
    """
    owners = {owner: sheep for row in board for owner, sheep in row if owner > 0}
    if UNKNOWN not in owners.values():
        return None
    return next((owner - 1 for owner in owners if owners[owner] != UNKNOWN), turn % players)


def _around(board: Board, place: Place, directions: list[int]) -> Iterator[int]:
    """Yield the owner of each neighbouring cell; outside the grid are walls."""
    for direction in directions:
        x, y = place[0] + DIRECTIONS[direction][0], place[1] + DIRECTIONS[direction][1]
        inside = 0 <= x < len(board) and 0 <= y < len(board)
        yield board[y][x][0] if inside else BLOCKED


# Actions ----------------------------------------------------------------------------------------


def split_action(action: int, size: int, sheep: int) -> tuple[Place, int, int]:
    """Return an action's place, its direction (1 to 9, 0 for placing) and its number of sheep."""
    places, numbers = size * size, sheep - 1
    if action < places:
        return (action % size, action // size), 0, sheep
    ray, number = divmod(action - places, numbers)
    place, direction = divmod(ray, 8)
    dx, dy = DIRECTIONS[direction]
    return (place % size, place // size), 5 + dx + 3 * dy, number + 1


def write_action(action: int, size: int, sheep: int) -> str:
    """Return a placement as `x,y`, a move as `x,y>direction:sheep`; x and y count from 0."""
    (x, y), direction, number = split_action(action, size, sheep)
    return f"{x},{y}>{direction}:{number}" if direction else f"{x},{y}"
