"""Greedy play: a search of one ply by a heuristic."""

from __future__ import annotations

import random

from plyground.agents.agent import Agent, Limit, Thought
from plyground.game import Game, Position
from plyground.options import Kind, option


class Greedy(Agent):
    """Play the action with the best heuristic value after one ply; ties are broken at random."""

    name = "greedy"
    rehearses = True

    evaluate: str = option("", kind=Kind.EVALUATOR, help="heuristic; by default the game's first")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        game.rules(game.evaluator(self.evaluate))

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        evaluator = position.game.evaluator(self.evaluate)
        values = {}
        for action in position.legal_actions:
            after = position.play(action)
            by_seat = after.returns if after.is_over else after.evaluate(evaluator)
            values[action] = by_seat[position.player]
        value = max(values.values())
        best = [action for action in values if values[action] == value]
        return Thought(random.Random(seed).choice(best), value)
