"""Trained networks as players use them: ONNX files, run by ONNX Runtime on one core.

The files are data, not code. Those that come with the package are in the folder `weights` and known
by their names, `connect_n.onnx` as `connect_n`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plyground.compile import Reals
from plyground.errors import BadOption, CannotPlay, UnknownName, one_line
from plyground.game import Game, Position
from plyground.game.planes import Inputs, network_inputs
from plyground.search.forest import Evaluation
from plyground.workspace import Entries, Halves

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

SHIPPED = Path(__file__).parent / "weights"
SUFFIX = ".onnx"

LARGEST = 256 * 2**20
"""Bytes of a file that is read as a network."""


def shipped_names() -> list[str]:
    """Return the names of the networks that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{SUFFIX}"))


def find_weights(game: Game, weights: str) -> Path:
    """Return the file of a network: by its path, by its name, or, for "", by the game's name."""
    given = Path(weights)
    if weights and given.suffix == SUFFIX:
        if not given.is_file():
            raise BadOption(f"weights: there is no file {weights!r}")
        return given
    path = SHIPPED / f"{weights or game.name}{SUFFIX}"
    if not path.is_file():
        if weights:
            raise UnknownName("weights", weights, shipped_names())
        raise CannotPlay(f"no trained network comes with {game.name}: give weights=FILE.onnx")
    return path


@lru_cache(maxsize=8)
def _session(path: Path, changed: int) -> InferenceSession:
    try:
        import onnxruntime
    except ImportError:
        raise CannotPlay("networks need more: pip install 'plyground[play]'") from None
    if path.stat().st_size > LARGEST:
        raise BadOption(f"{path} is too large for a network ({LARGEST >> 20} MiB at most)")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:  # from memory: a file may not refer to others
        return onnxruntime.InferenceSession(
            path.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the runtime has exceptions of its own
        raise BadOption(
            f"{path} is not a network that can be run: {one_line(str(error), 200)}"
        ) from None


class Inference:
    """A network that answers for one game."""

    def __init__(self, game: Game, weights: str = "") -> None:
        self.game, self.path = game, find_weights(game, weights)
        self._session = _session(self.path, self.path.stat().st_mtime_ns)
        self.about = self._read_about()
        self._check()

    def _read_about(self) -> dict[str, Any]:
        text = self._session.get_modelmeta().custom_metadata_map.get("plyground", "")
        try:
            about = json.loads(text)
        except ValueError:
            about = None
        if not isinstance(about, dict) or not isinstance(about.get("shape"), dict):
            raise BadOption(f"{self.path} is not a network that `plyground train` wrote")
        return about

    def _check(self) -> None:
        """Ask the network about one position, and compare what it says with what is needed."""
        facts, planes = self.game.facts, self.game.plane_shape
        try:
            policy, values = self._run(np.zeros((1, *planes), np.float32))
        except Exception as error:
            raise CannotPlay(
                f"{self.path} is a network for another game: {one_line(str(error), 200)}"
            ) from None
        wanted = int(np.prod(facts.policy)), facts.players
        given = policy.shape[-1], values.shape[-1]
        if given != wanted:
            raise CannotPlay(
                f"{self.path} is a network for another game than {self.game}: it has {given[0]} "
                f"policy entries and {given[1]} values, {wanted[0]} and {wanted[1]} are needed"
            )

    def _run(self, planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return self._session.run(["policy", "values"], {"planes": planes})  # type: ignore[no-any-return]

    def evaluate(self, planes: Halves, entries: Entries) -> Evaluation:
        """Return the values of the players, from the one to move on, and the actions' logits."""
        wide = (planes.astype(np.uint32) << 16).view(np.float32)
        head, values = self._run(wide)
        rows, actions, parts = entries.shape
        read = np.take_along_axis(head, entries.reshape(rows, -1), axis=1)
        return Evaluation(values, read.reshape(rows, actions, parts).sum(axis=2))

    def ask(self, setups: Any, states: Any) -> tuple[Inputs, Reals, Reals]:
        """Return the inputs of states, each player's value by its seat, and the legal policy."""
        inputs = network_inputs(self.game, setups, states)
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
