"""Tron: two riders leave walls behind them; a rider who runs into anything loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from types import MappingProxyType

from plyground.arithmetic import derive_seed
from plyground.compile import Words
from plyground.errors import OptionError, TextError
from plyground.game import Facts, Game, Kernels, Position
from plyground.games.tron import bots, layout, rules, tactics, view
from plyground.games.tron.board import ACTIONS, PLAYERS, POWERS, pack
from plyground.games.tron.chambers import Chambers
from plyground.games.tron.evaluate import FreeCells, ManhattanVoronoi, Voronoi
from plyground.games.tron.evaluate_neural import Neural
from plyground.games.tron.learned import Learned, LearnedChambers
from plyground.games.tron.maps import MAPS
from plyground.games.tron.powers import BOMB_REACH, MOVES_OF_SPEED
from plyground.games.tron.terrain import (
    LARGEST,
    PLAIN_SYMBOLS,
    ROOM,
    Terrain,
    check_walled_in,
    find_one,
    read_terrain,
    room,
)
from plyground.maps import check_rows, find_map
from plyground.options import Kind, option
from plyground.picture import Click, Picture, Rows

ROOM_SIDE = 13
CLEARED = (2 * BOMB_REACH + 1) ** 2 - 1
"""The most barriers that one bomb clears."""


class Tron(Game):
    """Leave a wall behind you, run into nothing and cut the other off; in turns or at once."""

    name = "tron"
    title = "Tron"
    kernels = Kernels(
        rules.player, rules.legal, rules.play, rules.over, rules.returns, rules.key,
        rules.image, rules.image_action, rules.observe, rules.determinize, rules.encode,
        rules.policy,
    )  # fmt: skip
    evaluators = (
        Voronoi,
        ManhattanVoronoi,
        FreeCells,
        Chambers,
        Learned,
        LearnedChambers,
        Neural,
        bots.TA1,
        bots.TA2,
    )
    advice = (tactics.careful, bots.crashes, bots.safe, bots.wall)
    fixed = (*range(layout.FRAME), *range(layout.STEPS, layout.WALLS))
    overlays = ("territory",)
    notation = "A move is U, D, L or R (up, down, left, right), or an arrow key."
    keys = MappingProxyType(dict(zip(("up", "down", "left", "right"), ACTIONS, strict=True)))

    map: str = option(
        "empty_room", kind=Kind.FILE, choices=(*MAPS, ROOM),
        help=f"map: a name or a text file; {ROOM}: an empty room of `width` by `height`",
    )  # fmt: skip
    simultaneous: bool = option(
        False, help="both players move at the same time, which is the only way to draw a game"
    )
    starts: str = option(
        "random",
        choices=("random", "map"),
        help="random: a point-symmetric pair of open cells; map: the cells 1 and 2 of the map",
    )
    width: int | None = option(
        None, low=3, high=LARGEST, help="columns of a room, including its walls"
    )
    height: int | None = option(
        None, low=3, high=LARGEST, help="rows of a room, including its walls"
    )
    obstacles: int = option(
        0, low=0, high=60, help="percent of a room's cells that are walls, random in each game"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        has_room_options = self.width is not None or self.height is not None or self.obstacles > 0
        if has_room_options and self.map != ROOM:
            raise OptionError(f"tron: width, height and obstacles are for map={ROOM!r} only")
        if self.simultaneous and self._terrain.has_powers:
            raise OptionError(f"tron: map={self.map!r} has power-ups; simultaneous must be false")
        if self.starts == "map" and self._terrain.marked is None:
            raise OptionError(f"tron: map={self.map!r} has no 1 or no 2; starts=map needs both")
        if self.starts == "random" and not self._terrain.starts:
            raise OptionError(
                f"tron: map={self.map!r} has no point-symmetric pair of open cells to start on"
            )

    @cached_property
    def _terrain(self) -> Terrain:
        """The map; a room without its obstacles."""
        if self.map == ROOM:
            return room(self.width or ROOM_SIDE, self.height or ROOM_SIDE, 0, Random(0))
        return read_terrain(find_map(self.name, self.map, MAPS | {ROOM: ""}), self.map)

    def measure(self) -> Facts:
        terrain = self._terrain
        return Facts(
            players=2,
            actions=4,
            branching=4,
            longest=(terrain.width - 2) * (terrain.height - 2) + self._extra_plies(terrain.symbols),
            hidden=self.simultaneous or terrain.has_powers,
            simultaneous=self.simultaneous,
            symmetries=8 if terrain.width == terrain.height else 4,
            planes=(12 if terrain.has_powers else 4, terrain.height, terrain.width),
            policy=(4, terrain.height, terrain.width),
        )

    @staticmethod
    def _extra_plies(symbols: str) -> int:
        """Return the most plies that power-ups can add: cells cleared or entered a second time."""
        return (symbols.count("!") + symbols.count("?")) * CLEARED + symbols.count("@")

    def champions(self) -> Sequence[str]:
        heuristic = "chambers" if self.simultaneous else "neural"  # docs/games/tron-tests.md
        return (f"alphabeta(unwise=crashes, evaluate={heuristic})",)

    def levels(self) -> Sequence[str]:
        if self.simultaneous:
            steps = [
                (1, 1.0),
                (1, 0.28),
                (1, 0.108),
                (1, 0.061),
                (1, 0.035),
                (1, 0.018),
                (1, 0.005),
            ]
            strong = [f"alphabeta(depth={d}, unwise=crashes, evaluate=chambers)" for d in (4, 6)]
        else:
            steps = [(1, 0.35), (1, 0.15), (1, 0.06), (1, 0.025), (2, 0.03), (3, 0.015)]
            strong = [
                f"casual(judge=alphabeta(depth={d}, unwise=crashes, evaluate=neural), "
                f"temperature={t})"
                for d, t in ((2, 0.05), (3, 0.015), (5, 0.008))
            ]
        judged = [f"casual(judge=alphabeta(depth={d}), temperature={t})" for d, t in steps]
        return judged + strong

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        random = Random(derive_seed(seed))
        terrain = self._terrain
        if self.obstacles:
            terrain = room(terrain.width, terrain.height, self.obstacles, random)
        if self.starts == "map" and terrain.marked is not None:
            first, second = terrain.marked
        else:
            first = random.choice(terrain.starts)
            second = len(terrain.symbols) - 1 - first
        board = terrain.place(first, second, random)
        setup, state = pack(board, simultaneous=self.simultaneous, powers=terrain.has_powers)
        if terrain.has_powers:
            state[layout.RANDOM] = random.getrandbits(63)
        return setup, state

    def write(self, position: Position) -> str:
        return view.write(position.setup.tolist(), position.state.tolist())

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        board, turn, fields = view.read(text)
        self._check_board(board)
        powers = self._terrain.has_powers
        setup, state = pack(board, simultaneous=self.simultaneous, powers=powers)
        state[layout.TURN] = turn
        crashed = state[layout.CRASHED] = view.seats(fields, "crashed")
        self._read_pending(state, turn, fields)
        if crashed == 3 and not self.simultaneous:
            raise TextError("tron: crashed=12, but in turns only one player can crash")
        if powers:
            setup[layout.FRAME] = view.number(fields, "frame", 0, self.facts.symmetries - 1)
            haste = view.pair(fields, "speed", MOVES_OF_SPEED)
            state[layout.HASTE], state[layout.SECOND_HASTE] = haste
            state[layout.ARMOR] = view.seats(fields, "armor")
            state[layout.RANDOM] = view.number(fields, "random", -(2**63), 2**63 - 1)
        for name in ("speed", "armor", "random", "frame"):
            if name in fields and not powers:
                raise TextError(f"tron: {name}= is for maps with power-ups; {self} has none")
        armor = state[layout.ARMOR].bit_count()
        if self._extra_plies("".join(board)) + armor > self._extra_plies(self._terrain.symbols):
            raise TextError(f"tron: the board has more power-ups than the map of {self}")
        return setup, state

    def observer_of(self, setup: Words, state: Words) -> int | None:
        return 1 if state[layout.PENDING] == layout.UNKNOWN else None

    def chooses_first(self, position: Position) -> Position:
        if not position.state[layout.PENDING]:
            return position
        state = position.state.copy()
        state[layout.PENDING] = 0
        state.flags.writeable = False
        return Position._trusted(self, position.setup, state, ply=position.ply)

    def _check_board(self, board: list[str]) -> None:
        terrain = self._terrain
        symbols = PLAIN_SYMBOLS + POWERS if terrain.has_powers else PLAIN_SYMBOLS
        check_rows(self.name, board, symbols, LARGEST)
        if (len(board[0]), len(board)) != (terrain.width, terrain.height):
            size = f"{terrain.width} x {terrain.height}"
            raise TextError(
                f"tron: the board is {len(board[0])} x {len(board)}; {self} needs {size}"
            )
        check_walled_in(board, "of the board")
        for player in PLAYERS:
            if find_one(board, player, "of the board") is None:
                raise TextError(f"tron: there is no {player!r} on the board")

    def _read_pending(self, state: list[int], turn: int, fields: view.Fields) -> None:
        pending = fields.get("pending", "")
        waits = self.simultaneous and turn == 1
        if (pending != "") != waits:
            rule = "is needed if both move at once and player 2 is to move, and only then"
            raise TextError(f"tron: pending= {rule}")
        if waits:
            if pending not in tuple(ACTIONS + "?"):
                raise TextError(f"tron: pending={pending[:40]!r}; allowed: U, D, L, R and ?")
            if state[layout.CRASHED]:
                raise TextError("tron: pending= and crashed= exclude each other")
            state[layout.PENDING] = (ACTIONS + "?").index(pending) + 1

    def penalty(self, position: Position, fault: str, seed: int) -> int | None:
        """Return U; for an answer that is no action the course plays one of the four, whichever."""
        if self.simultaneous:
            return None
        return Random(seed).choice(position.legal_actions) if fault == "illegal" else layout.UP

    def format(self, position: Position, action: int) -> str:
        return ACTIONS[action]

    def rows(self, position: Position) -> Rows:
        return view.rows(position)

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return the cell beside the head that the action enters."""
        step = int(position.setup[layout.STEPS + action])
        return (int(position.state[layout.HEADS + position.player]) + step,)

    def draw(self, position: Position) -> Picture:
        return view.draw(position, repr(self))

    def overlay(self, position: Position, name: str) -> Mapping[int, tuple[int, float]]:
        return view.territory(position)
