"""The shortest solution of a puzzle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.compile import Words, prepare
from plyground.control import NODES
from plyground.errors import CannotPlay
from plyground.game import Game, Position, Stop
from plyground.options import option
from plyground.search import shortest as search
from plyground.search.timing import Timer


class Shortest(Agent):
    """Find the fewest moves that solve a puzzle, or its round; for games of one player.

    A game's own solver does it, where there is one and no depth is given.
    """

    name = "shortest"
    deterministic = True
    example_game = "robots"

    depth: int | None = option(None, low=1, help="longest solution that is looked for, in moves")
    table_bits: int = option(20, low=4, high=28, help="the transposition table has 2**bits entries")

    def prepare(self, game: Game) -> None:
        if game.facts.players != 1:
            raise CannotPlay(
                f"shortest solves puzzles of 1 player, {game} has {game.facts.players}"
            )
        super().prepare(game)
        game.rules(None, game.advisor("bound"))
        prepare(search.search)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return ShortestPlayer(self, game, seat, seed)


class ShortestPlayer(SearchPlayer):
    """One game's player: by the game's own solver, or by iterative deepening where it has none."""

    agent: Shortest

    def __init__(self, agent: Shortest, game: Game, seat: int, seed: int = 0) -> None:
        super().__init__(agent, game, seat, seed)
        self._solver = game.solver()

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        position = position.game.puzzle(position)
        limit = limit.within(depth=self.agent.depth)
        line: tuple[int, ...] = ()
        solve, control = self._search(position, limit)

        def work() -> None:
            nonlocal line
            line = solve()

        def thought() -> Thought:
            nodes = int(control[NODES])
            counts: dict[str, Any] = {
                "info": {"nodes_per_second": round(nodes / timer.elapsed)},
                "nodes": nodes,
            }
            if not line:  # no solution is known: any action is as good
                return Thought(position.legal_actions[0], **counts)
            played, end = 0, position
            while not end.is_over:  # the game may end before a solution that comes too late
                end = end.play(line[played])
                played += 1
            value = end.returns[0]
            return Thought(
                line[0], value, {line[0]: 1.0}, line=line[:played], proof=Proof(value, played),
                **counts,
            )  # fmt: skip

        for _ in timer.run(work, control):
            yield thought()
        yield thought()

    def _search(
        self, position: Position, limit: Limit
    ) -> tuple[Callable[[], tuple[int, ...]], Words]:
        """Return what finds a shortest solution, () if it does not, and the words that stop it."""
        solver = self._solver
        if solver is not None and limit.depth is None:
            stop = Stop(limit.nodes)

            def exactly() -> tuple[int, ...]:
                solution = solver.solve(position, stop)
                return () if solution is None else solution.line

            return exactly, stop.control
        game, facts = position.game, position.game.facts
        work = search.workspace(
            position,
            game.rules(None, game.advisor("bound")),
            depth=min(limit.depth or facts.longest, facts.longest),
            table_bits=self.agent.table_bits,
            nodes=limit.nodes,
        )

        def deepening() -> tuple[int, ...]:
            plies = search.search(work)
            return tuple(work.line[: max(0, plies)].tolist())

        return deepening, work.control
