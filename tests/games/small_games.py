"""Small games with three players, a second turn in a row, hidden information and repetition."""

import numpy as np

from plyground import Facts, Game, Kernels, kernel, mix, option, random_below


@kernel("player")
def race_player(setup, state):
    return state[1]


@kernel("legal")
def race_legal(setup, state, out):
    count = min(state[0], 3)
    for taken in range(count):
        out[taken] = taken
    return count


@kernel("play")
def race_play(setup, state, action):
    state[0] -= action + 1
    state[2] = state[1]
    if not (setup[1] == 1 and action == 0):
        state[1] = (state[1] + 1) % setup[0]


@kernel("over")
def race_over(setup, state):
    return state[0] == 0


@kernel("returns")
def race_returns(setup, state, out):
    for player in range(setup[0]):
        out[player] = 1.0 if player == state[2] else -1.0 / (setup[0] - 1)


class Race(Game):
    """Take 1 to 3 counters; who takes the last one wins."""

    name = "race"
    kernels = Kernels(race_player, race_legal, race_play, race_over, race_returns)

    players: int = option(3, low=2, high=4)
    heap: int = option(10, low=1, high=50)
    again: bool = option(False, help="who takes one counter moves again")

    def measure(self):
        return Facts(players=self.players, actions=3, branching=3, longest=self.heap)

    def begin(self, seed):
        return [self.players, int(self.again)], [self.heap, 0, -1]


# A secret ---------------------------------------------------------------------------------------


@kernel("player")
def secret_player(setup, state):
    return min(state[0], 1)


@kernel("legal")
def secret_legal(setup, state, out):
    for number in range(3):
        out[number] = number
    return 3


@kernel("play")
def secret_play(setup, state, action):
    state[0] += 1
    state[state[0]] = action


@kernel("over")
def secret_over(setup, state):
    return state[0] == 2


@kernel("returns")
def secret_returns(setup, state, out):
    out[1] = 1.0 if state[1] == state[2] else -1.0
    out[0] = -out[1]


@kernel("observe")
def secret_observe(setup, state, player):
    if player == 1 and state[0] == 1:
        state[1] = -1


@kernel("determinize")
def secret_determinize(setup, state, player, random):
    if state[0] == 1 and state[1] == -1:
        state[1] = random_below(random, 3)


class Secret(Game):
    """The first player thinks of a number from 0 to 2, the second guesses it."""

    name = "secret"
    kernels = Kernels(
        secret_player, secret_legal, secret_play, secret_over, secret_returns,
        observe=secret_observe, determinize=secret_determinize,
    )  # fmt: skip

    def measure(self):
        return Facts(players=2, actions=3, branching=3, longest=2, hidden=True)

    def begin(self, seed):
        return [0], [0, -1, -1]


# Repetition -------------------------------------------------------------------------------------


@kernel("player")
def ring_player(setup, state):
    return state[1]


@kernel("legal")
def ring_legal(setup, state, out):
    out[0], out[1] = 0, 1
    return 2


@kernel("play")
def ring_play(setup, state, action):
    state[0] = (state[0] + 2 * action - 1) % 4
    state[1] = 1 - state[1]
    state[2] += 1


@kernel("over")
def ring_over(setup, state):
    return state[2] == 100


@kernel("returns")
def ring_returns(setup, state, out):
    out[0] = out[1] = 0.0


@kernel("key")
def ring_key(setup, state):
    return mix(mix(np.uint64(1), state[0]), state[1])


class Ring(Game):
    """Move a token left or right round a ring of four; the third time in one place ends it."""

    name = "ring"
    kernels = Kernels(ring_player, ring_legal, ring_play, ring_over, ring_returns, ring_key)

    def measure(self):
        return Facts(players=2, actions=2, branching=2, longest=100, repetition=3, clock=2)

    def begin(self, seed):
        return [0], [0, 0, 0]
