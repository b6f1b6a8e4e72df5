"""Games with correct rules and one other broken law each: `test_check` says which."""

from collections import Counter
from pathlib import Path
from typing import ClassVar

import numpy as np

from plyground import Evaluator, Facts, kernel
from plyground.registry import load_file

HERE = Path(__file__).parent
TicTacToe = load_file(HERE.parents[1] / "examples" / "tic_tac_toe.py").TicTacToe
Secret = load_file(HERE / "small_games.py").Secret
KERNELS = TicTacToe.kernels
CELLS = 9


def facts(**more):
    return Facts(players=2, actions=CELLS, branching=CELLS, longest=CELLS, **more)


class ForgetfulText(TicTacToe):
    """Its text leaves out the second player's marks."""

    name = "forgetful_text"

    def write(self, position):
        return " ".join(map(str, position.state[:3]))

    def read(self, text):
        return [3, 3, 3], [*map(int, text.split()), 0]


class TwoLines(TicTacToe):
    name = "two_lines"

    def write(self, position):
        return super().write(position).replace(":", ":\n")


class AmbiguousActions(TicTacToe):
    """Writes two cells alike."""

    name = "ambiguous_actions"

    def format(self, position, action):
        return "abcdefghh"[action]


class TwoWords(TicTacToe):
    """Writes an action as two words."""

    name = "two_words"

    def format(self, position, action):
        return f"cell {action}"


@kernel("key")
def weak(setup, state):
    return np.uint64(state[0])


class WeakKey(TicTacToe):
    name = "weak_key"
    kernels = KERNELS._replace(key=weak)


@kernel("evaluate")
def certain(setup, state, params, out):
    out[0], out[1] = 1.0, -1.0


class Certain(Evaluator):
    name = "certain"
    kernel = certain

    def params(self, game):
        return []


class CertainHeuristic(TicTacToe):
    name = "certain_heuristic"
    evaluators = (Certain,)


@kernel("image")
def mirror(setup, state, symmetry, setup_out, state_out):
    for word in range(3):
        setup_out[word] = setup[word]
    for word in range(4):
        state_out[word] = state[word]
    for marks in range(2, 4):
        state_out[marks] = 0
        for cell in range(CELLS):
            across, down = cell % 3, cell // 3
            state_out[marks] |= (state[marks] >> cell & 1) << (3 * down + 2 - across)


@kernel("image_action")
def mirror_action(setup, action, symmetry):
    return 3 * (action // 3) + 2 - action % 3


@kernel("image_action")
def upside_down(setup, action, symmetry):
    return 3 * (2 - action // 3) + action % 3


class Mirrored(TicTacToe):
    """Is correct: a symmetry that commutes with play."""

    name = "mirrored"
    kernels = KERNELS._replace(image=mirror, image_action=mirror_action)

    def measure(self):
        return facts(symmetries=2)


class WrongMirror(Mirrored):
    """Turns positions one way and actions another."""

    name = "wrong_mirror"
    kernels = KERNELS._replace(image=mirror, image_action=upside_down)


@kernel("encode")
def loud(setup, state, player, out):
    out[0] = 2.0


class LoudPlanes(TicTacToe):
    name = "loud_planes"
    kernels = KERNELS._replace(encode=loud)

    def measure(self):
        return facts(planes=(1, 1, 1))


@kernel("encode")
def tell_all(setup, state, player, out):
    out[0] = state[1] / 3


class TalkativePlanes(Secret):
    """Shows the number that the second player has to guess."""

    name = "talkative_planes"
    kernels = Secret.kernels._replace(encode=tell_all)

    def measure(self):
        return Facts(players=2, actions=3, branching=3, longest=2, hidden=True, planes=(1, 1, 1))


@kernel("encode")
def marks(setup, state, player, out):
    for cell in range(CELLS):
        out[cell] = state[2] >> cell & 1
        out[CELLS + (cell + 1) % CELLS] = state[3] >> cell & 1


class ShiftedPlanes(Mirrored):
    """Has a second plane whose cells are shifted against the board."""

    name = "shifted_planes"
    kernels = Mirrored.kernels._replace(encode=marks)

    def measure(self):
        return facts(symmetries=2, planes=(2, 3, 3))


@kernel("policy")
def by_column(setup, state, action, out):
    out[0] = action % 3


class CrowdedHead(TicTacToe):
    """Has one entry for all cells of a column."""

    name = "crowded_head"
    kernels = KERNELS._replace(policy=by_column)

    def measure(self):
        return facts(policy=(1, 1, 3))


@kernel("policy")
def own_cell(setup, state, action, out):
    out[0] = action


class NarrowHead(TicTacToe):
    name = "narrow_head"
    kernels = KERNELS._replace(policy=own_cell)

    def measure(self):
        return facts(policy=(2, 2, 2))


@kernel("policy")
def shuffled(setup, state, action, out):
    out[0] = 2 * action % CELLS


class ShuffledHead(Mirrored):
    """Has a policy head whose cells are in another order than those of the board."""

    name = "shuffled_head"
    kernels = Mirrored.kernels._replace(policy=shuffled)

    def measure(self):
        return facts(symmetries=2, policy=(1, 3, 3))


@kernel("policy")
def knowing(setup, state, action, out):
    out[0] = (action + state[1]) % 3


class KnowingHead(Secret):
    """Has entries that reveal what the second player has to guess."""

    name = "knowing_head"
    kernels = Secret.kernels._replace(policy=knowing)


class SameClicks(TicTacToe):
    """Has the same clicks, a column, for all cells of the column."""

    name = "same_clicks"

    def clicks(self, position, action):
        return (str(action % 3),)


class HastyClicks(TicTacToe):
    """Has clicks of one action that are the beginning of another's."""

    name = "hasty_clicks"

    def clicks(self, position, action):
        return ("a",) * (action + 1)


class OutsideClicks(TicTacToe):
    """Has clicks on cells that are not in the picture."""

    name = "outside_clicks"

    def clicks(self, position, action):
        return (action,)


@kernel("determinize")
def impossible(setup, state, player, random):
    if state[0] == 1:
        state[2] = 1  # as if the guess had already been made


class ImpossibleGuess(Secret):
    name = "impossible_guess"
    kernels = Secret.kernels._replace(determinize=impossible)


@kernel("observe")
def forgetting(setup, state, player):
    state[0] = 0


class BlindObserver(Secret):
    """The second player does not see that it is its turn."""

    name = "blind_observer"
    kernels = Secret.kernels._replace(observe=forgetting)


class Whimsical(TicTacToe):
    """Has a mark on the board in every second start of a seed."""

    name = "whimsical"
    asked: ClassVar = Counter()

    def begin(self, seed):
        self.asked[seed] += 1
        return [3, 3, 3], ([1, 0, 1, 0] if self.asked[seed] == 2 else [0, 0, 0, 0])


@kernel("key")
def wrapping(setup, state):
    product = (int(state[2]) + 1) * 0x5851F42D4C957F2D + int(state[3]) * 0x14057B7EF767814F
    return np.uint64(product // 3 & 0x7FFFFFFF) + np.uint64(state[2] << 32 | state[3] << 48)


class WrapsInCompiledCode(TicTacToe):
    """Relies on integer overflow, which plain Python does not have."""

    name = "wraps_in_compiled_code"
    kernels = KERNELS._replace(key=wrapping)
