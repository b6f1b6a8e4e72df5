"""Play with mistakes as people make them: the better a move looks, the likelier it is played."""

from __future__ import annotations

import random
from dataclasses import replace
from math import exp, log

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.game import Game, Position
from plyground.options import Kind, option
from plyground.search.timing import Timer

ABSURD = 4.0
"""Moves that look worse than the best by more than so many temperatures are never played."""


class Casual(Agent):
    """Play the better-looking moves more often; what a move looks like, another agent says.

    The best move that ends the game is played at once, and a move that the judge knows to lose only
    if all do.
    """

    name = "casual"
    guesses = False  # with more than two players it is left to the judge

    judge: str = option(
        "mcts(simulations=50)", kind=Kind.AGENT, help="agent whose opinion of each move counts"
    )
    temperature: float = option(
        0.1, low=0.0001, high=100, help="how much worse a move may look and still be played often"
    )

    def accept(self, game: Game) -> None:
        load_agent(self.judge).accept(game)

    def prepare(self, game: Game) -> None:
        load_agent(self.judge).prepare(game)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return CasualPlayer(self, game, seat, seed)


class CasualPlayer(Player):
    """One game's player, with one player of the judge."""

    agent: Casual

    def __init__(self, agent: Casual, game: Game, seat: int, seed: int = 0) -> None:
        super().__init__(agent, game, seat, seed)
        self._judge = load_agent(agent.judge).sit(game, seat, seed)

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        if len(position.legal_actions) == 1:
            return Thought(position.legal_actions[0])
        if self.game.facts.players > 2:
            return self._drawn(self._shares(position, limit, seed), seed)
        position = self.game.chooses_first(position.determinize(seed))
        values = self._values(position, limit, seed)
        best = max(values.values())
        for action, value in values.items():
            if value == best and position.play(action).is_over:
                return Thought(action, value, {action: 1.0})
        playable = {action: value for action, value in values.items() if value > -1.0} or values
        thought = self._drawn(playable, seed)
        return replace(thought, value=values[thought.action])

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        self._judge.close(returns)

    def _drawn(self, merits: dict[int, float], seed: int) -> Thought:
        """Return an action drawn by the softmax of their merits, the absurd ones left out."""
        best, unit = max(merits.values()), self.agent.temperature
        weights = {
            action: exp((merit - best) / unit)
            for action, merit in merits.items()
            if merit >= best - ABSURD * unit
        }
        action = random.Random(seed).choices(list(weights), list(weights.values()))[0]
        total = sum(weights.values())
        return Thought(action, None, {each: weight / total for each, weight in weights.items()})

    def _values(self, position: Position, limit: Limit, seed: int) -> dict[int, float]:
        """Return what the judge expects after each action.

        Where two choose at once, it is asked after every reply, and the worst of them counts. When
        the time is up, the actions that are left are not considered.
        """
        timer, values = Timer(limit.seconds, limit.cpu), dict[int, float]()
        after = {action: [position.play(action)] for action in position.legal_actions}
        if self.game.facts.simultaneous:
            after = {
                action: [each.play(reply) for reply in each.legal_actions] or [each]
                for action, [each] in after.items()
            }
        share = _part(limit, sum(map(len, after.values())))
        for action, outcomes in after.items():
            if values and timer.left <= 0:
                break
            values[action] = min(
                self._value(each, position.player, share, seed) for each in outcomes
            )
        return values

    def _value(self, position: Position, player: int, limit: Limit, seed: int) -> float:
        """Return what the judge expects for a player in a position."""
        if position.is_over:
            return position.returns[player]
        value = self._judge.think(position, limit, seed).value or 0.0
        return value if position.player == player else -value

    def _shares(self, position: Position, limit: Limit, seed: int) -> dict[int, float]:
        """Return the logarithm of each action's share in the judge's policy.

        With more than two players the value that others expect does not say what one gets oneself.
        """
        policy = self._judge.think(position, limit, seed).policy
        return {action: log(share) for action, share in policy.items() if share > 0.0}


def _part(limit: Limit, count: int) -> Limit:
    """Return the limit of one of `count` thoughts that together keep a limit."""
    seconds = None if limit.seconds is None else limit.seconds / count
    nodes, simulations = (
        None if cap is None else max(1, cap // count) for cap in (limit.nodes, limit.simulations)
    )
    return replace(limit, seconds=seconds, nodes=nodes, simulations=simulations, most=None)
