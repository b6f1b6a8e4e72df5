"""The strongest agent known for a game, without any option to know, and weaker levels of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.errors import CannotPlayError, GameError
from plyground.game import Game, Position
from plyground.options import option
from plyground.text import counted

TOP = 10
"""The level of full strength."""


class Choice(NamedTuple):
    """The agent that plays for the champion, and why."""

    agent: Agent
    reason: str


class Champion(Agent):
    """The strongest agent known for a game and variant, or a weaker level; it says which it is."""

    name = "champion"
    guesses = False

    level: int = option(
        TOP, low=1, high=TOP, help="strength, from 1 (a beginner) to 10 (full strength)"
    )

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        choice_of(game, self.level).agent.prepare(game)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return ChampionPlayer(self, game, seat, seed, ponder=ponder)


class ChampionPlayer(Player):
    """One game's player: that of the chosen agent."""

    def __init__(self, agent: Champion, game: Game, seat: int, seed: int, *, ponder: bool) -> None:
        super().__init__(agent, game, seat, seed)
        chosen, reason = choice_of(game, agent.level)
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


def choice_of(game: Game, level: int = TOP) -> Choice:
    """Return the agent that plays a game at a level: as its table says, else by its facts."""
    return _strongest(game) if level == TOP else _weaker(game, level)


def _strongest(game: Game) -> Choice:
    but = ""
    for spec in game.champions():
        agent = load_agent(spec)
        try:
            agent.prepare(game)
            return Choice(agent, f"the strongest known{but}")
        except CannotPlayError as error:  # a package is missing, or it does not play this variant
            but = f" that can play here (not {spec}: {error})"
    if game.solver() is not None:
        return Choice(load_agent("perfect"), "the game has an exact solver")
    spec, reason = by_facts(game)
    return Choice(load_agent(spec), reason)


def _weaker(game: Game, level: int) -> Choice:
    specs = game.levels() or levels_by_facts(game)
    if len(specs) != TOP - 1:
        raise GameError(
            f"{game.name}: `levels` returned {counted(len(specs), 'agent')}; needed are {TOP - 1}"
        )
    return Choice(load_agent(specs[level - 1]), f"level {level} of {TOP}")


def search_of(game: Game) -> str:
    """Return the spec of the strongest search known for a game, whether it has a solver or not."""
    searches = (spec for spec in game.champions() if spec != "perfect")
    return next(searches, by_facts(game)[0])


def by_facts(game: Game) -> tuple[str, str]:
    """Return the spec of a search that suits a game about which nothing was measured, and why."""
    facts = game.facts
    if facts.players != 2:
        return "mcts", "the game has one player" if facts.players == 1 else "more than two players"
    if facts.hidden:
        return "mcts", "something is hidden"
    if not game.evaluators:
        return "mcts", "the game has no heuristic"
    return "alphabeta", "two players and a heuristic"


def levels_by_facts(game: Game) -> Sequence[str]:
    """Return specs of nine agents below `by_facts` in a game about which nothing was measured.

    The judge of the lower ones is quick; its play-outs or its heuristic value moves on the scale of
    the game's results, so that the same temperatures suit all games.
    """
    if game.facts.players == 1 and game.solver() is not None:
        return [casual("perfect", 0.01 * 2**step) for step in range(8, -1, -1)]
    if game.facts.players > 2:
        return [f"mcts(simulations={25 * 2**step})" for step in range(9)]
    if by_facts(game)[0] == "mcts":
        judged = [casual("mcts(simulations=25)", each) for each in (1.0, 0.5, 0.25, 0.12)]
        return judged + [f"mcts(simulations={100 * 3**step})" for step in range(5)]
    judged = [casual("alphabeta(depth=1)", each) for each in (1.0, 0.3, 0.1)]
    deeper = [casual(f"alphabeta(depth={depth})", 0.03) for depth in (1, 2, 3)]
    return judged + deeper + [f"alphabeta(depth={depth})" for depth in (4, 5, 6)]


def casual(judge: str, temperature: float) -> str:
    """Return the spec of a player that makes mistakes."""
    return f"casual(judge={judge}, temperature={temperature:g})"
