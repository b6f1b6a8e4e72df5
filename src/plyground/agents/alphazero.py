"""Tree search guided by a trained network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.arithmetic import derive_seed
from plyground.control import STOP, new_control
from plyground.game import Game, Position
from plyground.inference import Inference
from plyground.options import Kind, option
from plyground.search.bestfirst import BestFirst
from plyground.search.nodes import WON
from plyground.search.timing import Timer
from plyground.search.tree import Settings, Tree

NODES = 1_000_000
"""The most nodes that a tree holds."""


class AlphaZero(Agent):
    """Search with a trained network: a tree by PUCT, in puzzles best-first search."""

    name = "alphazero"
    guesses = False
    example_game = "robots"

    weights: str = option(
        "",
        kind=Kind.FILE,
        help="ONNX file or name of a network; by default the one that comes with the game",
    )
    evaluations: int | None = option(
        None, low=1, help="evaluations by the network per move; 64 without any limit"
    )
    exploration: float = option(1.25, low=0, high=10, help="weight of the policy in PUCT")
    batch: int = option(8, low=1, high=256, help="leaves that are evaluated at a time")
    worlds: int = option(4, low=1, help="determinizations searched where information is hidden")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        Inference(game, self.weights)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        if game.facts.players == 1:
            return PuzzlePlayer(self, game, seat, seed)
        return TreePlayer(self, game, seat, seed)


class _NetworkPlayer(SearchPlayer):
    """What both kinds of player do: count evaluations, and search until they or the time are up."""

    agent: AlphaZero

    def __init__(self, agent: AlphaZero, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self.inference = Inference(game, agent.weights)

    def _evaluations(self, limit: Limit) -> int:
        """Return how many evaluations a move may take; a clock may end it before."""
        own = limit.within(simulations=self.agent.evaluations).otherwise(simulations=64)
        most = min(each for each in (own.simulations, own.nodes, NODES // 4) if each is not None)
        return 1 if limit.depth == 1 else most


class TreePlayer(_NetworkPlayer):
    """One game's player, and the trees that it keeps from move to move."""

    def __init__(self, agent: AlphaZero, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self.trees: list[Tree] = []

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        worlds = self.agent.worlds if position.observer is not None else 1
        roots = [position.determinize(derive_seed(seed, world)) for world in range(worlds)]
        for number, root in enumerate(roots):
            if number < len(self.trees):
                self.trees[number].plant(root, derive_seed(seed, number))
            else:
                self.trees.append(self._new_tree(root, derive_seed(seed, number)))
        trees, control = self.trees[:worlds], new_control()
        most = max(1, self._evaluations(limit) // worlds)

        def work() -> None:
            for _ in range(most):
                for tree in trees:
                    self._grow(tree, min(self.agent.batch, max(1, most - tree.simulations)))
                if control[STOP] or all(t.is_proved or t.simulations >= most for t in trees):
                    return

        for _ in timer.run(work, control):
            yield self._thought(position, trees)
        yield self._thought(position, trees)

    def _new_tree(self, root: Position, seed: int) -> Tree:
        evaluator = self.game.evaluator("nothing")
        settings = Settings(
            select="puct", priors=True, exploration=self.agent.exploration, nodes=NODES
        )
        rules = self.game.rules(evaluator)
        return Tree(root, rules, evaluator, settings, seed=seed, leaves=self.agent.batch)

    def _grow(self, tree: Tree, count: int) -> None:
        """Evaluate some leaves at once; a young tree has few that are worth it."""
        young = max(1, tree.visits // 4)
        leaves = tree.descend(min(count, young))
        if len(leaves.players) == 0:
            return
        _, values, policy = self.inference.ask(leaves.setups, leaves.states)
        tree.back_up(np.clip(values, -1.0, 1.0), np.maximum(policy, 1e-9))

    def _thought(self, position: Position, trees: list[Tree]) -> Thought:
        """Add up what the trees say of the root's actions."""
        visits = dict.fromkeys(position.legal_actions, 0)
        sums = dict.fromkeys(position.legal_actions, 0.0)
        sure: dict[int, int] = {}
        for tree in trees:
            for child in tree.children(0):
                action = int(child["action"])
                visits[action] = visits.get(action, 0) + int(child["visits"])
                sums[action] = sums.get(action, 0.0) + float(child["value"])
                if child["proof"] and position.observer is None:
                    sure[action] = 1 if child["proof"] == WON else -1
        priors = dict(zip(trees[0].children(0)["action"].tolist(), trees[0].priors(0), strict=True))
        means = {action: sums[action] / max(1, visits[action]) for action in visits}
        means |= {action: float(verdict) for action, verdict in sure.items()}

        def merit(action: int) -> tuple[float, ...]:
            return sure.get(action, 0), visits[action], priors.get(action, 0.0), means[action]

        best, total = max(visits, key=merit), max(1, sum(visits.values()))
        return Thought(
            best,
            means[best],
            {action: count / total for action, count in visits.items()},
            proof=Proof(float(sure[best])) if best in sure else None,
            nodes=sum(tree.used for tree in trees),
            simulations=sum(tree.simulations for tree in trees),
            line=tuple(trees[0].line(best)),
        )


class PuzzlePlayer(_NetworkPlayer):
    """A player of a puzzle: best-first search, whose best line so far is kept from move to move."""

    def __init__(self, agent: AlphaZero, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._plan: tuple[int, ...] = ()
        self._at: Position | None = None

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        follows = self._at is not None and position.previous == self._at
        plan = self._plan[1:] if follows and self._plan[:1] == (position.action,) else ()
        tree = BestFirst(position, self._ask, plan)
        most, control = self._evaluations(limit), new_control()

        def work() -> None:
            while tree.evaluations < most and not tree.is_done and not control[STOP]:
                tree.grow(min(self.agent.batch, most - tree.evaluations))

        for _ in timer.run(work, control):
            yield self._thought(position, tree)
        thought = self._thought(position, tree)
        self._plan, self._at = tree.solution, position
        yield thought

    def _ask(self, positions: list[Position]) -> Any:
        setups = np.stack([position.setup for position in positions])
        states = np.stack([position.state for position in positions])
        _, values, policy = self.inference.ask(setups, states)
        return values[:, 0], policy

    def _thought(self, position: Position, tree: BestFirst) -> Thought:
        line, value = tree.best()
        policy = dict(zip(position.legal_actions, tree.policy, strict=False))
        return Thought(line[0], value, policy, line=line, nodes=tree.evaluations)
