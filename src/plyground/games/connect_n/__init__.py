"""Connect-N: drop stones into columns; n in a row in any direction win; a full board is a draw."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.arithmetic import split
from plyground.errors import OptionError, TextError
from plyground.game import Facts, Game, Kernels, Position, Solver
from plyground.games.connect_n import rules, tactics, view
from plyground.games.connect_n.evaluate import Windows
from plyground.games.connect_n.solve import ConnectNSolver, can_solve
from plyground.games.connect_n.threats import Threats
from plyground.options import option
from plyground.picture import Click, Picture, Rows


class ConnectN(Game):
    """Connect n stones in a row on a board with gravity; 7 x 6 and 4 is Connect Four."""

    name = "connect_n"
    title = "Connect Four"
    kernels = Kernels(
        rules.player, rules.legal, rules.play, rules.over, rules.returns, rules.key,
        rules.image, rules.image_action, encode=rules.encode, policy=rules.policy,
        finish=rules.finish,
    )  # fmt: skip
    evaluators = (Threats, Windows)
    advice = (tactics.middle, tactics.sharp)
    fixed = range(rules.MASKS)
    notation = "A move is the number of a column, such as 4. Player 1 plays x, player 2 plays o."

    width: int = option(7, low=1, high=16, help="columns")
    height: int = option(6, low=1, high=16, help="rows")
    n: int = option(4, low=3, high=8, help="stones in a row that win")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n > max(self.width, self.height):
            size = f"{self.width} x {self.height}"
            raise OptionError(f"connect_n: no line of n={self.n} fits on a board of {size}")

    def measure(self) -> Facts:
        cells = self.width * self.height
        return Facts(
            players=2,
            actions=self.width,
            branching=self.width,
            longest=cells,
            symmetries=2,
            planes=(2, self.height, self.width),
            policy=(1, self.height, self.width),
        )

    def champions(self) -> Sequence[str]:
        return ("perfect", "alphabeta")

    def levels(self) -> Sequence[str]:
        steps = (1, 2.0), (1, 0.2), (3, 0.08), (5, 0.03), (7, 0.01)
        judged = [
            f"casual(judge=alphabeta(depth={d}, evaluate=windows), temperature={t})"
            for d, t in steps
        ]
        deeper = [f"alphabeta(depth={depth}, evaluate=threats)" for depth in (5, 8, 13)]
        return [*judged, "alphabeta(depth=11, evaluate=windows)", *deeper]

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        setup = rules.layout(self.width, self.height, self.n)
        return setup, [0] * (rules.STONES + 2 * setup[rules.WORDS])

    def write(self, position: Position) -> str:
        return view.write(self._cells(position))

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        board = view.read(text, self.width, self.height)
        first, second = (sum(row.count(side) for row in board) for side in (1, 2))
        if first - second not in (0, 1):
            raise TextError(
                f"connect_n: {first} stones of x and {second} of o; x begins, then they alternate"
            )
        setup, empty = self.begin(0)
        state = list(empty)
        stones = [0, 0]
        for row, line in enumerate(reversed(board)):
            for column, cell in enumerate(line):
                if cell:
                    stones[cell - 1] |= 1 << (column * (self.height + 1) + row)
        words = setup[rules.WORDS]
        state[rules.STONES :] = split(stones[0], words) + split(stones[1], words)
        state[rules.PLIES] = first + second
        if view.winning_line(board, self.n):
            if not view.last_stones(board, 1 if first > second else 2, self.n):
                raise TextError("connect_n: the game was over before: no last stone makes the line")
            state[rules.RESULT] = rules.LINE
        elif first + second == self.width * self.height:
            state[rules.RESULT] = rules.FULL
        return setup, state

    def solver(self, *, within_cap: bool = False) -> Solver | None:
        return ConnectNSolver(self) if can_solve(self) else None

    def format(self, position: Position, action: int) -> str:
        return str(action + 1)

    def rows(self, position: Position) -> Rows:
        return view.rows(self._cells(position), position.action)

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return the column."""
        return (action,)

    def draw(self, position: Position) -> Picture:
        board = self._cells(position)
        line = view.winning_line(board, self.n) if position.is_over else []
        returns = position.returns if position.is_over else None
        return view.draw(board, position.action, line, returns, repr(self))

    def _cells(self, position: Position) -> view.Cells:
        return view.cells(position.setup.tolist(), position.state.tolist())
