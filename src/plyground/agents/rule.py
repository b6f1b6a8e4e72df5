"""Play by one of the game's play-out policies, without search."""

from __future__ import annotations

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arithmetic import derive_seed
from plyground.errors import CannotPlayError
from plyground.game import Game, Position
from plyground.game.advice import rollout
from plyground.options import Kind, option


class Rule(Agent):
    """Play by one of the game's play-out policies, without search."""

    name = "rule"
    rehearses = True

    by: str = option(
        "",
        kind=Kind.ROLLOUT,
        help="play-out policy; by default the game's first",
    )
    steady: bool = option(False, help="use the same random numbers for every move of a game")

    def accept(self, game: Game) -> None:
        if game.advisor("rollout", self.by) is None:
            raise CannotPlayError(f"{self}: {game} has no play-out policy to play by")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        game.rules(None, game.advisor("rollout", self.by))

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if self.steady:
            seed = derive_seed(position.line()[0].key, position.player)
        return Thought(rollout(position, seed, self.by))
