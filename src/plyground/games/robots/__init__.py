"""Robot Reboot (Ricochet Robots): slide robots until one of them stops in its house."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.errors import OptionError, TextError
from plyground.game import Facts, Game, Kernels, Position
from plyground.games.robots import rounds, rules, sliding, tactics, view
from plyground.games.robots.boards import LETTERS, SIZE, cell_of, place_of
from plyground.games.robots.evaluate import Bound
from plyground.games.robots.layout import (
    round_of,
    setup_of,
    setup_of_rounds,
    slides,
)
from plyground.games.robots.solve import RobotsSolver
from plyground.games.robots.start import StartOptions, can_move, random_start
from plyground.games.robots.text import Scene, read_scene, scene_of, write_scene
from plyground.options import option
from plyground.picture import Click, Picture, Rows


class Robots(Game):
    """Bring one robot to its house in few moves; every robot slides until something stops it."""

    name = "robots"
    title = "Robot Reboot"
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
        "slides the red robot up. Robots are capital letters; the small letter is the house, the "
        "cell where that robot must stop."
    )

    board: str = option(
        "velasquez",
        choices=("velasquez", "classic", "maze"),
        help="kind of board: the original study's, the physical game's, or a random maze",
    )
    width: int = option(
        SIZE, low=4, high=sliding.STRIDE, help="columns; other than 16 only with board=maze"
    )
    height: int = option(
        SIZE, low=4, high=sliding.STRIDE, help="rows; other than 16 only with board=maze"
    )
    robots: int = option(4, low=1, high=len(LETTERS), help="number of robots")
    starts: str = option(
        "near", choices=("near", "uniform"),
        help="near: the robot starts 1 to 5 random moves from its house; uniform: anywhere",
    )  # fmt: skip
    cap: int = option(20, low=1, high=200, help="moves after which an unsolved round is lost")
    rounds: int = option(
        1, low=1, high=20, help="rounds, each with a new house; robots stay where they are"
    )
    solvable: bool = option(True, help="only starts that can be solved within the cap")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.board != "maze" and (self.width, self.height) != (SIZE, SIZE):
            size = f"{self.width} x {self.height}"
            raise OptionError(
                f"robots: board={self.board} is {SIZE} x {SIZE}, not {size}; use board=maze"
            )
        if self.rounds > 1 and self.robots == 1 and self.solvable:
            reason = "a single robot soon cannot reach any house"
            raise OptionError(
                f"robots: rounds={self.rounds} with robots=1 needs solvable=False: {reason}"
            )

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

    def champions(self) -> Sequence[str]:
        return ("perfect", "shortest")

    def levels(self) -> Sequence[str]:
        # The temperatures are in moves; one move more costs 2 / cap of a round's value. Below a
        # quarter, `casual` does not play a move that is worse by one.
        moves = (1.0, 0.62, 0.54, 0.48, 0.43, 0.38, 0.33, 0.28, 0.252)
        return [f"casual(judge=perfect, temperature={2 * each / self.cap:g})" for each in moves]

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        options = StartOptions(
            self.board, self.width, self.height, self.robots, self.starts, self.cap, self.solvable,
            self.rounds,
        )  # fmt: skip
        setup, state = random_start(options, seed)
        return setup.tolist(), state.tolist()

    def score(self, position: Position) -> int:
        """Return minus the moves made in all rounds; a lost round costs the cap."""
        scene = _scene(position)
        if position.is_over and not scene.is_solved:  # all rounds left are lost
            return -scene.spent - self.cap * (self.rounds - scene.round + 1)
        return -scene.spent - scene.moves

    def write(self, position: Position) -> str:
        return write_scene(_scene(position))

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        scene = read_scene(text, self.width, self.height, self.robots, self.cap, self.rounds)
        board, words, house = scene.board, slides(scene.board), cell_of(scene.house)
        state = [scene.moves, *map(cell_of, scene.robots)]
        if self.rounds == 1:
            setup = setup_of(board, words, self.robots, scene.target, house, self.cap)
        else:
            setup = setup_of_rounds(board, words, self.robots, self.cap, self.rounds)
            number = [place for place, _ in board.houses].index(scene.house)
            state += [scene.target, number, scene.round - 1, scene.spent, scene.random]
        moves = scene.spent + scene.moves
        if moves and not can_move(setup, np.array(state, np.int64)):
            raise TextError(f"robots: no robot can move, so {moves} moves cannot have been made")
        return setup.tolist(), state

    def puzzle(self, position: Position) -> Position:
        if self.rounds == 1:
            return position
        one_round = type(self).make(self.changed() | {"rounds": 1})
        return one_round._trusted(*round_of(position.setup, position.state))

    def solver(self, *, within_cap: bool = False) -> RobotsSolver:
        return RobotsSolver(self, within_cap)

    def verdict(self, value: float, plies: int | None) -> str:
        return "no solution" if plies is None else f"{plies} move{'s' * (plies != 1)}"

    def format(self, position: Position, action: int) -> str:
        return LETTERS[action >> 2] + "NESW"[action & 3]

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return the robot's cell, then the cell where it stops."""
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
