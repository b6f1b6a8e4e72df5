"""The iterations of the original Robot Reboot study: samples, training, the better network kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import derive_seed
from plyground.compile import Words
from plyground.game import Game
from plyground.learn import checkpoint
from plyground.learn.starts import Starts
from plyground.studies import _robots_network as networks
from plyground.studies._robots_network import Epoch, Weights
from plyground.studies._robots_search import Judge, play_all, search_all

TRAINING = 0.7
"""The share of the samples that are learned from; the others are for validation."""
FRUITLESS = 2
"""The iterations end after so many in a row that bring nothing."""
CHUNK = 4
"""The samples are saved whenever so many times the rows of a half are searched."""


class Sizes(NamedTuple):
    """How much is done."""

    samples: int = 5000
    playouts: int = 50
    epochs: int = networks.EPOCHS
    batch: int = networks.BATCH
    iterations: int = 10
    threads: int = 1


class Samples(NamedTuple):
    """What a network is trained on, one row per start."""

    setups: Words
    states: Words
    p: NDArray[np.float32]
    """For each action the share of its play-outs that were won; 0 where it is not legal."""
    v: NDArray[np.float32]
    """1 if the network that guided the search won its own game from here, else -1."""

    @property
    def wins(self) -> NDArray[np.bool_]:
        """Which starts were won."""
        return self.v > 0


class Round(NamedTuple):
    """A network: how it plays, and what it was made from if it is not the first."""

    scores: list[int]
    """Its scores on the test starts, alone."""
    kept: bool = True
    guide: int = 0
    """The number of the network that guided the search for its samples."""
    training: tuple[int, int] = (0, 0)
    """How many samples were lost and won."""
    validation: tuple[int, int] = (0, 0)
    curve: list[Epoch] = []  # noqa: RUF012 - never changed
    accuracy: float = 0.0
    """How often its likeliest action is one of the best, among the validation samples in which any
    play-out was won."""

    @classmethod
    def from_json(cls, data: list[Any]) -> Round:
        """Return what JSON made of a round."""
        scores, kept, guide, training, validation, curve, accuracy = data
        epochs = [Epoch(*epoch) for epoch in curve]
        return cls(scores, kept, guide, tuple(training), tuple(validation), epochs, accuracy)


class Iterations:
    """Runs the iterations; with a folder, an interrupted run goes on where it was."""

    def __init__(
        self,
        game: Game,
        setups: Words,
        states: Words,
        sizes: Sizes,
        *,
        seed: int = 0,
        dealers: Executor | None = None,
        folder: Path | None = None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Prepare iterations that are judged by the test starts with these setups and states."""
        self.game, self.setups, self.states, self.sizes = game, setups, states, sizes
        self.rounds: list[Round] = []
        self.constant: list[Epoch] = []
        """The curve of the first training if the rate is never reduced."""
        self.played: dict[str, list[int]] = {}
        """The scores of other players on the test starts, by their names."""
        self.first = self.best = networks.new_weights(seed, networks.boards_of(setups[:1]))
        """The weights of the first network, and of the best one."""
        self._seed, self._dealers, self._folder, self._progress = seed, dealers, folder, progress
        self._take_up()

    @property
    def best_number(self) -> int:
        """The number of the best network."""
        return max(number for number, made in enumerate(self.rounds) if made.kept)

    def run(self) -> None:
        """Run iterations until two in a row bring nothing, or there are enough."""
        if not self.rounds:
            self.rounds.append(Round(self._play(self.first)))
        while len(self.rounds) <= self.sizes.iterations:
            if not any(made.kept for made in self.rounds[-FRUITLESS:]):
                break
            number = len(self.rounds)
            self._iterate(number)
            self._keep()
            if folder := self._samples_folder(number):
                shutil.rmtree(folder)

    def _iterate(self, number: int) -> None:
        """Make the network of that number, and keep it if it plays better than the best."""
        guide = self.best_number
        samples = self._samples(number)
        examples = _examples(samples)
        wins = samples.wins
        training, validation = split(wins, derive_seed(self._seed, number))
        if number == 1:
            *_, (_, self.constant) = self._train(number, examples, training, validation, False)
        *_, (weights, curve) = self._train(number, examples, training, validation, True)
        scores = self._play(weights)
        kept = np.mean(scores) > np.mean(self.rounds[guide].scores)
        lost, won = (
            [int((wins[part] == result).sum()) for part in (training, validation)]
            for result in (False, True)
        )
        accuracy = _accuracy(weights, samples, validation, self._rows(self.sizes.samples))
        counts = (lost[0], won[0]), (lost[1], won[1])
        self.rounds.append(Round(scores, bool(kept), guide, *counts, curve, accuracy))
        if kept:
            self.best = weights

    def _train(
        self, number: int, examples: networks.Examples, training: Any, validation: Any, reduce: bool
    ) -> Any:
        """Train the best network further; yield weights and curve after every epoch."""
        sizes, curve = self.sizes, []
        for weights, epoch in networks.train(
            self.best, examples, training, validation, epochs=sizes.epochs, batch=sizes.batch,
            reduce=reduce, seed=derive_seed(self._seed, number) >> 32,
        ):  # fmt: skip
            curve.append(epoch)
            self._progress(
                f"f{number}, epoch {len(curve)} of {sizes.epochs}, rate {epoch.rate:.2g}: loss "
                f"{epoch.training:.3f}, validation {epoch.validation:.3f}"
            )
            yield weights, curve

    # Samples

    def _samples(self, number: int) -> Samples:
        """Return the samples for the network of that number, searched with the best one so far."""
        count, rows = self.sizes.samples, self._rows(self.sizes.samples)
        self._progress(f"f{number}: {count:,} starts")
        _, setups, states = Starts(
            self.game, derive_seed(self._seed, number), None, self._dealers, count
        ).take(count)
        p, v = np.zeros((count, networks.ACTIONS), np.float32), np.zeros(count, np.float32)
        folder = self._samples_folder(number)
        restored = folder and checkpoint.restore(folder, {"p": p, "v": v})
        begun = 0
        if restored:
            begun, kept = restored.notes["searched"], restored.state
            p[:begun], v[:begun] = kept["p"][:begun], kept["v"][:begun]
        for first in range(begun, count, CHUNK * rows):
            of = slice(first, min(first + CHUNK * rows, count))
            text = f"f{number}, of {count:,} starts searched: "
            p[of], v[of] = self._search(setups[of], states[of], rows, text, first)
            if folder:
                checkpoint.save(folder, of.stop, {"p": p, "v": v}, {"searched": of.stop})
        return Samples(setups, states, p, v)

    def _samples_folder(self, number: int) -> Path | None:
        """Return where the samples for the network of that number are kept until it is trained."""
        return self._folder and self._folder / f"samples-{number}"

    def _search(
        self, setups: Words, states: Words, rows: int, text: str, before: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return p of starts by the search, and v by the best network's own games.

        Progress is shown as the text and how many were searched; `before` is where that starts.
        """
        p = search_all(
            self.game, setups, states, self.sizes.playouts, networks.evaluator(self.best, setups),
            rows=rows, threads=self.sizes.threads,
            progress=lambda done: self._progress(f"{text}{before + done:,}"),
        )  # fmt: skip
        scores = play_all(self.game, setups, states, networks.judge(self.best, setups, rows))
        return p, np.where(scores > -self.game.facts.longest, 1, -1).astype(np.float32)

    # Play

    def _rows(self, games: int) -> int:
        """Return how many of so many games are searched at once in each half."""
        return min(networks.ROWS, -(-games // 2))

    def _play(self, weights: Weights) -> list[int]:
        """Return a network's scores on the test starts, alone."""
        judge = networks.judge(weights, self.setups, self._rows(len(self.states)))
        scores: list[int] = play_all(self.game, self.setups, self.states, judge).tolist()
        return scores

    def scores_of(self, name: str, play: Callable[[], list[int]]) -> list[int]:
        """Return the scores of a player on the test starts; it plays only if they are not kept."""
        if name not in self.played:
            self.played[name] = play()
            self._keep()
        return self.played[name]

    def play_searching(self, name: str, weights: Weights | None) -> list[int]:
        """Return the scores of the search on the test starts, guided by a network or by none."""
        judge = self._searching(name, weights)
        return self.scores_of(
            name, lambda: play_all(self.game, self.setups, self.states, judge).tolist()
        )

    def _searching(self, name: str, weights: Weights | None) -> Judge:
        """Return the judge that searches."""
        evaluate = None if weights is None else networks.evaluator(weights, self.setups)
        rows = self._rows(len(self.states))

        def judge(games: Words, states: Words) -> NDArray[np.float32]:
            self._progress(f"{name}: {len(games)} of {len(self.states)} games go on")
            return search_all(
                self.game, self.setups[games], states, self.sizes.playouts,
                evaluate and (lambda numbers, states: evaluate(games[numbers], states)),
                rows=rows, threads=self.sizes.threads,
            )  # fmt: skip

        return judge

    # Interruptions

    def _keep(self) -> None:
        if self._folder:
            notes = {"rounds": self.rounds, "constant": self.constant, "played": self.played}
            step = len(self.rounds) + len(self.played)
            checkpoint.save(self._folder / "networks", step, self.best, notes)

    def _take_up(self) -> None:
        restored = self._folder and checkpoint.restore(self._folder / "networks", self.best)
        if restored:
            self.best = restored.state
            self.rounds = [Round.from_json(made) for made in restored.notes["rounds"]]
            self.constant = [Epoch(*epoch) for epoch in restored.notes["constant"]]
            self.played = restored.notes["played"]


def split(wins: NDArray[np.bool_], seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows for training and for validation, with the same ratio of wins in both."""
    random = np.random.default_rng(seed)
    parts: tuple[list[Any], list[Any]] = [], []
    for rows in (np.flatnonzero(~wins), np.flatnonzero(wins)):
        mixed = random.permutation(rows)
        for part, chosen in zip(parts, np.split(mixed, [round(TRAINING * len(rows))]), strict=True):
            part.append(chosen)
    training, validation = (np.concatenate(part) for part in parts)
    return training, validation


def _examples(samples: Samples) -> networks.Examples:
    return networks.Examples(
        networks.boards_of(samples.setups),
        jnp.asarray(networks.robots_of(samples.states)),
        jnp.asarray(samples.p),
        jnp.asarray(samples.v),
    )


def _accuracy(weights: Weights, samples: Samples, validation: Any, rows: int) -> float:
    """See `Round.accuracy`."""
    chosen = validation[samples.p[validation].max(axis=1) > 0]
    if not len(chosen):
        return 0.0
    predicted = networks.judge(weights, samples.setups, rows)(chosen, samples.states[chosen])
    p = samples.p[chosen]
    return float((p[np.arange(len(p)), predicted.argmax(axis=1)] == p.max(axis=1)).mean())
