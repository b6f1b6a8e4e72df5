"""Training data: positions with a policy and values, kept in files, drawn in random batches."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.compile import call_image, call_image_action, loop
from plyground.errors import BadText, PlygroundError
from plyground.game.planes import InputWorkspace, input_fields, write_input

if TYPE_CHECKING:
    from plyground.game import Game

SUFFIX = ".samples.npz"

PARTS = 16
"""A batch is drawn from so many files."""


class Samples(NamedTuple):
    """Positions of some games, each with what a network is to answer there."""

    setups: NDArray[np.int64]
    """One row per game."""
    game: NDArray[np.int32]
    """The row of `setups` of each position; the following fields have one row per position too."""
    states: NDArray[np.int64]
    players: NDArray[np.int8]
    """Who is to move."""
    actions: NDArray[np.int32]
    """All legal actions, and -1 in the columns beyond."""
    policy: NDArray[np.float32]
    """The share of each of these actions."""
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
                np.savez(file, **self._asdict())
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise PlygroundError(f"{path} cannot be written: {error.strerror}") from None

    @classmethod
    def load(cls, path: Path) -> Samples:
        """Read what `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                return cls(**{name: file[name] for name in cls._fields})
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise BadText(f"{path}: not a file of samples ({error})") from None


def joined(parts: Iterable[Samples]) -> Samples:
    """Return the samples of several parts as one."""
    parts = list(parts)
    shifts = np.cumsum([0, *(len(part.setups) for part in parts[:-1])])
    moved = [
        part._replace(game=part.game + np.int32(shift))
        for part, shift in zip(parts, shifts, strict=True)
    ]
    return Samples(*(np.concatenate(fields) for fields in zip(*moved, strict=True)))


KINDS = {
    "setups": np.int64, "game": np.int32, "states": np.int64, "players": np.int8,
    "actions": np.int32, "policy": np.float32, "values": np.float32,
}  # fmt: skip
"""The type of each field of samples."""


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


@loop("none(input, setups, words, states, words, words, words2)", input=InputWorkspace)
def _write_batch(work, setups, games, states, players, symmetries, actions):  # type: ignore[no-untyped-def]
    """Write the planes of positions and the entries of their actions, under symmetries."""
    rules = work.rules
    setup, state = np.empty(setups.shape[1], np.int64), np.empty(states.shape[1], np.int64)
    images = np.empty(actions.shape[1], np.int64)
    for row in range(len(states)):
        original, symmetry = setups[games[row]], symmetries[row]
        for index in range(len(setup)):
            setup[index] = original[index]
        for index in range(len(state)):
            state[index] = states[row, index]
        if symmetry > 0:
            call_image(rules, original, states[row], symmetry, setup, state)
        count = 0
        while count < len(images) and actions[row, count] >= 0:
            images[count] = actions[row, count]
            if symmetry > 0:
                images[count] = call_image_action(rules, original, images[count], symmetry)
            count += 1
        write_input(work, row, setup, state, players[row], images, count)


def make_batch(
    game: Game, samples: Samples, rows: NDArray[np.intp], symmetries: NDArray[np.int64]
) -> Batch:
    """Return the training data of some rows, each seen under a symmetry of the game."""
    facts, count, kernels = game.facts, len(rows), game.kernels
    fields = input_fields(game, count)
    observe = kernels.observe if facts.hidden else None
    fields["rules"] = game.rules(
        None, kernels.encode, kernels.policy, observe, kernels.image, kernels.image_action
    )
    work = InputWorkspace(**fields)
    actions, players = samples.actions[rows], samples.players[rows]
    numbers = (samples.game[rows], players, actions)
    games, seats, wide = (np.ascontiguousarray(each, np.int64) for each in numbers)
    _write_batch(work, samples.setups, games, samples.states[rows], seats, symmetries, wide)
    order = (players[:, np.newaxis] + np.arange(facts.players)) % facts.players
    return Batch(
        work.planes.reshape(count, *game.plane_shape),
        work.entries.reshape(count, facts.branching, facts.policy_parts),
        samples.policy[rows],
        actions >= 0,
        np.take_along_axis(samples.values[rows], order, axis=1),
    )


class Replay:
    """The most recent samples, in memory and in the files that they came from."""

    def __init__(self, game: Game, capacity: int, threads: int = 1) -> None:
        self.game, self.capacity = game, capacity
        self._shards: dict[Path, Samples] = {}
        self._threads = ThreadPoolExecutor(threads)
        self._parts = max(PARTS, threads)
        self.added = 0
        """How many samples were ever taken up."""

    def __len__(self) -> int:
        return sum(shard.size for shard in self._shards.values())

    def add(self, path: Path) -> None:
        """Take up a file of samples; delete the oldest files beyond the capacity."""
        samples = Samples.load(path)
        self._check(path, samples)
        self._shards[path] = samples
        self.added += samples.size
        while len(self._shards) > 1 and len(self) > self.capacity:
            oldest = next(iter(self._shards))
            del self._shards[oldest]
            oldest.unlink(missing_ok=True)

    def _check(self, path: Path, samples: Samples) -> None:
        """Refuse samples of another game: compiled code relies on their sizes."""
        facts, (setup, state), count = self.game.facts, self.game.sizes, len(samples.game)
        shapes = {
            "setups": (len(samples.setups), setup), "game": (count,), "states": (count, state),
            "players": (count,), "actions": (count, facts.branching),
            "policy": (count, facts.branching), "values": (count, facts.players),
        }  # fmt: skip
        for name, shape in shapes.items():
            array = getattr(samples, name)
            if array.shape != shape or array.dtype != KINDS[name]:
                raise BadText(f"{path}: {name} is not as in {self.game}: delete the file")
        games, players = samples.game, samples.players
        inside = (
            count > 0
            and 0 <= games.min() <= games.max() < len(samples.setups)
            and 0 <= players.min() <= players.max() < facts.players
            and samples.actions.max() < facts.actions
        )
        if not inside:
            raise BadText(f"{path}: numbers out of range for {self.game}: delete the file")

    def batch(self, size: int, random: np.random.Generator) -> Batch:
        """Return random rows, each under a random symmetry."""
        shards = list(self._shards.values())
        weights = np.array([shard.size for shard in shards], float)
        chosen = random.choice(len(shards), self._parts, True, weights / weights.sum())
        sizes = [len(part) for part in np.array_split(np.arange(size), len(chosen))]
        jobs = [
            (
                shards[shard],
                random.integers(shards[shard].size, size=count),
                random.integers(self.game.facts.symmetries, size=count),
            )
            for shard, count in zip(chosen, sizes, strict=True)
        ]
        made = self._threads.map(lambda job: make_batch(self.game, *job), jobs)
        return Batch(*(np.concatenate(fields) for fields in zip(*made, strict=True)))
