"""One-player games as Gymnasium environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from plyground.compile import Planes
from plyground.errors import CannotPlayError
from plyground.game import Position
from plyground.games import load_game
from plyground.interop import NotInstalledError
from plyground.text import counted

try:
    from gymnasium import Env, register
    from gymnasium.spaces import Box, Discrete
except ImportError:
    raise NotInstalledError("gymnasium") from None

NAME = "plyground/Puzzle-v0"
"""Name of the environment, once this module is imported: `gymnasium.make(NAME, game="robots")`."""

MOST_STARTS = 2**31
"""Seeds of start positions are drawn below this number."""

Mask = npt.NDArray[np.int8]


class PuzzleEnv(Env[Planes, np.int64]):
    """A puzzle: observations are the game's planes, `info["action_mask"]` marks legal actions.

    The reward is the game's return, at its end. An illegal action ends the episode with -1.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 2}  # noqa: RUF012 (as in Gymnasium)

    def __init__(self, game: str, render_mode: str | None = None) -> None:
        self.game = load_game(game)
        if self.game.facts.players != 1:
            players = self.game.facts.players
            raise CannotPlayError(
                f"{self.game} has {counted(players, 'player')}: use plyground.interop.pettingzoo"
            )
        self.game.prepare()
        self.render_mode = render_mode
        self.action_space = Discrete(self.game.facts.actions)
        self.observation_space = Box(0.0, 1.0, self.game.facts.planes, np.float32)
        self.position = self.game.start()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        super().reset(seed=seed)
        self.position = self.game.start(int(self.np_random.integers(MOST_STARTS)))
        return self.position.encode(), self._info()

    def step(self, action: np.int64) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        if int(action) not in self.position.legal_actions:
            return self.position.encode(), -1.0, True, False, self._info()
        self.position = self.position.play(int(action))
        reward = self.position.returns[0]
        return self.position.encode(), reward, self.position.is_over, False, self._info()

    def render(self) -> str | None:  # type: ignore[override]
        return str(self.position) if self.render_mode == "ansi" else None

    def _info(self) -> dict[str, Any]:
        return {"action_mask": mask_of(self.position)}


def mask_of(position: Position) -> Mask:
    """Return an array with 1 for each legal action and 0 for all others."""
    mask = np.zeros(position.game.facts.actions, np.int8)
    mask[list(position.legal_actions)] = 1
    return mask


VECTOR = "plyground.interop.vector_puzzle:PuzzleVectorEnv"

register(NAME, f"{__name__}:PuzzleEnv", vector_entry_point=VECTOR)
