"""Robot Reboot (Ricochet Robots): slide robots until one of them stops in its house."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.errors import BadOption, BadText
from plyground.game import Facts, Game, Kernels, Position
from plyground.games.robots import rounds, rules, sliding, tactics, view
from plyground.games.robots.boards import LETTERS, SIZE
from plyground.games.robots.evaluate import Bound
from plyground.games.robots.layout import (
    cell_of,
    place_of,
    round_of,
    setup_of,
    setup_of_rounds,
    slides,
)
from plyground.games.robots.solve import RobotsSolver
from plyground.games.robots.start import Wanted, can_move, dealt
from plyground.games.robots.text import Scene, read_scene, scene_of, write_scene
from plyground.options import option
from plyground.picture import Click, Picture, Rows


class Robots(Game):
    """Bring one robot home in few moves; every robot slides until something stops it."""

    name = "robots"
    kernels = Kernels(
        rules.player, rules.legal, rules.play, rules.over, rules.returns, rules.key,
        rules.image, rules.image_action, rounds.observe, rounds.determinize, rules.encode,
        rules.policy,
    )  # fmt: skip
    evaluators = (Bound,)
    advice = (tactics.bound, tactics.homing)
    fixed = (
        sliding.WIDTH, sliding.HEIGHT, sliding.ROBOTS, sliding.CAP, sliding.ROUNDS, sliding.ROOM,
    )  # fmt: skip
    notation = (
        "A move is a robot's letter and a direction, N (up), E (right), S (down) or W (left): rN "
        "slides the red robot up. Robots are capital letters, the small letter is the house."
    )

    board: str = option(
        "velasquez",
        choices=("velasquez", "classic", "maze"),
        help="kind of board: the study's quarters, the physical game's, a random maze",
    )
    width: int = option(
        SIZE, low=4, high=sliding.STRIDE, help="columns; other than 16 in mazes only"
    )
    height: int = option(SIZE, low=4, high=sliding.STRIDE, help="rows; other than 16 in mazes only")
    robots: int = option(4, low=1, high=len(LETTERS), help="number of robots")
    starts: str = option(
        "near", choices=("near", "uniform"),
        help="near: 1 to 5 random moves away from the house; uniform: anywhere",
    )  # fmt: skip
    cap: int = option(20, low=1, high=200, help="moves after which an unsolved round is lost")
    rounds: int = option(
        1, low=1, high=20, help="houses to reach one after the other, from where the robots stand"
    )
    solvable: bool = option(True, help="deal only positions with a solution within the cap")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.board != "maze" and (self.width, self.height) != (SIZE, SIZE):
            size = f"{self.width} x {self.height}"
            raise BadOption(
                f"robots: a {self.board} board is {SIZE} x {SIZE}, not {size}; try board='maze'"
            )
        if self.rounds > 1 and self.robots == 1 and self.solvable:
            reason = "a robot alone soon has no house that it can reach"
            raise BadOption(f"robots: rounds with robots=1 need solvable=False: {reason}")

    def measure(self) -> Facts:
        return Facts(
            players=1,
            actions=4 * self.robots,
            branching=4 * self.robots,
            longest=self.cap * self.rounds,
            hidden=self.rounds > 1,
            zero_sum=False,
            symmetries=8 if self.width == self.height else 4,
            planes=(8 if self.rounds == 1 else 10, self.height, self.width),
            policy=(4, self.height, self.width),
            clock=sliding.MOVES,
        )

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        wanted = Wanted(
            self.board, self.width, self.height, self.robots, self.starts, self.cap, self.solvable,
            self.rounds,
        )  # fmt: skip
        setup, state = dealt(wanted, seed)
        return setup.tolist(), state.tolist()

    def score(self, position: Position) -> int:
        """Return minus the moves made in all rounds; a lost round costs the cap."""
        seen = _scene(position)
        if position.is_over and not seen.is_solved:  # lost; where nothing can move, every round is
            return -seen.spent - self.cap * (self.rounds - seen.round + 1)
        return -seen.spent - seen.moves

    def write(self, position: Position) -> str:
        return write_scene(_scene(position))

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        seen = read_scene(text, self.width, self.height, self.robots, self.cap, self.rounds)
        board, words, house = seen.board, slides(seen.board), cell_of(seen.house)
        state = [seen.moves, *map(cell_of, seen.robots)]
        if self.rounds == 1:
            setup = setup_of(board, words, self.robots, seen.target, house, self.cap)
        else:
            setup = setup_of_rounds(board, words, self.robots, self.cap, self.rounds)
            number = [place for place, _ in board.houses].index(seen.house)
            state += [seen.target, number, seen.round - 1, seen.spent, seen.random]
        moves = seen.spent + seen.moves
        if moves and not can_move(setup, np.array(state, np.int64)):
            raise BadText(f"robots: no robot can move, so none can have made {moves} moves")
        return setup.tolist(), state

    def puzzle(self, position: Position) -> Position:
        if self.rounds == 1:
            return position
        alone = type(self).make(self.changed() | {"rounds": 1})
        return alone._trusted(*round_of(position.setup, position.state))

    def solver(self) -> RobotsSolver:
        return RobotsSolver(self)

    def format(self, position: Position, action: int) -> str:
        return LETTERS[action >> 2] + "NESW"[action & 3]

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """The robot, then where it stops."""
        word = sliding.FIRST + (action >> 2)
        cells = int(position.state[word]), int(position.play(action).state[word])
        return tuple(view.area_of(place_of(cell), self.width) for cell in cells)

    def rows(self, position: Position) -> Rows:
        return view.rows(_scene(position), _last(position), self._status(position))

    def compact_rows(self, position: Position) -> Rows:
        return view.compact_rows(_scene(position), _last(position), self._status(position))

    def draw(self, position: Position) -> Picture:
        return view.draw(_scene(position), _last(position), self._status(position), repr(self))

    def _status(self, position: Position) -> str:
        return view.status(
            _scene(position), self.score(position), self.cap, self.rounds, position.is_over
        )


def _scene(position: Position) -> Scene:
    return scene_of(position.setup.tolist(), position.state.tolist())


def _last(position: Position) -> view.Slide | None:
    if position.previous is None or position.action is None:
        return None
    robot = position.action >> 2
    return view.Slide(robot, place_of(int(position.previous.state[sliding.FIRST + robot])))
