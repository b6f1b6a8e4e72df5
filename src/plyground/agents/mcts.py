"""Monte Carlo tree search with random rollouts; the tree is kept from move to move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from plyground.agents.agent import Agent, Limit, Thought, run_stoppable
from plyground.arithmetic import random_stream
from plyground.compile import prepare
from plyground.game import Game, Position
from plyground.options import option
from plyground.search import mcts as search

_SHARES = 1.0 / np.sqrt(np.maximum(np.arange(1024.0), 1.0))


@dataclass
class _Tree:
    """A tree, the position its root stands for, and a second buffer to move it into."""

    root: Position | None
    nodes: Any
    spare: Any
    used: int = 1


class Mcts(Agent):
    """Grow a tree of what random play-outs say (UCT); for any number of players."""

    name = "mcts"

    simulations: int | None = option(None, low=1, help="a move; 1000 if nothing limits the search")
    exploration: float = option(
        1.4, low=0, help="how much the tree favours what it knows little of"
    )
    nodes: int = option(4_000_000, low=1000, high=1_000_000_000, help="the most the tree may hold")
    reuse: bool = option(True, help="keep what was learnt for the next move of the same game")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        prepare(search.search, search.transplant)

    def choose(self, position: Position, limit: Limit, seed: int) -> Thought:
        limit = limit.within(simulations=self.simulations).otherwise(simulations=1000)
        began = perf_counter()
        facts = position.game.facts
        tree = self._tree(position)
        control = np.array([0, tree.used, 0])
        before = int(tree.nodes[0]["visits"])
        simulations = limit.simulations or np.iinfo(np.int64).max

        def grow() -> None:
            search.search(
                position.game.rules(), position.setup, position.state, tree.nodes, control,
                position.state.copy(), np.empty(facts.longest + 1, np.int64),
                np.empty(facts.branching, np.int64), np.empty(facts.players),
                random_stream(seed, position.ply), _SHARES, self.exploration, simulations,
            )  # fmt: skip

        run_stoppable(grow, control, limit.seconds)
        tree.used = int(control[search.USED])
        done = int(control[search.SIMULATIONS])
        first, count = int(tree.nodes[0]["first"]), int(tree.nodes[0]["count"])
        children = tree.nodes[first : first + count]
        if count == 0:  # stopped before the first simulation
            return Thought(position.legal_actions[0])
        order = np.lexsort((children["value"], children["visits"]))
        best = children[order[-1]]
        total = max(1, int(children["visits"].sum()))
        policy = {int(each["action"]): float(each["visits"]) / total for each in children}
        info = {
            "simulations": done,
            "simulations_per_second": round(done / max(perf_counter() - began, 1e-9)),
            "reused": before,
            "nodes": tree.used,
        }
        value = float(best["value"]) / max(1, int(best["visits"]))
        return Thought(int(best["action"]), value, dict(sorted(policy.items())), info)

    @cached_property
    def _memory(self) -> _Tree:
        # Memory that is never touched costs nothing.
        return _Tree(None, np.empty(self.nodes, search.NODE), np.empty(self.nodes, search.NODE))

    def _tree(self, position: Position) -> _Tree:
        """Find the position in the tree kept from the last move, or begin a new tree."""
        tree = self._memory
        found = _descend(tree, position) if self.reuse and tree.root is not position else None
        if found is None:
            tree.nodes[0] = np.zeros((), search.NODE)
            tree.used = 1
        else:
            tree.used = search.transplant(tree.nodes, tree.spare, found)
            tree.nodes, tree.spare = tree.spare, tree.nodes
        tree.root = position
        return tree


def _descend(kept: _Tree, position: Position) -> int | None:
    """Follow the actions played since the kept root; None if they lead out of the tree."""
    actions: list[int] = []
    earlier: Position | None = position
    while earlier is not None and earlier is not kept.root:
        if earlier.action is not None:
            actions.append(earlier.action)
        earlier = earlier.previous
    if earlier is None:
        return None
    node = 0
    for action in reversed(actions):
        first, count = int(kept.nodes[node]["first"]), int(kept.nodes[node]["count"])
        children = kept.nodes[first : first + max(count, 0)]["action"].tolist()
        if action not in children:
            return None
        node = first + children.index(action)
    return node
