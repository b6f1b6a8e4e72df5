"""Max^n search by iterative deepening, for as long as the limit allows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plyground.agents.agent import Agent, Limit, Player, SearchPlayer, Thought
from plyground.compile import prepare
from plyground.control import NODES, STOP
from plyground.game import Game, Position
from plyground.options import Kind, option
from plyground.search import maxn
from plyground.search.plies import best_line
from plyground.search.table import Table
from plyground.search.timing import Timer


class MaxN(Agent):
    """Max^n search: every player maximizes its own value; for any number of players."""

    name = "maxn"
    deterministic = True
    rehearses = True

    depth: int | None = option(
        None, low=1, high=1000, help="plies; 4 where nothing limits the search"
    )
    evaluate: str = option(
        "", kind=Kind.EVALUATOR, help="heuristic at the leaves; by default the game's first"
    )
    prune: bool = option(True, help="stop at a move that wins at once")
    table_bits: int = option(18, low=1, high=28, help="the transposition table has 2**bits entries")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        game.rules(game.evaluator(self.evaluate), game.advisor("order"))
        prepare(maxn.search)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return MaxNPlayer(self, game, seat, seed)


class MaxNPlayer(SearchPlayer):
    """Player that searches anew for every move; only the table's memory is kept."""

    agent: MaxN

    def __init__(self, agent: MaxN, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._table = Table(agent.table_bits)
        self._vectors = np.full(game.facts.players << agent.table_bits, 0.0)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        agent = self.agent
        limit = limit.within(depth=agent.depth).otherwise(depth=4)
        game, facts = position.game, position.game.facts
        evaluator = game.evaluator(agent.evaluate)
        deepest = max(1, min(limit.depth or facts.longest, facts.longest))
        work = maxn.workspace(
            position,
            game.rules(evaluator, game.advisor("order")),
            evaluator,
            self._table,
            self._vectors,
            depth=deepest,
            prune=agent.prune,
            nodes=limit.nodes,
        )
        control = work.control
        best: list[int] = [position.legal_actions[0]]
        values = [0.0] * facts.players
        reached = 0

        def deepen() -> None:
            nonlocal best, values, reached
            for depth in range(1, deepest + 1):
                work.cuts = 0
                maxn.search(work, depth)
                if line := best_line(work):
                    best, values = line, work.values[: facts.players].tolist()
                if control[STOP]:
                    return
                reached = depth
                if work.cuts == 0:  # every line was followed to its end
                    return

        def thought() -> Thought:
            nodes = int(control[NODES])
            expected = [max(-1.0, min(1.0, value)) for value in values]
            info = {
                "nodes_per_second": round(nodes / timer.elapsed),
                "values": expected,
                "table_hits": work.hits,
            }
            return Thought(
                best[0],
                expected[position.player],
                {best[0]: 1.0},
                info,
                depth=reached,
                nodes=nodes,
                line=tuple(best),
            )

        for _ in timer.run(deepen, control):
            yield thought()
        yield thought()
