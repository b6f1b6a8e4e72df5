"""The shortest solution of a puzzle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plyground.agents.agent import Limit, Searcher, Thought
from plyground.compile import prepare
from plyground.errors import CannotPlay
from plyground.game import Game, Position
from plyground.options import option
from plyground.search import shortest as search
from plyground.search.timing import Timer


class Shortest(Searcher):
    """Find the fewest moves that solve a puzzle, or its round; for games of one player."""

    name = "shortest"
    deterministic = True

    depth: int | None = option(None, low=1, help="look for solutions up to this length")
    table_bits: int = option(20, low=4, high=28, help="the table has 2**bits entries")

    def prepare(self, game: Game) -> None:
        if game.facts.players != 1:
            raise CannotPlay(
                f"shortest solves puzzles of 1 player, {game} has {game.facts.players}"
            )
        super().prepare(game)
        game.rules(None, game.advisor("bound"))
        prepare(search.search)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        limit = limit.within(depth=self.depth)
        position = position.game.puzzle(position)
        game, facts = position.game, position.game.facts
        deepest = min(limit.depth or facts.longest, facts.longest)
        control = np.zeros(search.CONTROL_SIZE, np.int64)
        control[search.NODE_LIMIT] = limit.nodes or np.iinfo(np.int64).max
        control[search.STATE_SIZE] = len(position.state)
        control[search.WIDTH] = facts.branching
        line = np.zeros(deepest + 1, np.int64)
        arrays = (
            np.empty((deepest + 2) * len(position.state), np.int64),
            np.empty((deepest + 2) * facts.branching, np.int64),
            np.empty(facts.players),
            np.zeros(1 << self.table_bits, search.ENTRY),
            line,
            control,
        )
        rules = game.rules(None, game.advisor("bound"))
        plies = -1

        def solve() -> None:
            nonlocal plies
            plies = search.search(rules, position.setup, position.state, *arrays, deepest)

        def thought() -> Thought:
            nodes = int(control[search.NODES])
            found = line[: max(0, plies)].tolist()
            info = {
                "plies": plies,
                "nodes": nodes,
                "nodes_per_second": round(nodes / timer.elapsed),
                "line": found,
            }
            if not found:  # no solution is known: any action is as good
                return Thought(position.legal_actions[0], None, {}, info)
            end = position
            for action in found:
                end = end.play(action)
            return Thought(found[0], end.returns[0], {found[0]: 1.0}, info)

        for _ in timer.run(solve, control):
            yield thought()
        yield thought()
