"""Battle Sheep: split stacks of sheep over a pasture to own the largest connected regions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from random import Random

import numpy as np

from plyground.arithmetic import derive_seed
from plyground.compile import Words
from plyground.errors import OptionError, TextError
from plyground.game import Facts, Game, Kernels, Position
from plyground.game.position import SKIP, result
from plyground.games.sheep import hidden as hiding
from plyground.games.sheep import layout, notation, rules, symmetry, tactics, view
from plyground.games.sheep.evaluate import Freedom, Outlook, Regions
from plyground.games.sheep.finish import finish
from plyground.games.sheep.maps import MAPS
from plyground.games.sheep.territory import Territory
from plyground.maps import check_rows, find_map
from plyground.options import Kind, option
from plyground.picture import Click, Picture, Rows
from plyground.text import counted

STRONG = "history=10, cutoff=12, evaluate=territory"
"""Options of the champion's search."""


class Sheep(Game):
    """Split stacks of sheep over a pasture; connected regions score size ** 1.25."""

    name = "sheep"
    title = "Battle Sheep"
    kernels = Kernels(
        rules.player, rules.legal, rules.play, rules.over, rules.returns, rules.key,
        symmetry.image, symmetry.image_action, hiding.observe, hiding.determinize, rules.encode,
        rules.policy, finish,
    )  # fmt: skip
    evaluators = (Outlook, Regions, Freedom, Territory)
    advice = (tactics.odd_splits, tactics.uneven_splits, tactics.herding, tactics.spreading)
    fixed = range(layout.RANKS)
    notation = (
        "x,y (column, row) places your sheep; x,y>d:n moves n sheep from x,y in direction d, "
        "numbered like the keys of a telephone: 2 is up, 8 down, 4 left, 6 right, 1 up and left. "
        "Player 1's sheep are a, player 2's are b, and so on; a7 is a stack of 7."
    )

    players: int = option(4, low=2, high=4, help="number of players")
    size: int = option(12, low=2, high=layout.LARGEST, help="rows and columns of a random map")
    cells: int = option(64, low=2, high=layout.LARGEST**2, help="playable cells of a random map")
    sheep: int = option(16, low=2, high=64, help="sheep of each player at the start")
    hidden: bool = option(False, help="the sizes of the others' stacks are hidden")
    teams: bool = option(False, help="players 1 and 3 against 2 and 4")
    hex: bool = option(
        False, help="hexagons: 6 directions; most cells win, then the largest connected region"
    )
    map: str = option(
        "",
        kind=Kind.FILE,
        choices=tuple(MAPS),
        help="map: a name or a text file; by default a random one",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.map and (self.size, self.cells) != (Sheep.size, Sheep.cells):
            raise OptionError("sheep: size and cells are for random maps; with map= leave them out")
        layout.check_options(self.players, self._cells, self._size, self.teams)

    @cached_property
    def _map(self) -> list[str]:
        """The rows of the given map; empty if maps are random."""
        if not self.map:
            return []
        rows = find_map(self.name, self.map, MAPS)
        check_rows(self.name, rows, layout.PASTURE + layout.WALL, layout.LARGEST)
        rows = layout.squared(rows)
        layout.check_connected(rows, self.hex)
        return rows

    @property
    def _size(self) -> int:
        return len(self._map) or self.size

    @property
    def _cells(self) -> int:
        return len(layout.pasture_of(self._map)) or self.cells

    def measure(self) -> Facts:
        places, numbers = self._size**2, self.sheep - 1
        directions = len(layout.moves_of(self.hex))
        return Facts(
            players=self.players,
            actions=places * (1 + 8 * numbers),
            branching=max(self._cells, directions * numbers),
            longest=min(self._cells, self.players * self.sheep),
            teams=(0, 1, 0, 1) if self.teams else (),
            hidden=self.hidden,
            symmetries=4 if self.hex else 8,
            planes=(2 * self.players + 2, self._size, self._size),
            policy=(9 + self.sheep, self._size, self._size),
            policy_parts=2,
            places=tuple(map(float, rules.POINTS[: self.players])) if self.players > 2 else (),
        )

    def champions(self) -> Sequence[str]:
        return (f"mcts({STRONG})",)

    def levels(self) -> Sequence[str]:
        weaker = [f"mcts(simulations={count})" for count in (20, 40, 80, 160, 320)]
        return weaker + [f"mcts(simulations={count}, {STRONG})" for count in (350, 900, 2600, 8000)]

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        stream = Random(derive_seed(seed))
        rows = self._map or layout.grow(self.size, self.cells, self.hex, stream)
        return self._setup(rows), notation.state_of(notation.empty(rows), 0, self.players)

    def _setup(self, rows: list[str]) -> list[int]:
        return layout.layout(
            rows, self.players, self.sheep,
            teams=self.teams, hidden=self.hidden, hexagonal=self.hex,
        )  # fmt: skip

    def write(self, position: Position) -> str:
        return notation.write(_board(position), int(position.state[rules.TURN]), self.players)

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        board, turn = notation.read(text, self._size, self.players, self.sheep)
        rows = notation.map_of(board)
        cells = len(layout.pasture_of(rows))
        if cells != self._cells:
            raise TextError(
                f"sheep: the map has {counted(cells, 'cell')}, this game needs {self._cells}"
            )
        layout.check_connected(rows, self.hex)
        if not self.hidden and any(
            owner > 0 and not sheep for row in board for owner, sheep in row
        ):
            raise TextError("sheep: unknown counts (?) are allowed only with hidden=True")
        notation.check(board, turn, self.players, self.sheep, self.hex)
        return self._setup(rows), notation.state_of(board, turn, self.players)

    def observer_of(self, setup: Words, state: Words) -> int | None:
        board = notation.board_of(setup, state)
        return notation.observer_of(board, int(state[rules.TURN]), self.players)

    def format(self, position: Position, action: int) -> str:
        return notation.write_action(action, self._size, self.sheep)

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return the cell to place on; or the stack, where its sheep stop and how many they are."""
        return view.clicks(position, action)

    def penalty(self, position: Position, fault: str, seed: int) -> int | None:
        """Return a random placement; a failed move is skipped."""
        legal = position.legal_actions
        return Random(seed).choice(legal) if legal[0] < self._size**2 else SKIP

    def skip(self, position: Position) -> Sequence[int]:
        """Return the state after the turn is passed on.

        A player has `sheep` - 1 turns to move in all, including skipped ones.
        """
        board, line = _board(position), position.line()
        state: list[int] = position.state.tolist()
        for step in range(1, self.players + 1):
            seat = (position.player + step) % self.players
            lost = sum(
                after.action == SKIP and before.player == seat for before, after in pairwise(line)
            ) + (seat == position.player)
            moved = sum(owner == seat + 1 for row in board for owner, _ in row) - 1
            if moved + lost < self.sheep - 1 and notation.can_move(board, seat + 1, self.hex):
                state[rules.TURN] = seat
                return state
        state[rules.TURN] = self.players
        return state

    def standing(self, position: Position) -> Sequence[float] | None:
        """Return the returns if the game ended now; None until all players have placed."""
        owners = {owner for row in _board(position) for owner, _ in row}
        if not owners.issuperset(range(1, self.players + 1)):
            return None
        returns = np.zeros(self.players)
        result(self.always, position.setup, position.state, returns)
        return returns.tolist()

    def rows(self, position: Position) -> Rows:
        return view.rows(position, _board(position), self.hex)

    def draw(self, position: Position) -> Picture:
        return view.draw(position, _board(position), self.hex, repr(self))


def _board(position: Position) -> notation.Board:
    return notation.board_of(position.setup, position.state)
