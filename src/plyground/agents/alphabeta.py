"""Alpha-beta, one ply deeper at a time for as long as the limit allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from time import perf_counter
from typing import Any

import numpy as np

from plyground.agents.agent import Agent, Limit, Thought, run_stoppable
from plyground.compile import prepare
from plyground.errors import CannotPlay
from plyground.game import Game, Position
from plyground.options import option
from plyground.search import alphabeta as search


@dataclass
class _Memory:
    """A table that serves search after search; each search's salt hides the others' entries."""

    table: Any
    salts: Iterator[int] = field(default_factory=count)


class AlphaBeta(Agent):
    """Search all lines to a depth, cutting what cannot matter; for games of two players."""

    name = "alphabeta"

    depth: int | None = option(None, low=1, high=1000, help="plies; 6 if nothing limits the search")
    evaluate: str = option("", help="the heuristic at the leaves; the game's first if not given")
    table_bits: int = option(20, low=1, high=28, help="the transposition table has 2**bits entries")

    @cached_property
    def _memory(self) -> _Memory:
        return _Memory(np.zeros(1 << self.table_bits, search.ENTRY))

    def prepare(self, game: Game) -> None:
        if game.facts.players != 2:
            raise CannotPlay(f"alphabeta plays games of 2 players, {game} has {game.facts.players}")
        super().prepare(game)
        game.rules(game.evaluator(self.evaluate))
        prepare(search.search)

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        limit = limit.within(depth=self.depth).otherwise(depth=6)
        began = perf_counter()
        game = position.game
        facts = game.facts
        deepest = max(1, min(limit.depth or facts.longest, facts.longest))
        evaluator = game.evaluator(self.evaluate)
        rules = game.rules(evaluator)
        params = np.array(evaluator.params(game), np.float64)
        states = np.empty((deepest + 1, len(position.state)), np.int64)
        actions = np.empty((deepest + 1, facts.branching), np.int64)
        scores = np.empty((deepest + 1, facts.branching))
        killers = np.full(2 * (deepest + 1), search.NO_ACTION, np.int64)
        history = np.zeros((facts.players, facts.actions))
        lines = np.full((deepest + 2, deepest + 2), search.NO_ACTION, np.int64)
        out = np.empty(facts.players)
        control = np.zeros(6, np.int64)
        control[search.SALT] = next(self._memory.salts)
        control[search.NODE_LIMIT] = limit.nodes or np.iinfo(np.int64).max
        control[search.ROOT_PLAYER] = position.player
        best: list[int] = [position.legal_actions[0]]
        value = 0.0
        reached = 0

        def deepen() -> None:
            nonlocal best, value, reached
            for depth in range(1, deepest + 1):
                found = search.search(
                    rules, position.setup, position.state, params, states, actions, scores,
                    out, self._memory.table, killers, history, lines, control, depth,
                )  # fmt: skip
                line = lines[0].tolist()
                if line[0] != search.NO_ACTION:
                    best = line[: line.index(search.NO_ACTION)]
                    value = found
                if control[search.STOP]:
                    return
                reached = depth
                if search.plies_to_end(value) is not None or len(position.legal_actions) == 1:
                    return

        run_stoppable(deepen, control, limit.seconds)
        nodes = int(control[search.NODES])
        info = {
            "depth": reached,
            "nodes": nodes,
            "nodes_per_second": round(nodes / max(perf_counter() - began, 1e-9)),
            "line": best,
            "plies_to_end": search.plies_to_end(value),
            "table_hits": int(control[search.HITS]),
        }
        return Thought(best[0], max(-1.0, min(1.0, value)), {best[0]: 1.0}, info)
