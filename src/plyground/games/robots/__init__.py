"""Robot Reboot (Ricochet Robots): slide robots until one of them stops in its house."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.errors import BadOption, BadText
from plyground.game import Facts, Game, Kernels, Position
from plyground.games.robots import rules, tactics, view
from plyground.games.robots.boards import LETTERS, SIZE
from plyground.games.robots.deal import Wanted, dealt
from plyground.games.robots.evaluate import Bound
from plyground.games.robots.layout import cell_of, place_of, setup_of, slides
from plyground.games.robots.solve import can_move
from plyground.games.robots.text import Scene, read_scene, scene_of, write_scene
from plyground.options import option
from plyground.picture import Picture, Rows


class Robots(Game):
    """Bring one robot home in few moves; every robot slides until something stops it."""

    name = "robots"
    kernels = Kernels(
        rules.player, rules.legal, rules.play, rules.over, rules.returns, rules.key,
        rules.image, rules.image_action, encode=rules.encode,
    )  # fmt: skip
    evaluators = (Bound,)
    advice = (tactics.bound, tactics.homing)
    fixed = (rules.WIDTH, rules.HEIGHT, rules.ROBOTS, rules.CAP)

    board: str = option(
        "velasquez", choices=("velasquez", "classic", "maze"), help="where the walls come from"
    )
    width: int = option(SIZE, low=4, high=rules.STRIDE, help="columns; other than 16 in mazes only")
    height: int = option(SIZE, low=4, high=rules.STRIDE, help="rows; other than 16 in mazes only")
    robots: int = option(4, low=1, high=len(LETTERS), help="how many robots there are")
    starts: str = option(
        "near", choices=("near", "uniform"),
        help="the robot has left its house by 1 to 5 random moves, or stands anywhere",
    )  # fmt: skip
    cap: int = option(20, low=1, high=200, help="the moves after which an unsolved game is lost")
    solvable: bool = option(True, help="begin only where there is a solution within the cap")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.board != "maze" and (self.width, self.height) != (SIZE, SIZE):
            size = f"{self.width} x {self.height}"
            raise BadOption(
                f"robots: a {self.board} board is {SIZE} x {SIZE}, not {size}; try board='maze'"
            )

    def measure(self) -> Facts:
        return Facts(
            players=1,
            actions=4 * self.robots,
            branching=4 * self.robots,
            longest=self.cap,
            zero_sum=False,
            symmetries=8 if self.width == self.height else 4,
            planes=(1 + 2 * self.robots, 2 * self.height - 1, 2 * self.width - 1),
            clock=rules.MOVES,
        )

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        wanted = Wanted(
            self.board, self.width, self.height, self.robots, self.starts, self.cap, self.solvable
        )
        setup, state = dealt(wanted, seed)
        return setup.tolist(), state.tolist()

    def score(self, position: Position) -> int:
        """Give minus the moves made, and minus the cap for a lost game."""
        lost = position.is_over and not _is_solved(position)
        return -self.cap if lost else -int(position.state[rules.MOVES])

    def write(self, position: Position) -> str:
        return write_scene(_scene(position))

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        seen = read_scene(text, self.width, self.height, self.robots, self.cap)
        words, house = slides(seen.board), cell_of(seen.house)
        setup = setup_of(seen.board, words, self.robots, seen.target, house, self.cap)
        state = np.array([seen.moves, *map(cell_of, seen.robots)], np.int64)
        if seen.moves and not can_move(setup, state):
            raise BadText(f"robots: no robot can move, so none can have made {seen.moves} moves")
        return setup.tolist(), state.tolist()

    def format(self, position: Position, action: int) -> str:
        return LETTERS[action >> 2] + "NESW"[action & 3]

    def rows(self, position: Position) -> Rows:
        return view.rows(_scene(position), _last(position), self._status(position))

    def draw(self, position: Position) -> Picture:
        return view.draw(_scene(position), _last(position), self._status(position), repr(self))

    def _status(self, position: Position) -> str:
        return view.status(_scene(position), self.score(position), self.cap, position.is_over)


def _is_solved(position: Position) -> bool:
    setup, state = position.setup, position.state
    return bool(state[rules.FIRST + setup[rules.TARGET]] == setup[rules.HOUSE])


def _scene(position: Position) -> Scene:
    return scene_of(position.setup.tolist(), position.state.tolist())


def _last(position: Position) -> view.Slide | None:
    if position.previous is None or position.action is None:
        return None
    robot = position.action >> 2
    return view.Slide(robot, place_of(int(position.previous.state[rules.FIRST + robot])))
