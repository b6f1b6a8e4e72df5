"""Many games played at once by the trees of a forest: every move in compiled code.

A step brings every game to the next leaf that needs the network. When the simulations of a move
are done, the step records and plays the move and plants the tree in the new position, so that every
row of every batch is used. A finished game keeps its place until a new one is put there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plyground.compile import (
    Reals,
    Words,
    call_determinize,
    call_observe,
    call_over,
    call_play,
    call_player,
    call_returns,
    helper,
    loop,
    offset,
)
from plyground.errors import GameError
from plyground.game import Game, key_of
from plyground.learn.samples import Samples, replayed
from plyground.learn.starts import Dealt
from plyground.search.batch import (
    ForestWorkspace,
    conclude,
    open_tree,
    plant,
    reach_leaf,
    take_evaluation,
    write_leaf,
)
from plyground.search.forest import Forest, Gumbel, Puct
from plyground.search.repetition import slot_of
from plyground.workspace import Workspace

# In compiled code ---------------------------------------------------------------------------------

EMPTY, READY, GOING_ON, OVER, TOO_LONG = range(5)
"""The status of a place: no game; a first position; a game in progress; a finished game; a game
with more plies than the facts of the game allow."""


class GamesWorkspace(Workspace):
    """The games of a part of a forest."""

    status: Words
    states: Words
    plies: Words
    returns: Reals
    past_actions: Words
    """The actions of all plies so far; each game has space for `longest`."""
    past_policies: NDArray[np.float32]
    """The policies that the search found there."""
    longest: int
    hidden: int


@helper
def begin(games, row, work):
    """Begin the game whose first position was written before."""
    games.plies[row] = 0
    if work.repetition:
        for index in range(work.past):
            work.seen[slot_of(work.keys[index])] -= 1
        work.past = 0
    games.status[row] = GOING_ON
    go_on(games, row, work)


@helper
def go_on(games, row, work):
    """Plant the game's tree in its position, determinized for its player, or end the game."""
    rules, setup, size = work.rules, work.setup, work.state_size
    state = offset(games.states, row * size)
    if call_over(rules, setup, state):
        call_returns(rules, setup, state, offset(games.returns, row * work.player_count))
        games.status[row] = OVER
        return
    if games.plies[row] == games.longest:
        games.status[row] = TOO_LONG
        return
    for word in range(size):
        work.root[word] = state[word]
    if games.hidden:
        player = call_player(rules, setup, state)
        call_observe(rules, setup, work.root, player)
        call_determinize(rules, setup, work.root, player, work.random)
    plant(work)


@helper
def key_at(games, row, work):
    """Return the key of a game's position."""
    state = offset(games.states, row * work.state_size)
    return np.int64(key_of(work.rules, work.setup, state, work.state_size))


@helper
def is_drawn(games, row, work):
    """Return whether repetition ends the game without a winner."""
    key = key_at(games, row, work)
    times = 1
    if work.seen[slot_of(key)] > 0:
        for index in range(work.past):
            times += work.keys[index] == key
    return times >= work.repetition


@helper
def note_position(games, row, work):
    """Add the position to the game's past."""
    key = key_at(games, row, work)
    work.keys[work.past] = key
    work.seen[slot_of(key)] += 1
    work.past += 1


@helper
def move(forest, games, row, work):
    """Record the position and the policy of a finished search, and play the chosen action."""
    ply, branching = games.plies[row], work.branching
    state = offset(games.states, row * work.state_size)
    kept = row * games.longest + ply
    for index in range(branching):
        games.past_policies[kept * branching + index] = forest.policies[row * branching + index]
    if work.repetition:
        note_position(games, row, work)
    child = np.int64(work.tree[0]["first"]) + forest.choices[row]
    action = np.int64(work.tree[child]["action"])
    games.past_actions[kept] = action
    call_play(work.rules, work.setup, state, action)
    games.plies[row] = ply + 1
    if work.repetition and is_drawn(games, row, work):
        for player in range(work.player_count):
            games.returns[row * work.player_count + player] = 0.0
        games.status[row] = OVER
    else:
        go_on(games, row, work)


@loop("none(forest, games)", forest=ForestWorkspace, games=GamesWorkspace)
def play_games(forest, games):
    """Bring every game to the next leaf that needs the network, or to its end."""
    for row in range(forest.rows):
        work = open_tree(forest.trees[row])
        if games.status[row] == READY:
            begin(games, row, work)
        elif games.status[row] == GOING_ON:
            take_evaluation(forest, row, work)
        while games.status[row] == GOING_ON:
            if reach_leaf(work, forest.limit):
                write_leaf(forest, row, work)
                break
            conclude(forest, row, work, games.plies[row])
            move(forest, games, row, work)


# From Python --------------------------------------------------------------------------------------


class Games:
    """A fixed number of games in progress; the caller evaluates each step's batch."""

    def __init__(
        self,
        game: Game,
        places: int,
        simulations: int,
        rule: Puct | Gumbel,
        *,
        seed: int,
    ) -> None:
        facts, size = game.facts, game.sizes[1]
        self.game = game
        self.forest = Forest(game, places, simulations, rule, seed=seed)
        self.seeds = np.zeros(places, np.uint64)
        self.starts, self.states = (np.zeros((places, size), np.int64) for _ in range(2))
        self.status = np.full(places, EMPTY, np.int64)
        self.plies = np.zeros(places, np.int64)
        self.returns = np.zeros((places, facts.players))
        # The system provides memory only when it is written to: few games have the longest length.
        self._past_actions = np.empty((places, facts.longest), np.int64)
        self._past_policies = np.empty((places, facts.longest, facts.branching), np.float32)
        self._work = GamesWorkspace(
            status=self.status,
            states=self.states.reshape(-1),
            plies=self.plies,
            returns=self.returns.reshape(-1),
            past_actions=self._past_actions.reshape(-1),
            past_policies=self._past_policies.reshape(-1),
            longest=facts.longest,
            hidden=facts.hidden,
        )

    @property
    def vacant(self) -> Words:
        """The places whose games are over or have never begun."""
        return np.flatnonzero((self.status == EMPTY) | (self.status == OVER))

    @property
    def active(self) -> Words:
        """The places whose games wait for the network."""
        return np.flatnonzero(self.status == GOING_ON)

    def begin(self, places: Words, dealt: Dealt) -> None:
        """Put the first positions of new games into vacant places."""
        self.seeds[places], self.forest.setups[places], self.starts[places] = dealt
        self.states[places] = self.starts[places]
        self.status[places] = READY

    def step(self) -> None:
        """Bring all games to their next leaves; the network's input is in `forest`."""
        play_games(self.forest.work, self._work)
        if (self.status == TOO_LONG).any():
            longest = self.game.facts.longest
            raise GameError(f"{self.game}: a game has more than its longest={longest} plies")

    def finished(self) -> Samples:
        """Return the games that are over, in the order of their places, and empty these."""
        over = np.flatnonzero(self.status == OVER)
        self.status[over] = EMPTY
        lengths = self.plies[over]
        number = np.repeat(over, lengths)
        ply = np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        samples = replayed(
            self.game, self.forest.setups[over], self.starts[over],
            seeds=self.seeds[over], lengths=lengths,
            played=self._past_actions[number, ply].astype(np.int32),
            policy=self._past_policies[number, ply],
            values=self.returns[number].astype(np.float32),
        )  # fmt: skip
        if samples is None:
            raise GameError(f"{self.game}: a game played again differs: `play` is not repeatable")
        return samples
