"""Trained networks as players use them: ONNX files, run by ONNX Runtime on one core.

The files are data, not code. Those that come with the package are in the folder `weights` and known
by their names, `connect_n.onnx` as `connect_n`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from math import inf
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any

import numpy as np

from plyground.compile import Reals, Words
from plyground.errors import CannotPlayError, OptionError, UnknownNameError
from plyground.game import Game, Position
from plyground.game.planes import Inputs, network_inputs
from plyground.inference.file import NetworkFile, batch_size
from plyground.search.forest import Evaluation
from plyground.text import one_line
from plyground.workspace import Entries, Halves

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

SHIPPED = Path(__file__).parent.parent / "weights"
SUFFIX = ".onnx"

SILENT = 4
"""ONNX Runtime's level at which it writes nothing to standard error; its errors are raised."""


def shipped_names() -> list[str]:
    """Return the names of the networks that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{SUFFIX}"))


def shipped(name: str) -> Path:
    """Return the file of a network that comes with the package."""
    return SHIPPED / f"{name}{SUFFIX}"


def find_weights(game: Game, weights: str) -> Path:
    """Return the file of a network: by its path, by its name, or, for "", by the game's name."""
    if weights.endswith(SUFFIX):
        if not Path(weights).is_file():
            raise OptionError(f"weights: there is no file {weights!r}")
        return Path(weights)
    name, names = weights or game.name, shipped_names()
    if name in names:
        return shipped(name)
    if weights:
        raise UnknownNameError(f"network (a name, or a file that ends in {SUFFIX})", weights, names)
    raise CannotPlayError(
        f"no trained network comes with {game.name}: train one and give its file, "
        f"weights='FILE{SUFFIX}'; there are networks for {', '.join(names)}"
    )


@lru_cache(maxsize=8)
def _file(path: Path, changed: int) -> NetworkFile:
    """Return a network's file; read again where it has `changed`."""
    return NetworkFile(path)


def network_file(game: Game, weights: str) -> NetworkFile:
    """Return the file of a network that fits a game and can be run here, without loading it."""
    path = find_weights(game, weights)
    if find_spec("onnxruntime") is None:
        raise CannotPlayError('networks need ONNX Runtime: pip install "plyground[play]"')
    file = _file(path, path.stat().st_mtime_ns)
    entries, players = int(np.prod(game.facts.policy)), game.facts.players
    if not file.fits(game.plane_shape, entries, players):
        raise CannotPlayError(
            f"{path.name} does not fit {game}: it was trained on planes of the shape "
            f"{' x '.join(map(str, file.planes))}, those of this game are "
            f"{' x '.join(map(str, game.plane_shape))}, with {entries} policy entries"
        )
    return file


@lru_cache(maxsize=8)
def _session(file: NetworkFile) -> InferenceSession:
    """Return what runs a network."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = SILENT
    try:
        return onnxruntime.InferenceSession(
            file.content, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the runtime has exceptions of its own
        raise file.error(one_line(str(error), 200)) from None


class Inference:
    """A network that answers for one game."""

    def __init__(self, game: Game, weights: str = "") -> None:
        file = network_file(game, weights)
        self.game, self.path, self._session = game, file.path, _session(file)
        self.about, self.haste = file.about, file.haste
        self.seconds = 0.0
        """Processor time of one position, as measured last; 0 before."""

    def evaluate(self, planes: Halves, entries: Entries) -> Evaluation:
        """Return the values of the players, from the one to move on, and the actions' logits."""
        began, most = thread_time(), batch_size(planes.shape[1:])
        runs = [self._run(planes[at : at + most]) for at in range(0, len(planes), most)]
        self.seconds = (thread_time() - began) / len(planes)
        head, values = map(np.concatenate, zip(*runs, strict=True))
        rows, actions, parts = entries.shape
        read = np.take_along_axis(head, entries.reshape(rows, -1), axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # then they are not finite
            logits = read.reshape(rows, actions, parts).sum(axis=2)
        if not all(np.isfinite(each).all() for each in (head, logits, values)):
            raise CannotPlayError(f"{self.path}: what this network computes are not finite numbers")
        return Evaluation(np.clip(values, -1.0, 1.0), logits)

    def fitting(self, seconds: float) -> float:
        """Return how many positions can be evaluated in so many seconds; inf if that is unknown."""
        if seconds <= 0.0:
            return 0
        return seconds / self.seconds if self.seconds else inf

    def _run(self, planes: Halves) -> Any:
        """Return the network's policy head and values."""
        wide = (planes.astype(np.uint32) << 16).view(np.float32)
        try:
            return self._session.run(["policy", "values"], {"planes": wide})
        except Exception as error:  # the runtime has exceptions of its own
            raise CannotPlayError(
                f"{self.path} cannot be run: {one_line(str(error), 200)}"
            ) from None

    def ask(
        self, setups: Any, states: Any, symmetries: Words | None = None
    ) -> tuple[Inputs, Reals, Reals]:
        """Return the inputs of states, each player's value by its seat, and the legal policy.

        With `symmetries`, one number per state, the network sees its image.
        """
        inputs = network_inputs(self.game, setups, states, symmetries)
        answer = self.evaluate(inputs.planes, inputs.entries)
        players = self.game.facts.players
        order = (np.arange(players) - inputs.players[:, np.newaxis]) % players
        values = np.take_along_axis(np.asarray(answer.values, np.float64), order, axis=1)
        return inputs, values, legal_policy(np.asarray(answer.logits, np.float64), inputs)

    def ask_about(self, position: Position) -> tuple[Reals, dict[int, float]]:
        """Return each player's value in a position, and the policy over its legal actions."""
        _, values, policy = self.ask(position.setup, position.state[np.newaxis])
        return values[0], dict(zip(position.legal_actions, policy[0].tolist(), strict=False))


def legal_policy(logits: Reals, inputs: Inputs) -> Reals:
    """Return the softmax over the legal actions; 0 in the columns beyond."""
    legal = np.arange(logits.shape[1]) < inputs.counts[:, np.newaxis]
    shifted = np.where(legal, logits, -np.inf)
    weights = np.exp(shifted - shifted.max(axis=1, keepdims=True, initial=-1e9))
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)  # type: ignore[no-any-return]
