"""Tic-tac-toe with broken rules, one law each: `test_check` says which."""

from pathlib import Path

from plyground import Facts, kernel
from plyground.registry import load_file

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
TicTacToe = load_file(EXAMPLE).TicTacToe
KERNELS = TicTacToe.kernels
CELLS = 9


def facts(**changed):
    declared = {"players": 2, "actions": CELLS, "branching": CELLS, "longest": CELLS}
    return Facts(**(declared | changed))


@kernel("legal")
def descending(setup, state, out):
    count = 0
    for cell in range(CELLS - 1, -1, -1):
        if not (state[2] | state[3]) >> cell & 1:
            out[count] = cell
            count += 1
    return count


class DescendingActions(TicTacToe):
    name = "descending_actions"
    kernels = KERNELS._replace(legal=descending)


class UndeclaredAction(TicTacToe):
    """Declares one action too few."""

    name = "undeclared_action"

    def measure(self):
        return facts(actions=CELLS - 1)


class CrowdedBranching(TicTacToe):
    """Declares fewer legal actions than there are."""

    name = "crowded_branching"

    def measure(self):
        return facts(branching=CELLS - 1)


@kernel("over")
def only_by_a_row(setup, state):
    return state[1] != 0


class NeverFull(TicTacToe):
    """Goes on when the board is full."""

    name = "never_full"
    kernels = KERNELS._replace(over=only_by_a_row)


class TooLong(TicTacToe):
    name = "too_long"

    def measure(self):
        return facts(longest=6)


@kernel("player")
def third_player(setup, state):
    return state[0] % 3


class ThirdPlayer(TicTacToe):
    name = "third_player"
    kernels = KERNELS._replace(player=third_player)


play_cell = KERNELS.play


@kernel("play")
def noting(setup, state, action):
    play_cell(setup, state, action)
    if setup[3] >= 5:
        setup[3] += 1  # a kernel may only read its setup


class WritesSetup(TicTacToe):
    """Writes only from the sixth seed on: plain Python plays five games, and would refuse it."""

    name = "writes_setup"
    kernels = KERNELS._replace(play=noting)

    def begin(self, seed):
        return [3, 3, 3, seed], [0, 0, 0, 0]

    def write(self, position):
        return f"{position.setup.tolist()} {position.state.tolist()}"

    def read(self, text):
        return [[int(word) for word in part.split(",")] for part in text[1:-1].split("] [")]


@kernel("returns")
def doubled(setup, state, out):
    out[0], out[1] = 2.0 * state[1], -2.0 * state[1]


class DoubledReturns(TicTacToe):
    name = "doubled_returns"
    kernels = KERNELS._replace(returns=doubled)


@kernel("returns")
def generous(setup, state, out):
    out[0], out[1] = state[1], 0.0


class UnbalancedReturns(TicTacToe):
    name = "unbalanced_returns"
    kernels = KERNELS._replace(returns=generous)


class Stumbling(TicTacToe):
    """Has a method in Python that fails."""

    name = "stumbling"

    def read(self, text):
        raise KeyError(text)


class LargeState(TicTacToe):
    """Has words in its state that are never used, and no kernel `key`."""

    name = "large_state"

    def begin(self, seed):
        setup, state = super().begin(seed)
        return setup, [*state, *range(8)]
