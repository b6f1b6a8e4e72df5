"""Games of several players as PettingZoo environments (AEC)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plyground.errors import CannotPlayError
from plyground.games import load_game
from plyground.interop import NotInstalledError
from plyground.interop.gymnasium import MOST_STARTS, mask_of

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils.seeding import np_random
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise NotInstalledError("pettingzoo") from None

Observation = dict[str, Any]


def env(game: str, render_mode: str | None = None) -> AECEnv[str, Observation, int]:
    """Return a game's environment; an illegal action gets -1 and ends the game."""
    wrapped = wrappers.TerminateIllegalWrapper(GameEnv(game, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrapped)


class GameEnv(AECEnv[str, Observation, int]):
    """A game with the agents `player_0`, `player_1`, ...; each observes its own view as planes.

    Players who move simultaneously are asked one after the other, and the later ones do not see the
    earlier choices. Rewards are the game's returns, at its end.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "plyground_v0", "render_modes": ["ansi"], "is_parallelizable": False,
    }  # fmt: skip

    def __init__(self, game: str, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = load_game(game)
        facts = self.game.facts
        if facts.players < 2:
            raise CannotPlayError(f"{self.game} has one player: use plyground.interop.gymnasium")
        self.game.prepare()
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(facts.players)]
        self.action_spaces = {agent: Discrete(facts.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(0.0, 1.0, facts.planes, np.float32),
                    "action_mask": Box(0, 1, (facts.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._random, _ = np_random()

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]  # type: ignore[return-value]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]  # type: ignore[return-value]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random, _ = np_random(seed)
        self.position = self.game.start(int(self._random.integers(MOST_STARTS)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.position.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = dict[str, Any]((agent, {}) for agent in self.agents)
        self.agent_selection = self.possible_agents[self.position.player]

    def observe(self, agent: str) -> Observation:
        seat = self.possible_agents.index(agent)
        mask = mask_of(self.position)
        if self.position.player != seat:
            mask[:] = 0
        return {"observation": self.position.observe(seat).encode(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        self.position = self.position.play(int(action))
        self.rewards = dict(zip(self.possible_agents, self.position.returns, strict=True))
        self.terminations = dict.fromkeys(self.agents, self.position.is_over)
        self.agent_selection = self.possible_agents[self.position.player]
        self._accumulate_rewards()

    def render(self) -> str | None:
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass
