"""Tic-tac-toe on any board, any number in a row: `plyground check examples/tic_tac_toe.py`."""

from plyground import Facts, Game, Kernels, kernel, option


@kernel("player")
def player(setup, state):
    return state[0] & 1


@kernel("legal")
def legal(setup, state, out):
    count = 0
    for cell in range(setup[0] * setup[1]):
        out[count] = cell
        count += 1 - ((state[2] | state[3]) >> cell & 1)
    return count


@kernel("play")
def play(setup, state, action):
    width, height, row = setup[0], setup[1], setup[2]
    marks = 2 + (state[0] & 1)  # state[2] and state[3] hold the players' cells as bits
    state[marks] |= 1 << action
    state[0] += 1
    for across, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = 0
        for step in range(1 - row, row):
            x, y = action % width + step * across, action // width + step * down
            inside = 0 <= x < width and 0 <= y < height
            run = run + 1 if inside and state[marks] >> (y * width + x) & 1 else 0
            if run == row:
                state[1] = 5 - 2 * marks  # what the first player gets: 1 or -1


@kernel("over")
def over(setup, state):
    return state[1] != 0 or state[0] == setup[0] * setup[1]


@kernel("returns")
def returns(setup, state, out):
    out[0], out[1] = state[1], -state[1]


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
