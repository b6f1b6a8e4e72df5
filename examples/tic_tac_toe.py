"""Tic-tac-toe on any board, any number in a row: `plyground check examples/tic_tac_toe.py`."""

from plyground import Facts, Game, Kernels, kernel, option

WIDTH, HEIGHT, ROW = range(3)  # the words of the setup
PLIES, RESULT, MARKS = range(3)  # the words of the state; MARKS + player: its cells as bits


@kernel
def player(setup, state):
    return state[PLIES] % 2


@kernel
def legal(setup, state, out):
    taken = state[MARKS] | state[MARKS + 1]
    count = 0
    for cell in range(setup[WIDTH] * setup[HEIGHT]):
        if not taken >> cell & 1:
            out[count] = cell
            count += 1
    return count


@kernel
def play(setup, state, action):
    width, height = setup[WIDTH], setup[HEIGHT]
    mover = state[PLIES] % 2
    state[MARKS + mover] |= 1 << action
    state[PLIES] += 1
    for across, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = 0
        for step in range(1 - setup[ROW], setup[ROW]):
            x, y = action % width + step * across, action // width + step * down
            inside = 0 <= x < width and 0 <= y < height
            run = run + 1 if inside and state[MARKS + mover] >> (y * width + x) & 1 else 0
            if run == setup[ROW]:
                state[RESULT] = 1 if mover == 0 else -1  # the result of the first player


@kernel
def over(setup, state):
    return state[RESULT] != 0 or state[PLIES] == setup[WIDTH] * setup[HEIGHT]


@kernel
def returns(setup, state, out):
    out[0], out[1] = state[RESULT], -state[RESULT]


class TicTacToe(Game):
    name = "tic_tac_toe"
    kernels = Kernels(player, legal, play, over, returns)
    width: int = option(3, low=1, high=7, help="columns")
    height: int = option(3, low=1, high=7, help="rows")
    row: int = option(3, low=2, high=7, help="marks in a row that win")

    def measure(self):
        cells = self.width * self.height
        return Facts(players=2, actions=cells, branching=cells, longest=cells)

    def begin(self, seed):
        return [self.width, self.height, self.row], [0, 0, 0, 0]
