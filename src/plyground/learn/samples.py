"""Training data: positions with a policy and values, kept in files, drawn in random batches.

A file holds no states, but the seeds of games' starts and the actions that were played. To read it
is to play the games again by the rules: whatever a file says, kernels see only states that the
rules themselves have made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.arrays import ArraysError, read_arrays
from plyground.compile import (
    Words,
    call_legal,
    call_over,
    call_play,
    call_player,
    loop,
)
from plyground.errors import PlygroundError, TextError
from plyground.game.planes import InputWorkspace, image_space, input_fields, write_image

if TYPE_CHECKING:
    from plyground.game import Game
    from plyground.learn.starts import Dealt

SUFFIX = ".samples.npz"

TOLERANCE = 1e-6
"""How far rounding may carry a value beyond 1."""

PARTS = 16
"""A batch is drawn from so many files."""


class Samples(NamedTuple):
    """Games from their starts, each position with what a network is to answer there."""

    seeds: NDArray[np.uint64]
    """The seed of each game's start."""
    setups: NDArray[np.int64]
    """One row per game."""
    game: NDArray[np.int32]
    """The row of `setups` of each position; the following fields have one row per position too."""
    states: NDArray[np.int64]
    players: NDArray[np.int8]
    """Who is to move."""
    actions: NDArray[np.int32]
    """All legal actions, and -1 in the columns beyond."""
    played: NDArray[np.int32]
    """The action that was played."""
    policy: NDArray[np.float32]
    """The share of each legal action; all 0: not known, such a position is not learned from."""
    values: NDArray[np.float32]
    """What each player gets."""

    @property
    def size(self) -> int:
        """Return how many positions there are."""
        return len(self.game)

    def save(self, path: Path) -> None:
        """Write a file; it is there whole or not at all."""
        partial = path.with_suffix(".partial")
        try:
            with partial.open("wb") as file:
                np.savez(
                    file, seeds=self.seeds, lengths=np.bincount(self.game), played=self.played,
                    policy=self.policy, values=self.values,
                )  # fmt: skip
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise PlygroundError(f"{path} cannot be written: {error.strerror}") from None

    @classmethod
    def load(cls, path: Path, game: Game, deal: Callable[[list[int]], Dealt]) -> Samples:
        """Read what `save` wrote, and play its games again from the starts that are dealt."""
        try:
            fields = read_arrays(path, KINDS)
        except ArraysError as error:
            raise TextError(f"{path}: not a file of samples ({error}): delete it") from None
        wrong = _wrong_field(game, fields)
        if wrong:
            raise TextError(f"{path}: {wrong} are not those of {game}: delete the file")
        _, setups, states = deal(fields["seeds"].tolist())
        samples = replayed(game, setups, states, **fields)
        if samples is None or samples.policy[samples.actions < 0].any():
            raise TextError(f"{path}: its games break the rules of {game}: delete the file")
        return samples


KINDS = {
    "seeds": np.uint64, "lengths": np.int64, "played": np.int32, "policy": np.float32,
    "values": np.float32,
}  # fmt: skip
"""The fields of a file and their types."""


def _wrong_field(game: Game, fields: dict[str, NDArray[np.generic]]) -> str | None:
    """Return the name of a field whose shape or numbers are wrong."""
    count, facts = len(np.atleast_1d(fields["played"])), game.facts
    games = len(np.atleast_1d(fields["seeds"]))
    shapes = {
        "seeds": (games,), "lengths": (games,), "played": (count,),
        "policy": (count, facts.branching), "values": (count, facts.players),
    }  # fmt: skip
    for name, shape in shapes.items():
        if fields[name].shape != shape:
            return name
    lengths, policy, values = (np.asarray(fields[name]) for name in ("lengths", "policy", "values"))
    if (lengths < 1).any() or (lengths > facts.longest).any() or lengths.sum() != count:
        return "lengths"
    if not (np.isfinite(policy).all() and (policy >= 0.0).all()):
        return "policy"
    return None if (np.abs(values) <= 1.0 + TOLERANCE).all() else "values"


def joined(parts: Iterable[Samples]) -> Samples:
    """Return the samples of several parts as one."""
    parts = list(parts)
    shifts = np.cumsum([0, *(len(part.setups) for part in parts[:-1])])
    moved = [
        part._replace(game=part.game + np.int32(shift))
        for part, shift in zip(parts, shifts, strict=True)
    ]
    return Samples(*(np.concatenate(fields) for fields in zip(*moved, strict=True)))


@loop("i8(rules, setups, states, words, words, words2, words2, words)")
def _replay(rules, setups, starts, lengths, played, states, actions, players):  # type: ignore[no-untyped-def]
    """Write the states of games, their legal actions and players; return whether all is legal."""
    row = 0
    for game in range(len(starts)):
        setup = setups[game]
        for word in range(states.shape[1]):
            states[row, word] = starts[game, word]
        for ply in range(lengths[game]):
            state = states[row]
            if call_over(rules, setup, state):
                return 0
            players[row] = call_player(rules, setup, state)
            count, legal = call_legal(rules, setup, state, actions[row]), 0
            for index in range(count):
                legal += actions[row, index] == played[row]
            for index in range(count, actions.shape[1]):
                actions[row, index] = -1
            if legal == 0:
                return 0
            row += 1
            if ply + 1 < lengths[game]:
                for word in range(states.shape[1]):
                    states[row, word] = state[word]
                call_play(rules, setup, states[row], played[row - 1])
    return 1


