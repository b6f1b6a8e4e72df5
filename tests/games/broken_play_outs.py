"""Games that break the laws of play-outs, of texts from outside, and of chance."""

from pathlib import Path

from plyground import Facts, kernel, random_below
from plyground.arithmetic import draw_below
from plyground.errors import StateError
from plyground.registry import load_file

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
TicTacToe = load_file(EXAMPLE).TicTacToe
KERNELS = TicTacToe.kernels
is_over, list_legal, play_cell = KERNELS.over, KERNELS.legal, KERNELS.play


# Random games in one kernel ---------------------------------------------------------------------


@kernel("finish")
def at_random(setup, state, actions, random):
    while not is_over(setup, state):
        play_cell(setup, state, actions[random_below(random, list_legal(setup, state, actions))])


class Finished(TicTacToe):
    """Breaks no law."""

    name = "finished"
    kernels = KERNELS._replace(finish=at_random)


@kernel("finish")
def for_the_first(setup, state, actions, random):
    state[2] |= 511 & ~state[3]
    state[1] = 1


class GivesAll(TicTacToe):
    """Gives every free cell to the first player."""

    name = "gives_all"
    kernels = KERNELS._replace(finish=for_the_first)


@kernel("finish")
def without_diagonals(setup, state, actions, random):
    while state[0] < 9 and state[1] == 0:
        cell = actions[random_below(random, list_legal(setup, state, actions))]
        play_cell(setup, state, cell)
        row = False
        for player in range(2):
            for line in range(3):
                row |= state[2 + player] >> 3 * line & 7 == 7
                row |= state[2 + player] >> line & 73 == 73
        if not row:
            state[1] = 0  # a diagonal does not win


class ForgetsDiagonals(TicTacToe):
    """Its random games have other results, but all of them are possible."""

    name = "forgets_diagonals"
    kernels = KERNELS._replace(finish=without_diagonals)


@kernel("finish")
def nothing_more(setup, state, actions, random):
    state[0] = state[0] + 0


class StopsEarly(TicTacToe):
    name = "stops_early"
    kernels = KERNELS._replace(finish=nothing_more)


# Texts from outside -----------------------------------------------------------------------------


class AnyWords(TicTacToe):
    """Reads any numbers: its kernels index the board by them."""

    name = "any_words"

    def write(self, position):
        return " ".join(map(str, (*position.setup.tolist(), *position.state.tolist())))

    def read(self, text):
        try:
            words = [int(word) for word in text.split()]
        except ValueError:
            words = []
        if len(words) != 7:
            raise StateError("any_words: allowed: seven numbers")
        return words[:3], words[3:]


@kernel("over")
def until_even(setup, state):
    left = state[1]
    while left != 0 and left != 1 and left != -1:
        left = max(left, left - 2)  # no result but these is played
    return left != 0 or state[0] == 9


class NeverEnds(AnyWords):
    name = "never_ends"
    kernels = KERNELS._replace(over=until_even)


class Checked(AnyWords):
    """Breaks no law: `check_words` refuses what `read` accepts."""

    name = "checked"

    def check_words(self, setup, state):
        plies, result, first, second = state.tolist()
        marks = first.bit_count(), second.bit_count()
        if (
            setup.tolist() != [3, 3, 3]
            or not 0 <= first < 512
            or not 0 <= second < 512
            or first & second
            or marks != ((plies + 1) // 2, plies // 2)
            or result not in (-1, 0, 1)
        ):
            raise StateError("checked: these are not the words of a position")


class Careless(Checked):
    """Its `read` fails on texts that are no numbers."""

    name = "careless"

    def read(self, text):
        words = [int(word) for word in text.split()]
        return words[:3], words[3:]


# Chance -----------------------------------------------------------------------------------------


@kernel("player")
def turn_of(setup, state):
    return state[1]


@kernel("legal")
def roll_or_hold(setup, state, out):
    out[0], out[1] = 0, 1
    return 2


@kernel("play")
def roll(setup, state, action):
    if action == 0:
        state[2 + state[1]] += 1 + draw_below(state, 4, 6)
    state[1] = 1 - state[1]
    state[0] += 1


@kernel("over")
def is_enough(setup, state):
    return state[0] == 20


@kernel("returns")
def by_points(setup, state, out):
    out[0] = min(max(state[2] - state[3], -1), 1)
    out[1] = -out[0]


class VisibleStream(TicTacToe):
    """Rolls dice from a stream that everybody sees."""

    name = "visible_stream"
    kernels = KERNELS._replace(
        player=turn_of, legal=roll_or_hold, play=roll, over=is_enough, returns=by_points
    )

    def measure(self):
        return Facts(players=2, actions=2, branching=2, longest=20)

    def begin(self, seed):
        return [0, 0, 0], [0, 0, 0, 0, seed * 1_000_003 + 12345]


@kernel("legal")
def choose_or_roll(setup, state, out):
    out[0], out[1] = 0, 1
    return 1 if state[0] % 2 else 2


@kernel("play")
def choose_then_roll(setup, state, action):
    if state[0] % 2:
        state[4] = (state[4] * 1103515245 + 12345) % 2**31
        state[2 + state[1]] += state[4] // 65536 % 6
        state[1] = 1 - state[1]
    else:
        state[2 + state[1]] += action
    state[0] += 1


class RollsByItself(VisibleStream):
    """A generator of its own, and a roll that is the only action."""

    name = "rolls_by_itself"
    kernels = VisibleStream.kernels._replace(legal=choose_or_roll, play=choose_then_roll)


@kernel("observe")
def without_stream(setup, state, player):
    state[4] = 0


@kernel("determinize")
def any_stream(setup, state, player, random):
    state[4] = random_below(random, 2**31)


class HiddenStream(VisibleStream):
    """Nobody sees the stream."""

    name = "hidden_stream"
    kernels = VisibleStream.kernels._replace(observe=without_stream, determinize=any_stream)

    def measure(self):
        return Facts(players=2, actions=2, branching=2, longest=20, hidden=True)


@kernel("play")
def remember(setup, state, action):
    state[4] = state[2]  # the marks before, as for a rule of repetition
    play_cell(setup, state, action)


class Remembers(TicTacToe):
    """Has a word that changes by itself, but is no stream."""

    name = "remembers"
    kernels = KERNELS._replace(play=remember)

    def begin(self, seed):
        setup, state = super().begin(seed)
        return setup, [*state, 0]
