"""Positions of self-play by shallow searches, labelled for a learned evaluation.

Games begin with random moves and contain a few later on, so that positions differ. Each position
has two labels from the view of the player to move: the value that the search found, and what the
player got at the end of the game. Games, searches and moves are one compiled loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from plyground.agents.alphabeta import AlphaBeta
from plyground.arithmetic import derive_seed, random_below, random_real, random_stream
from plyground.compile import (
    Random,
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
)
from plyground.errors import OptionError
from plyground.game import Game, key_of
from plyground.search import alphabeta
from plyground.search.alphabeta import AlphaBetaWorkspace, negamax
from plyground.search.ordering import list_unpruned
from plyground.search.plies import NO_ACTION
from plyground.search.repetition import is_repeated, slot_of
from plyground.search.table import Table
from plyground.workspace import Workspace

OPENING = 3, 12
"""The fewest and the most random plies at the start."""

ASTRAY = 0.03
"""The share of later moves that are random."""

DEPTH = 3
"""Plies of the searches, where the agent does not set them."""

TABLE_BITS = 12
"""The size of a game's transposition table: searches of few plies fill no larger one."""


class LineWorkspace(Workspace):
    """One game of self-play."""

    current: Words
    """The state of the game, of which a search may see only a part."""
    states: Words
    values: Reals
    players: Words
    """For each ply the state, the value that the search found, and who was to move."""
    random: Random
    depth: int
    opening: int
    longest: int
    hidden: int


@helper
def set_root(work, line):
    """Make the game's position the root of a search, with hidden information guessed."""
    rules, setup = work.rules, work.setup
    for word in range(work.state_size):
        work.states[word] = line.current[word]
    player = call_player(rules, setup, line.current)
    if line.hidden:
        call_observe(rules, setup, work.states, player)
        call_determinize(rules, setup, work.states, player, line.random)
    work.root_player = player
    work.side = np.int64(1) << player
    work.generation += 1
    work.since = work.generation
    return player


@helper
def search_root(work, deepest):
    """Return the root's value; the best action is the first of `lines`."""
    value = 0.0
    for depth in range(1, deepest + 1):
        value = negamax(work, np.int64(depth), np.int64(0), np.int64(1), -np.inf, np.inf)
    return value


@loop("i8(search, line)", search=AlphaBetaWorkspace, line=LineWorkspace)
def play_line(work, line):
    """Play one game, noting every ply after the opening; return how many were noted.

    `returns` has the result. A repeated position ends the game as a draw.
    """
    rules, setup, size, current = work.rules, work.setup, work.state_size, line.current
    noted = np.int64(0)
    for ply in range(line.longest):
        if call_over(rules, setup, current):
            call_returns(rules, setup, current, work.returns)
            return noted
        key = key_of(rules, setup, current, size)
        if work.repetition and is_repeated(work.keys, work.seen, work.past, key):
            break
        player = set_root(work, line)
        action = np.int64(NO_ACTION)
        if ply >= line.opening:
            line.values[noted] = search_root(work, line.depth)
            action = work.lines[0]
            line.players[noted] = player
            for word in range(size):
                line.states[noted * size + word] = current[word]
            noted += 1
        if action == NO_ACTION or random_real(line.random) < ASTRAY:
            count = list_unpruned(rules, setup, work.states, work.actions)
            action = work.actions[random_below(line.random, count)]
        if work.repetition:
            work.keys[work.past] = np.int64(key)
            work.seen[slot_of(key)] += 1
            work.past += 1
        call_play(rules, setup, current, action)
    for player in range(2):
        work.returns[player] = 0.0
    return noted


class Examples(NamedTuple):
    """Labelled positions; labels are from the view of the player to move."""

    setups: NDArray[np.int64]
    """One row per game."""
    game: NDArray[np.int32]
    """The row of `setups` of each position; the following fields have one row per position too."""
    states: NDArray[np.int64]
    values: NDArray[np.float32]
    """What the search found; proved wins and losses are 1 and -1."""
    results: NDArray[np.float32]
    """What the player got in the end."""

    def chosen(self, kept: NDArray[np.bool_]) -> Self:
        """Return some of the positions."""
        parts = (self.game[kept], self.states[kept], self.values[kept], self.results[kept])
        return type(self)(self.setups, *parts)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return several parts as one."""
        shifts = np.cumsum([0, *(len(part.setups) for part in parts[:-1])])
        moved = [
            part._replace(game=part.game + np.int32(shift))
            for part, shift in zip(parts, shifts, strict=True)
        ]
        return cls(*(np.concatenate(fields) for fields in zip(*moved, strict=True)))


def play_examples(
    game: Game, agent: AlphaBeta, count: int, seed: int, longest: int | None = None
) -> Examples:
    """Return at least `count` positions of games that an agent plays against itself.

    The agent's options set the depth, the evaluation and the advice of the searches. A game of more
    than `longest` plies counts as a draw.
    """
    if game.facts.players != 2 or not game.facts.zero_sum:
        raise OptionError(f"{game}: an evaluation is learned from games of two players, zero-sum")
    agent.prepare(game)
    longest = min(longest or game.facts.longest, game.facts.longest)
    parts: list[Examples] = []
    while count > 0:
        parts.append(_play_one(game, agent, longest, derive_seed(seed, len(parts))))
        count -= len(parts[-1].states)
    return Examples.joined(parts)


def _play_one(game: Game, agent: AlphaBeta, longest: int, seed: int) -> Examples:
    start, stream = game.start(seed), random_stream(seed)
    depth = agent.depth or DEPTH
    quiet = agent.quiet if game.advisor("loud", agent.loud) is not None else 0
    hidden = (game.kernels.observe, game.kernels.determinize) if game.facts.hidden else ()
    work = alphabeta.workspace(
        start, agent.rules(game, *hidden), game.evaluator(agent.evaluate), Table(TABLE_BITS),
        depth=depth, quiet=quiet, switches=agent.switches(game),
    )  # fmt: skip
    work.keys = np.zeros(longest + len(work.keys), np.int64)
    fewest, most = OPENING
    size = game.sizes[1]
    line = LineWorkspace(
        current=start.state.copy(),
        states=np.empty(longest * size, np.int64),
        values=np.empty(longest),
        players=np.empty(longest, np.int64),
        random=stream,
        depth=depth,
        opening=fewest + int(random_below(stream, most - fewest + 1)),
        longest=longest,
        hidden=game.facts.hidden,
    )
    noted = int(play_line(work, line))
    return Examples(
        start.setup[np.newaxis],
        np.zeros(noted, np.int32),
        line.states[: noted * size].reshape(noted, size),
        np.clip(line.values[:noted], -1, 1).astype(np.float32),
        work.returns[line.players[:noted]].astype(np.float32),
    )