def replayed(
    game: Game,
    setups: Words,
    starts: Words,
    *,
    seeds: NDArray[np.uint64],
    lengths: Words,
    played: NDArray[np.int32],
    policy: NDArray[np.float32],
    values: NDArray[np.float32],
) -> Samples | None:
    """Return the samples of games that are played again; None where an action is not legal.

    The starts must be positions of the game; numbers and sizes must fit each other.
    """
    count, facts = len(played), game.facts
    states = np.empty((count, starts.shape[1]), np.int64)
    actions, players = np.empty((count, facts.branching), np.int64), np.empty(count, np.int64)
    rules = game.rules(None)
    wide = played.astype(np.int64)
    if not _replay(rules, setups, starts, lengths, wide, states, actions, players):
        return None
    number = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    rows = players.astype(np.int8), actions.astype(np.int32), played, policy, values
    return Samples(seeds, setups, number, states, *rows)


class Batch(NamedTuple):
    """What a training step sees, one row per position."""

    planes: NDArray[np.uint16]
    """The bits of bfloat16 numbers."""
    entries: NDArray[np.int32]
    """The entries of each legal action in the policy head."""
    policy: NDArray[np.float32]
    legal: NDArray[np.bool_]
    values: NDArray[np.float32]
    """The values of the players, the one to move first."""


@loop("none(input, setups, words, states, words, words, words2, words)", input=InputWorkspace)
def _write_batch(work, setups, games, states, players, symmetries, actions, image):  # type: ignore[no-untyped-def]
    """Write the planes of positions and the entries of their actions, under symmetries."""
    for row in range(len(states)):
        setup, listed, count = setups[games[row]], actions[row], 0
        while count < len(listed) and listed[count] >= 0:
            count += 1
        player, symmetry = players[row], symmetries[row]
        write_image(work, row, setup, states[row], player, listed, count, symmetry, image)


def make_batch(
    game: Game, samples: Samples, rows: NDArray[np.intp], symmetries: NDArray[np.int64]
) -> Batch:
    """Return the training data of some rows, each seen under a symmetry of the game."""
    facts, count = game.facts, len(rows)
    work = InputWorkspace(**input_fields(game, count, images=facts.symmetries > 1))
    actions, players = samples.actions[rows], samples.players[rows]
    numbers = (samples.game[rows], players, actions)
    games, seats, wide = (np.ascontiguousarray(each, np.int64) for each in numbers)
    states, image = samples.states[rows], image_space(game)
    _write_batch(work, samples.setups, games, states, seats, symmetries, wide, image)
    order = (players[:, np.newaxis] + np.arange(facts.players)) % facts.players
    return Batch(
        work.planes.reshape(count, *game.plane_shape),
        work.entries.reshape(count, facts.branching, facts.policy_parts),
        samples.policy[rows],
        actions >= 0,
        np.take_along_axis(samples.values[rows], order, axis=1),
    )


def widened(batch: Batch, actions: int) -> Batch:
    """Return a batch with columns for so many actions: a learner is compiled for each shape."""
    beyond = (0, 0), (0, actions - batch.legal.shape[1])
    return batch._replace(
        entries=np.pad(batch.entries, (*beyond, (0, 0))),
        policy=np.pad(batch.policy, beyond),
        legal=np.pad(batch.legal, beyond),
    )


def blank_batch(game: Game, rows: int) -> Batch:
    """Return a batch of zeros."""
    facts = game.facts
    return Batch(
        np.zeros((rows, *game.plane_shape), np.uint16),
        np.zeros((rows, facts.branching, facts.policy_parts), np.int32),
        np.zeros((rows, facts.branching), np.float32),
        np.zeros((rows, facts.branching), np.bool_),
        np.zeros((rows, facts.players), np.float32),
    )


class Replay:
    """The most recent files of samples, in memory."""

    def __init__(self, game: Game, capacity: int) -> None:
        self.game, self.capacity = game, capacity
        self._files: dict[int, tuple[Samples, NDArray[np.intp]]] = {}
        """Samples by the number of their file, each with the rows that can be learned from."""

    def __len__(self) -> int:
        return sum(samples.size for samples, _ in self._files.values())

    @property
    def oldest(self) -> int:
        """Return the number of the oldest file."""
        return next(iter(self._files), 0)

    def add(self, number: int, samples: Samples) -> None:
        """Take up the samples of a file; drop the oldest ones beyond the capacity."""
        self._files[number] = samples, np.flatnonzero(samples.policy.any(axis=1))
        while len(self._files) > 1 and len(self) > self.capacity:
            del self._files[self.oldest]

    def batch(self, size: int, random: np.random.Generator) -> Batch:
        """Return random rows, each under a random symmetry."""
        files, symmetries = list(self._files.values()), self.game.facts.symmetries
        weights = np.array([len(rows) for _, rows in files], float)
        chosen = random.choice(len(files), PARTS, True, weights / weights.sum())
        sizes = [len(part) for part in np.array_split(np.arange(size), len(chosen))]
        jobs = [
            (samples, random.choice(rows, count), random.integers(symmetries, size=count))
            for (samples, rows), count in zip((files[each] for each in chosen), sizes, strict=True)
        ]
        made = [make_batch(self.game, *job) for job in jobs]
        return Batch(*(np.concatenate(fields) for fields in zip(*made, strict=True)))
