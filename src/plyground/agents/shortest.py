"""The shortest solution of a puzzle, by a search that knows no game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.compile import prepare
from plyground.control import NODES
from plyground.errors import CannotPlayError
from plyground.game import Game, Position
from plyground.options import option
from plyground.search import shortest as search
from plyground.search.table import touched
from plyground.search.timing import Timer


class Shortest(Agent):
    """Find the fewest moves that solve a puzzle, or its round, by search; for games of one player.

    Where the game has a solver, `perfect` finds them faster.
    """

    name = "shortest"
    deterministic = True
    example_game = "robots"
    rehearses = True

    depth: int | None = option(None, low=1, help="longest solution that is looked for, in moves")
    table_bits: int = option(20, low=4, high=28, help="the transposition table has 2**bits entries")

    def accept(self, game: Game) -> None:
        if game.facts.players != 1:
            raise CannotPlayError(
                f"shortest solves puzzles of 1 player, {game} has {game.facts.players}"
            )

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        game.rules(None, game.advisor("bound"))
        prepare(search.search)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return ShortestPlayer(self, game, seat, seed)


class ShortestPlayer(SearchPlayer):
    """One game's player."""

    agent: Shortest

    def __init__(self, agent: Shortest, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._table = touched(1 << agent.table_bits, search.TRIED)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        limit = limit.within(depth=self.agent.depth)
        position = position.game.puzzle(position)
        game, facts = position.game, position.game.facts
        work = search.workspace(
            position,
            game.rules(None, game.advisor("bound")),
            self._table,
            depth=min(limit.depth or facts.longest, facts.longest),
            nodes=limit.nodes,
        )
        plies = -1

        def solve() -> None:
            nonlocal plies
            plies = search.search(work)

        def thought() -> Thought:
            nodes = int(work.control[NODES])
            found = work.line[: max(0, plies)].tolist()
            counts: dict[str, Any] = {
                "info": {"nodes_per_second": round(nodes / timer.elapsed)},
                "nodes": nodes,
                "line": tuple(found),
            }
            if not found:  # no solution is known: any action is as good
                return Thought(position.legal_actions[0], **counts)
            end = position
            for action in found:
                end = end.play(action)
            value = end.returns[0]
            return Thought(found[0], value, {found[0]: 1.0}, proof=Proof(value, plies), **counts)

        for _ in timer.run(solve, work.control):
            yield thought()
        yield thought()
