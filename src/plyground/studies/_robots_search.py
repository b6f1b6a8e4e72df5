"""Many searches of the original Robot Reboot study at once, and games played by them.

A network is fast only in batches. So each row of a batch walks through the play-outs (see
`_robots_playouts`) of one search after the other, and waits wherever it meets a new state. Nothing
is random: a search depends on its position and the network alone.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.compile import Words
from plyground.game import Game
from plyground.studies._robots_playouts import (
    NO_SEARCH,
    SearchWorkspace,
    play_best,
    step_searches,
)

HALVES = 2
"""One half of the rows walks while the network evaluates the states of the other."""

ROWS_PER_THREAD = 128
"""A further thread is used for every so many rows: the steps of fewer are too short."""

Evaluate = Callable[[Words, Words], Any]
"""A network: takes the numbers of positions in a list, and a state of each of these games; returns
p for every action. The array may be still being computed, as JAX does: `np.asarray` waits."""


class _Half:
    """Rows that walk together, divided among threads; each thread has positions of its own."""

    def __init__(
        self, game: Game, setups: Words, roots: Words, values: NDArray[np.float32],
        positions: Words, playouts: int, guided: bool, rows: int, threads: int,
    ) -> None:  # fmt: skip
        self.states = np.zeros((rows, roots.shape[1]), np.int64)
        self.searches = np.full(rows, NO_SEARCH, np.int64)
        self.answers = np.zeros((rows, game.facts.actions), np.float32)
        self._parts = []
        for own, searched in zip(
            np.array_split(np.arange(rows), threads),
            np.array_split(positions, threads),
            strict=True,
        ):
            if len(own) and len(searched):
                of = slice(own[0], own[-1] + 1)
                fields = _fields(game, len(own), playouts) | {
                    "setups": setups.reshape(-1),
                    "roots": roots.reshape(-1),
                    "values": values.reshape(-1),
                    "first": searched[0],
                    "end": searched[-1] + 1,
                    "guided": guided,
                    "searches": self.searches[of],
                    "states": self.states[of].reshape(-1),
                    "answers": self.answers[of].reshape(-1),
                }
                self._parts.append(SearchWorkspace(**fields))

    @property
    def left(self) -> int:
        """How many positions are not searched yet, or being searched."""
        waiting = sum(part.end - part.first for part in self._parts)
        return waiting + int(np.count_nonzero(self.searches != NO_SEARCH))

    def step(self, pool: ThreadPoolExecutor) -> int:
        """Bring every row to its next new state; return how many wait there for an answer."""
        if len(self._parts) == 1:  # without waking another thread
            return int(step_searches(self._parts[0]))
        return sum(pool.map(step_searches, self._parts))


def _fields(game: Game, rows: int, playouts: int) -> dict[str, Any]:
    """Return the fields of a workspace that its rows need for themselves."""
    facts, (setup_size, state_size) = game.facts, game.sizes
    room = facts.branching * playouts * max(1, facts.longest - 1)
    slots = 1 << (2 * room).bit_length()
    places = rows * room * facts.actions
    numbers = "waiting", "counts", "tried", "played", "won", "depths", "used"
    return {name: np.zeros(rows, np.int64) for name in numbers} | {
        "rules": game.rules(None),
        "row_count": rows,
        "playouts": playouts,
        "setup_size": setup_size,
        "state_size": state_size,
        "action_count": facts.actions,
        "longest": facts.longest,
        "room": room,
        "slot_count": slots,
        "actions": np.zeros(rows * facts.actions, np.int64),
        "paths": np.zeros(rows * facts.longest, np.int64),
        "slots": np.zeros(rows * slots, np.int32),
        # The system provides memory only when it is written to: few searches use all of it.
        "keys": np.empty(rows * room, np.uint64),
        "priors": np.empty(places, np.float32),
        "visits": np.empty(places, np.uint16),
        "wins": np.empty(places, np.uint16),
        "legal": np.zeros(facts.branching, np.int64),
        "returns": np.zeros(facts.players),
    }


def search_all(
    game: Game,
    setups: Words,
    roots: Words,
    playouts: int,
    evaluate: Evaluate | None = None,
    *,
    rows: int = 64,
    threads: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> NDArray[np.float32]:
    """Return the value of every action in every position; without a network it is UCT.

    `rows` positions are searched at once in each of two halves; `evaluate` is always asked for so
    many states. At most `threads` threads are used. The moves made before a position do not count:
    its clock starts at 0.
    """
    roots = roots.copy()
    roots[:, game.facts.clock] = 0
    values = np.zeros((len(roots), game.facts.actions), np.float32)
    guided = evaluate is not None
    threads = min(threads, -(-rows // ROWS_PER_THREAD)) if guided else threads
    halves = [
        _Half(game, setups, roots, values, positions, playouts, guided, rows, threads)
        for positions in np.array_split(np.arange(len(roots)), HALVES)
    ]
    pending: dict[int, Any] = dict.fromkeys(range(HALVES))
    left = len(roots)
    with ThreadPoolExecutor(threads) as pool:
        while pending:
            for number in list(pending):
                half = halves[number]
                if pending[number] is not None:
                    half.answers[:] = np.asarray(pending[number])
                if half.step(pool) == 0 or evaluate is None:
                    del pending[number]
                else:
                    pending[number] = evaluate(np.maximum(half.searches, 0), half.states)
            if (now := sum(half.left for half in halves)) < left:
                left = now
                progress(len(roots) - left)
    return values


Judge = Callable[[Words, Words], NDArray[np.float32]]
"""Takes the numbers of games in a list, and their states; returns a value for each action."""


def play_all(game: Game, setups: Words, states: Words, judge: Judge) -> Words:
    """Play puzzles by their best-valued actions; return the scores: minus the moves, or the cap.

    A judge does not count moves, so a game that comes back to an earlier position would go round
    for ever: it is lost at once.
    """
    cap = game.facts.longest
    states = states.copy()
    scores = np.full(len(states), -cap, np.int64)
    seen: list[set[bytes]] = [set() for _ in states]
    open_games = np.arange(len(states))
    for move in range(1, cap + 1):
        going = []
        for number in open_games:
            place = states[number].copy()
            place[game.facts.clock] = 0
            if place.tobytes() not in seen[number]:
                seen[number].add(place.tobytes())
                going.append(number)
        open_games = np.array(going, np.intp)
        if not going:
            break
        moved = states[open_games]
        results = np.zeros(len(moved), np.int64)
        play_best(game.rules(None), setups[open_games], moved, judge(open_games, moved), results)
        states[open_games] = moved
        scores[open_games[results == 1]] = -move
        open_games = open_games[results == 0]
    return scores
