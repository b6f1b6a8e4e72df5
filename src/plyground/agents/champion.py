"""The strongest agent known for a game, without any option to know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.errors import CannotPlay
from plyground.game import Game, Position


class Choice(NamedTuple):
    """The agent that plays for the champion, and why."""

    agent: Agent
    reason: str


class Champion(Agent):
    """The strongest agent known for a game and variant; it says which one that is."""

    name = "champion"
    guesses = False

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        choice_of(game).agent.prepare(game)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return ChampionPlayer(self, game, seat, seed, ponder=ponder)


class ChampionPlayer(Player):
    """One game's player: that of the chosen agent."""

    def __init__(self, agent: Champion, game: Game, seat: int, seed: int, *, ponder: bool) -> None:
        super().__init__(agent, game, seat, seed)
        chosen, reason = choice_of(game)
        self._player = chosen.sit(game, seat, seed, ponder=ponder)
        self._choice = f"played by {chosen}: {reason}"
        self._is_new = True

    def think(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Thought:
        thought = self._player.think(position, limit, seed)
        if self._is_new:  # once is enough
            thought, self._is_new = self._noted(thought), False
        return thought

    def analyse(
        self, position: Position, limit: Limit | None = None, seed: int | None = None
    ) -> Iterator[Thought]:
        return map(self._noted, self._player.analyse(position, limit, seed))

    def watch(self, action: int) -> None:
        self._player.watch(action)

    def close(self, returns: tuple[float, ...] | None = None) -> None:
        self._player.close(returns)

    def _noted(self, thought: Thought) -> Thought:
        """Return a thought that says who played; what the player itself noted stays."""
        return replace(thought, info={"note": self._choice, **thought.info})


def choice_of(game: Game) -> Choice:
    """Return the agent that plays a game: as its table says, else by the facts of the game."""
    but = ""
    for spec in game.champions():
        agent = load_agent(spec)
        try:
            agent.prepare(game)
            return Choice(agent, f"the strongest known{but}")
        except CannotPlay as error:  # a package is missing, or it does not play this variant
            but = f" that can play here (not {spec}: {error})"
    spec, reason = by_facts(game)
    return Choice(load_agent(spec), reason)


def by_facts(game: Game) -> tuple[str, str]:
    """Return the spec of an agent that suits a game about which nothing was measured, and why."""
    facts = game.facts
    if game.solver() is not None:
        return "perfect", "the game has an exact solver"
    if facts.players != 2:
        return "mcts", "the game has one player" if facts.players == 1 else "more than two players"
    if facts.hidden:
        return "mcts", "something is hidden"
    if not game.evaluators:
        return "mcts", "the game has no heuristic"
    return "alphabeta", "two players and a heuristic"
