"""Tree search guided by a trained network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plyground.agents.agent import Limit, Player, SearchPlayer, Thought
from plyground.agents.trained import Trained
from plyground.agents.trees import Statistics, TreePlayer
from plyground.arithmetic import derive_seed
from plyground.compile import prepare
from plyground.control import STOP, new_control
from plyground.game import Game, Position
from plyground.inference import Inference
from plyground.options import option
from plyground.search.bestfirst import BestFirst
from plyground.search.mcts import back_up_leaves, descend_leaves
from plyground.search.nodes import least_to_keep, transplant
from plyground.search.timing import Timer
from plyground.search.tree import Settings, Tree

LEAST = 1e-9
"""The least prior of an action."""

NODES = 1_000_000
"""The most nodes that a tree holds."""

YOUNG = 16
"""A tree evaluates at most its visits divided by this at once: at first few leaves are worth it."""

ROOT_SHARE = 8
"""The root is evaluated in at most one image per so many evaluations of a move."""

FREE = 8
"""Simulations per evaluation at most: those that end where the result is known need none."""


class AlphaZero(Trained):
    """Search with a trained network: a tree by PUCT, in puzzles best-first search."""

    name = "alphazero"
    guesses = False

    evaluations: int | None = option(
        None, low=1, help="evaluations by the network per move; 64 without any limit"
    )
    exploration: float = option(1.25, low=0, high=10, help="weight of the policy in PUCT")
    batch: int = option(8, low=1, high=256, help="leaves that are evaluated at a time")
    worlds: int = option(4, low=1, help="determinizations searched where information is hidden")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if game.facts.players > 1:
            prepare(descend_leaves, back_up_leaves, least_to_keep, transplant)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        kind = PuzzlePlayer if game.facts.players == 1 else PuctPlayer
        return kind(self, game, seat, seed)

    def most(self, limit: Limit) -> int:
        """Return how many evaluations a move may take; a clock may end it before."""
        own = limit.within(simulations=self.evaluations).otherwise(simulations=64)
        caps = own.simulations, own.nodes, NODES // 4
        return 1 if limit.depth == 1 else min(cap for cap in caps if cap is not None)


def fitting(inference: Inference, timer: Timer, *, is_first: bool = False) -> int:
    """Return how many evaluations can be finished before the search has to stop.

    For the first one, without which a move is no better than any, the reserve is spent too.
    """
    room = inference.fitting(timer.left)
    if room < 1 and is_first and timer.seconds is not None:
        room = min(1, inference.fitting(timer.seconds - timer.elapsed))
    return int(min(room, NODES))


class PuctPlayer(TreePlayer):
    """A player of a game of several: a tree by PUCT.

    A network does not answer quite the same for the images of a position. So the root's policy is
    the mean over its images, and every leaf is seen in an image drawn at random.
    """

    agent: AlphaZero

    def __init__(self, agent: AlphaZero, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._inference = agent.inference(game)

    def new_tree(self, root: Position, seed: int) -> Tree:
        evaluator = self.game.evaluator("nothing")
        settings = Settings(
            select="puct",
            priors=True,
            exploration=self.agent.exploration,
            nodes=NODES,
            haste=self._inference.haste,
        )
        rules = self.game.rules(evaluator)
        return Tree(root, rules, evaluator, settings, seed=seed, leaves=self.agent.batch)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        worlds = self.agent.worlds if position.observer is not None else 1
        position, trees = self.plant(position, seed, worlds)
        most, control = max(1, self.agent.most(limit) // worlds), new_control()
        self._draws = np.random.default_rng(derive_seed(seed, position.ply))
        images = min(self.game.facts.symmetries, max(1, most // ROOT_SHARE))
        asked = [0] * worlds
        for tree in trees:
            tree.work.control = control

        def work() -> None:
            for index, tree in enumerate(trees):
                room = fitting(self._inference, timer, is_first=index == 0)
                asked[index] += self._look_at_root(tree, min(images, room))
            growing = [index for index in range(worlds) if asked[index] < most]
            while growing and not control[STOP]:
                for index in growing:
                    room = fitting(self._inference, timer)
                    if room == 0:
                        return
                    count = min(self.agent.batch, most - asked[index], room)
                    asked[index] += self._grow(trees[index], count)
                growing = [
                    index
                    for index, tree in enumerate(trees)
                    if asked[index] < most and tree.simulations < FREE * most and not tree.is_proved
                ]

        for _ in timer.run(work, control):
            yield self._thought(position, trees)
        yield self._thought(position, trees)

    def _grow(self, tree: Tree, count: int) -> int:
        """Evaluate some leaves at once; return how many."""
        leaves = tree.descend(min(count, max(1, tree.visits // YOUNG)))
        count = len(leaves.players)
        if count > 0:
            symmetries = self._draws.integers(self.game.facts.symmetries, size=count)
            _, values, policy = self._inference.ask(leaves.setups, leaves.states, symmetries)
            tree.back_up(values, np.maximum(policy, LEAST))
        return count

    def _look_at_root(self, tree: Tree, images: int) -> int:
        """Set the root's policy to the mean over some images; return how many are evaluated.

        A root that was a leaf of an earlier search keeps its value.
        """
        is_new = tree.visits == 0
        if tree.is_proved or images == 0 or (images == 1 and not is_new):
            return 0
        symmetries = self._draws.permutation(self.game.facts.symmetries)[:images]
        states = np.repeat(tree.root.state[np.newaxis], images, axis=0)
        _, values, policy = self._inference.ask(tree.root.setup, states, symmetries)
        mean = np.maximum(policy.mean(axis=0, keepdims=True), LEAST)
        if is_new:
            tree.descend()
            tree.back_up(values.mean(axis=0, keepdims=True), mean)
        elif count := len(tree.children()):
            tree.priors()[:] = mean[0, :count] / mean[0, :count].sum()
        return images

    def _thought(self, position: Position, trees: list[Tree]) -> Thought:
        """Return the choice: by what is proved, then by visits; equal proofs by the policy."""
        statistics = Statistics.of(position, trees)
        visits, means = statistics.visits, statistics.means
        actions = trees[0].children(0)["action"].tolist()
        priors = dict(zip(actions, trees[0].priors(0), strict=True))

        def merit(action: int) -> tuple[float, ...]:
            rank = statistics.rank(action)
            weight = 0 if action in statistics.proved else visits[action]
            return rank, weight, priors.get(action, 0.0), means[action]

        best = max(visits, key=merit)
        return Thought(
            best,
            means[best],
            statistics.policy,
            proof=statistics.proof(best),
            nodes=sum(tree.used for tree in trees),
            simulations=sum(tree.simulations for tree in trees),
            line=tuple(trees[0].line(best)),
        )


class PuzzlePlayer(SearchPlayer):
    """A player of a puzzle: best-first search, which goes on from move to move."""

    agent: AlphaZero

    def __init__(self, agent: AlphaZero, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._inference = agent.inference(game)
        self._lines: BestFirst | None = None

    def forget(self) -> None:
        self._lines = None

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        root = position.determinize(seed)
        if self._lines is None:
            self._lines = BestFirst(root, self._ask)
        else:
            self._lines.plant(root)
        lines, most, control = self._lines, self.agent.most(limit), new_control()

        def work() -> None:
            while lines.evaluations < most and not lines.is_done and not control[STOP]:
                room = fitting(self._inference, timer, is_first=not lines.policy)
                if room == 0:
                    break
                lines.grow(min(self.agent.batch, most - lines.evaluations, room))

        for _ in timer.run(work, control):
            yield _thought(lines)
        yield _thought(lines)

    def _ask(self, positions: list[Position]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        setups = np.stack([position.setup for position in positions])
        states = np.stack([position.state for position in positions])
        _, values, policy = self._inference.ask(setups, states)
        return values[:, 0], policy


def _thought(lines: BestFirst) -> Thought:
    actions, value = lines.best()
    policy = dict(zip(lines.root.legal_actions, lines.policy, strict=False))
    return Thought(actions[0], value, policy, line=actions, nodes=lines.evaluations)
