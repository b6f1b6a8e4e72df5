"""Many puzzles at once as a Gymnasium vector environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import Planes, Words
from plyground.errors import CannotPlayError
from plyground.interop import NotInstalledError
from plyground.interop.vector import FORFEIT, Flags, GameVectorEnv
from plyground.text import counted

try:
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise NotInstalledError("gymnasium") from None


class PuzzleVectorEnv(VectorEnv[Planes, Words, Any]):
    """What `gymnasium.vector.SyncVectorEnv` makes of many `PuzzleEnv`, in compiled code.

    A puzzle that ends is followed by the next in the same step: its last observation is in
    `info["final_obs"]`. `info["action_mask"]` marks the legal actions; any other ends the puzzle
    with -1.
    """

    metadata = {  # noqa: RUF012 (so it is in Gymnasium)
        "render_modes": ["ansi"], "render_fps": 2, "autoreset_mode": AutoresetMode.SAME_STEP,
    }  # fmt: skip

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        render_mode: str | None = None,
        *,
        starts: int = 256,
        threads: int | None = None,
        copy: bool = True,
    ) -> None:
        """Make an environment; `starts` and `threads` are those of `GameVectorEnv`.

        Without `copy`, as in `SyncVectorEnv`, observations and masks are memory that the next step
        overwrites.
        """
        self.games = GameVectorEnv(game, num_envs, starts=starts, threads=threads)
        facts = self.games.game.facts
        if facts.players != 1:
            players = counted(facts.players, "player")
            raise CannotPlayError(f"{self.games.game} has {players}: plyground.interop.vector")
        self.num_envs, self.render_mode, self.copy = num_envs, render_mode, copy
        self.single_action_space = Discrete(facts.actions)
        self.single_observation_space = Box(0.0, 1.0, facts.planes, np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        super().reset(seed=seed)
        self._batch = self.games.reset(seed)
        return self._observations(), self._info()

    def step(self, actions: Words) -> tuple[Planes, Any, Flags, Flags, dict[str, Any]]:
        legal = self.games.are_legal(actions)
        refused = self._batch.masks[~legal]
        self._batch = self.games.step(np.where(legal, actions, FORFEIT))
        info, ended = self._info(), self._batch.ended.copy()
        if ended.any():
            info |= self._final(ended, legal, refused)
        rewards = self._batch.rewards[:, 0].astype(np.float64)
        return self._observations(), rewards, ended, np.zeros_like(ended), info

    def render(self) -> tuple[str, ...] | None:
        if self.render_mode != "ansi":
            return None
        return tuple(str(self.games.position(row)) for row in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        self.games.close()

    def _observations(self) -> Planes:
        return self._batch.planes.copy() if self.copy else self._batch.planes

    def _info(self) -> dict[str, Any]:
        masks = self._batch.masks.copy() if self.copy else self._batch.masks
        every = np.ones(self.num_envs, np.bool_)
        return {"action_mask": masks.view(np.int8), "_action_mask": every}

    def _final(self, ended: Flags, legal: Flags, refused: Flags) -> dict[str, Any]:
        """Return what Gymnasium wants to know of puzzles that ended: no action is legal any more,
        unless an illegal one has ended it."""
        observations = np.full(self.num_envs, None, object)
        for row, planes in zip(np.flatnonzero(ended), self.games.last_planes(), strict=True):
            observations[row] = planes
        masks = np.zeros(self._batch.masks.shape, np.int8)
        masks[~legal] = refused
        return {
            "final_obs": observations,
            "_final_obs": ended,
            "final_info": {"action_mask": masks, "_action_mask": ended},
            "_final_info": ended,
        }
