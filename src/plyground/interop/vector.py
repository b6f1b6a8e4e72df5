"""Many games of one kind that are stepped by one call: an environment for learners.

    games = GameVectorEnv("connect_n", 4096)
    batch = games.reset(seed=1)
    while learning:
        batch = games.step(choose(batch.planes, batch.masks))

It needs NumPy alone; its arrays can be handed on by DLPack.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from plyground.arithmetic import derive_seed
from plyground.compile import Function, Planes, Words, prepare
from plyground.errors import GameError, IllegalActionError, OptionError
from plyground.game import Game, Position
from plyground.game.numbers import whole
from plyground.game.planes import encode_states
from plyground.games import load_game
from plyground.interop.vector_steps import (
    FORFEIT,
    VectorWorkspace,
    begin_games,
    first_illegal,
    step_games,
)
from plyground.text import one_line

__all__ = ["FORFEIT", "Batch", "GameVectorEnv"]

ALIGNMENT = 64
"""Bytes; what JAX asks of memory that it takes over by DLPack without a copy."""
PARTS = 4
"""Into how many parts per thread the games are divided: a thread that is held up does fewer."""
SMALLEST = 64
"""Games in a part at least."""

Flags = npt.NDArray[np.bool_]


class Batch(NamedTuple):
    """What learners see of all games, one row each.

    The arrays are the environment's own memory: the next step or reset writes into the same ones.
    """

    planes: Planes
    """What the player to move sees: (games, planes, rows, columns), as `game.encode` returns it."""
    masks: Flags
    """Which actions are legal: (games, actions)."""
    players: Words
    """Who is to move."""
    rewards: Planes
    """The returns of the games that ended with this step: (games, players); zeros for others."""
    ended: Flags
    """Which games ended with this step; all else in their rows is of the games begun since."""


class GameVectorEnv:
    """Games of one kind, each of which is followed by a new one in the same row.

    All players of a game act through the same row, whoever is to move. Where players move at once,
    they are asked one after the other, and the later one does not see what the earlier one chose.
    """

    def __init__(
        self, game: str | Game, count: int, *, starts: int = 256, threads: int | None = None
    ) -> None:
        """Make an environment of `count` games, all of them still to be begun by `reset`.

        New games begin with one of so many `starts` that `reset` draws. All processors are used,
        or so many `threads`; what happens in the games does not depend on their number.
        """
        self.game = load_game(game) if isinstance(game, str) else game
        self.count = _at_least_one("count", count)
        self._starts = _at_least_one("starts", starts)
        self._threads = _at_least_one("threads", _processors() if threads is None else threads)
        self.game.prepare()
        prepare(first_illegal, begin_games, step_games)
        self._pool = ThreadPoolExecutor(max(1, self._threads - 1), "plyground-vector")
        self._work: VectorWorkspace | None = None
        facts = self.game.facts
        self._batch = Batch(
            _aligned((count, *facts.planes), np.float32),
            _aligned((count, facts.actions), np.bool_),
            _aligned((count,), np.int64),
            _aligned((count, facts.players), np.float32),
            _aligned((count,), np.bool_),
        )

    def reset(self, seed: int | None = None) -> Batch:
        """Begin all games anew.

        A seed determines the starts and the order in which each game takes them. Without one,
        games begin with the starts there are; the first time these are drawn at random.
        """
        if self._work is None or seed is not None:
            drawn = int.from_bytes(os.urandom(8)) if seed is None else seed
            self._work = self._memory(drawn)
        self._run(begin_games, self._work)
        return self._batch

    def step(self, actions: Any) -> Batch:
        """Play one action in each game, by its player to move.

        FORFEIT in the place of an action gives that game up. If an action is not legal nothing is
        played in any game.
        """
        work = self._begun()
        work.actions[:] = self._checked(actions)
        wrong = first_illegal(work, 0, self.count)
        if wrong < self.count:
            try:
                self.position(wrong).play(int(work.actions[wrong]))
            except IllegalActionError as error:
                raise IllegalActionError(f"game {wrong}: {error}") from None
        self._run(step_games, work)
        return self._batch

    def are_legal(self, actions: Any) -> Flags:
        """Return which of the actions are legal, one per game.

        `step(np.where(games.are_legal(actions), actions, FORFEIT))` lets an illegal action lose.
        """
        work, given = self._begun(), self._checked(actions)
        legal = work.legal.reshape(self.count, -1)
        used = np.arange(work.branching) < work.counts[:, np.newaxis]
        found: Flags = ((legal == given[:, np.newaxis]) & used).any(1)
        return found

    def position(self, row: int) -> Position:
        """Return the position of one game; it knows nothing of what was played before."""
        work = self._begun()
        number = whole(row)
        if number not in range(self.count):
            raise OptionError(
                f"game {one_line(repr(row), 60)}: this environment has games 0 to {self.count - 1}"
            )
        setup = self._setups[work.state_setups[number]]
        return self.game._trusted(setup, work.states.reshape(self.count, -1)[number])

    def states(self) -> Words:
        """Return the words of all states, one row per game, for games that have no planes.

        What is hidden from players is in them.
        """
        return self._begun().states.reshape(self.count, -1).copy()

    def last_planes(self) -> Planes:
        """Return the planes of the last positions of the games that ended with the last step.

        They are in the order of the rows, each seen by the player who would be to move.
        """
        work = self._begun()
        rows = np.flatnonzero(work.last_setups >= 0)
        setups = self._setups[work.last_setups[rows]]
        return encode_states(self.game, setups, work.last_states.reshape(self.count, -1)[rows])

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _begun(self) -> VectorWorkspace:
        """Return the memory of the games, which `reset` must have begun."""
        if self._work is None:
            raise OptionError(f"{self.game}: call reset before anything else")
        return self._work

    def _memory(self, seed: int) -> VectorWorkspace:
        """Return memory for all games, with the starts of a seed."""
        game, count, facts = self.game, self.count, self.game.facts
        starts = [game.start(derive_seed(seed, number)) for number in range(self._starts)]
        for start in starts:
            if start.is_over:
                raise GameError(f"{game}: the game is over at its start, {start.to_text()!r}")
        setups = {start.setup.tobytes(): start.setup for start in starts}
        numbers = {content: number for number, content in enumerate(setups)}
        self._setups = np.stack(list(setups.values()))
        setup_size, state_size = game.sizes
        shows_planes = game.kernels.encode is not None
        plies = facts.longest + 1 if facts.repetition else 0
        return VectorWorkspace(
            rules=game.rules_with("encode") if shows_planes else game.rules(),
            setups=self._setups.reshape(-1),
            starts=np.concatenate([start.state for start in starts]),
            start_setups=np.array([numbers[start.setup.tobytes()] for start in starts], np.int64),
            random=np.array([derive_seed(seed, 0, row) for row in range(count)], np.uint64),
            states=np.zeros(count * state_size, np.int64),
            state_setups=np.zeros(count, np.int64),
            last_states=np.zeros(count * state_size, np.int64),
            last_setups=np.zeros(count, np.int64),
            actions=np.zeros(count, np.int64),
            legal=np.zeros(count * facts.branching, np.int64),
            counts=np.zeros(count, np.int64),
            keys=np.zeros(count * plies, np.int64),
            plies=np.zeros(count, np.int64),
            returns=np.zeros(count * facts.players),
            planes=self._batch.planes.reshape(-1),
            masks=self._batch.masks.reshape(-1).view(np.int8),
            players=self._batch.players,
            rewards=self._batch.rewards.reshape(-1),
            ended=self._batch.ended.view(np.int8),
            start_count=len(starts),
            setup_size=setup_size,
            state_size=state_size,
            branching=facts.branching,
            action_count=facts.actions,
            player_count=facts.players,
            plane_size=int(np.prod(facts.planes)) if shows_planes else 0,
            repetition=facts.repetition,
            key_count=plies,
        )

    def _run(self, loop: Function, work: VectorWorkspace) -> None:
        """Run a loop over all games, in this thread and in others.

        Each thread begins with the rows that it had the last time, which are in its processor's
        cache, and then helps with what others have not begun.
        """
        size = max(SMALLEST, -(-self.count // (PARTS * self._threads)))
        parts = [iter((first,)) for first in range(0, self.count, size)]  # taken by one thread only

        def run_parts(own: int) -> None:
            for part in (*parts[own:], *parts[:own]):
                for first in part:
                    loop(work, first, min(first + size, self.count))

        others = [self._pool.submit(run_parts, own) for own in range(PARTS, len(parts), PARTS)]
        try:
            run_parts(0)
        finally:  # also when it is interrupted: no thread may write on after the call
            for other in others:
                if not other.cancel():  # one that has not begun yet has nothing left to do
                    other.result()

    def _checked(self, actions: Any) -> npt.NDArray[np.integer[Any]]:
        """Return the actions as an array, of which there must be one per game."""
        given = np.asarray(actions)
        fits = given.dtype.kind in "iu" and np.can_cast(given.dtype, np.int64)
        if given.shape != (self.count,) or not fits:
            wanted = f"integers of shape ({self.count},) are needed"
            raise OptionError(f"actions: {given.dtype} of shape {given.shape}; {wanted}")
        return given


def _aligned(shape: Sequence[int], dtype: Any) -> Any:
    """Return zeros that begin at a multiple of ALIGNMENT."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + ALIGNMENT, np.int8)
    first = -memory.ctypes.data % ALIGNMENT
    return memory[first : first + size].view(dtype).reshape(shape)


def _at_least_one(name: str, number: int) -> int:
    if not isinstance(number, int) or number < 1:
        raise OptionError(f"{name}={number!r}: a whole number, at least 1")
    return number


def _processors() -> int:
    """Return how many processors this process may use."""
    known = hasattr(os, "sched_getaffinity")  # not on macOS and Windows
    return len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
