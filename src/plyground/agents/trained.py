"""Base class of agents that play with a trained network."""

from __future__ import annotations

from functools import lru_cache

from plyground.agents.agent import Agent
from plyground.files import stamp_file
from plyground.game import Game
from plyground.game.planes import network_rules
from plyground.inference import Inference, network_file, shipped, shipped_names
from plyground.inference.file import NetworkFile
from plyground.options import Kind, Source, option
from plyground.spec import write_spec


@lru_cache(maxsize=16)
def _inference(game: Game, weights: str, file: NetworkFile) -> Inference:
    """Return a network, which knows how fast it is from one player to the next."""
    return Inference(game, weights)


class Trained(Agent):
    """An agent with a network, whose file is part of its identity."""

    example_game = "robots"
    rehearses = True

    weights: str = option(
        "",
        kind=Kind.FILE,
        choices=tuple(shipped_names()),
        help="network; by default the one that comes with the game",
    )

    def accept(self, game: Game) -> None:
        network_file(game, self.weights)

    def prepare(self, game: Game) -> None:
        self.inference(game)  # before kernels are compiled, which takes longer
        super().prepare(game)
        network_rules(game, images=game.facts.symmetries > 1)

    def inference(self, game: Game) -> Inference:
        """Return the network, which must fit the game."""
        return _inference(game, self.weights, network_file(game, self.weights))

    def identity(self, game: Source | None = None) -> str:
        name = self.weights or (game.name if isinstance(game, Game) else "")
        if name not in shipped_names():
            return super().identity(game)
        others = {key: value for key, value in self.changed().items() if key != "weights"}
        return write_spec(self.name, {"weights": stamp_file(str(shipped(name)))} | others)
