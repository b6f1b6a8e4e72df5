"""Many trees grown together, whose leaves a network values in batches.

    forest = Forest(game, trees=64, simulations=32)
    forest.plant(positions)
    forest.grow(evaluate)
    forest.policy, forest.choices

All trees take a step at a time (see `batch`), in compiled code that does without the lock of the
interpreter, so that threads share the trees out. Each tree has a random stream of its own: what
it becomes does not depend on threads or on the other trees.

Where two players choose at once, the second is asked as if it did not know the first's choice; a
tree that is planted where the second is to move takes the first's choice, which is a guess, for
known. What else is hidden from the player to move is to be guessed before a tree is planted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import random_stream
from plyground.compile import Entries, Function, Halves, Words
from plyground.errors import BadOption
from plyground.game import Game, Position
from plyground.game.planes import input_fields, network_rules
from plyground.search.batch import (
    UNDECIDED,
    UNUSED,
    ForestWorkspace,
    plant_trees,
    step_trees,
)
from plyground.search.gumbel import schedule_of
from plyground.search.nodes import GUMBEL, MctsWorkspace
from plyground.search.repetition import SEEN, past_keys
from plyground.search.tree import Settings, new_workspace
from plyground.workspace import Records


class Evaluation(NamedTuple):
    """What a network says of a batch, row by row."""

    values: NDArray[np.float32]
    """What the game is worth to each player, from -1 to 1: to the one who is to move, to the one
    whose seat follows, and so on round the table."""
    logits: NDArray[np.float32]
    """The logit of each legal action, in their order; what follows has no meaning."""


Evaluate = Callable[[Halves, Entries], Evaluation]
"""A network: from planes (rows, planes, rows, columns) as bits of bfloat16 numbers and entries of
the policy head (rows, actions, parts) to their evaluation. It may return before it is done, what
`np.asarray` waits for."""


@dataclass(frozen=True)
class Puct:
    """Search by PUCT, as AlphaZero: the policy is the root's share of visits."""

    exploration: float = 1.4
    noise: float = 0.0
    """The share of the root's priors that is Dirichlet noise; 0.25 in self-play."""
    concentration: float = 10.0
    """The noise's alpha times the number of actions."""
    drawn: int = 0
    """Plies from the start of a game in which the action is drawn by the policy; later, and in
    trees planted by hand, it is the one most visited."""


@dataclass(frozen=True)
class Gumbel:
    """Gumbel search; the policy is the improved one."""

    considered: int = 8
    """How many actions the root tries at most."""
    noise: float = 1.0
    """How much Gumbel noise is added to the root's logits; 0 where there is nothing to explore."""
    visit_scale: float = 50.0
    value_scale: float = 0.1
    """A value from 0 to 1 counts (visit_scale + visits of the most visited) * value_scale as much
    as a logit."""
    rescale: bool = False
    """Whether each node's values are stretched to 0 to 1: for puzzles, whose values differ little.
    Otherwise -1 is 0 and 1 is 1."""

    def __post_init__(self) -> None:
        if self.considered < 1:
            raise BadOption(f"considered={self.considered}: at least 1 is needed")


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "forest")


class Forest:
    """Trees of one game in memory of their own, shared out among threads."""

    def __init__(
        self,
        game: Game,
        trees: int,
        simulations: int,
        rule: Puct | Gumbel | None = None,
        *,
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        """Make trees that are not planted yet, each to grow by so many simulations.

        One evaluation of the root comes before them. The rule is `Gumbel()` if not given.
        """
        for name, number, least in (
            ("trees", trees, 1), ("simulations", simulations, 0), ("threads", threads, 1),
        ):  # fmt: skip
            if number < least:
                raise BadOption(f"{name}={number}: at least {least} is needed")
        self.game, self.simulations, self.rule = game, simulations, rule or Gumbel()
        self.threads = threads
        facts, (setup_size, state_size) = game.facts, game.sizes
        self.setups = np.zeros((trees, setup_size), np.int64)
        self.roots = np.zeros((trees, state_size), np.int64)
        self.policy = np.zeros((trees, facts.branching), np.float32)
        """The policy of each tree that is done, by the root's legal actions."""
        self.choices = np.full(trees, UNUSED, np.int64)
        """The number of the chosen action among the root's legal actions."""
        self.outlooks = np.zeros(trees)
        """What each root is worth to its player to move."""
        fields = input_fields(game, trees)
        self.planes = fields["planes"].reshape(trees, *game.plane_shape)
        """The batch for the network, a row for each tree."""
        self.entries = fields["entries"].reshape(trees, facts.branching, facts.policy_parts)
        self._values = np.zeros((trees, facts.players), np.float32)
        self._logits = np.zeros((trees, facts.branching), np.float32)
        self.trees = self._make_trees(seed)
        self.slices = [
            self._slice(part) for part in np.array_split(np.arange(trees), threads) if len(part)
        ]

    def _make_trees(self, seed: int) -> list[MctsWorkspace]:
        game, rule, facts = self.game, self.rule, self.game.facts
        settings = Settings(
            select="puct",
            exploration=rule.exploration if isinstance(rule, Puct) else 0.0,
            priors=True,
            solve=False,
            nodes=1 + (self.simulations + 1) * facts.branching,
        )
        rules, evaluator = network_rules(game), game.evaluator("nothing")
        past = 2 * (facts.longest + 1) if facts.repetition else 0
        trees = []
        for number, (setup, root) in enumerate(zip(self.setups, self.roots, strict=True)):
            work = new_workspace(game, rules, evaluator, settings)
            work.setup, work.root, work.random = setup, root, random_stream(seed, number)
            work.keys = np.zeros(past, np.int64)
            work.seen = np.zeros(int(SEEN) + 1 if past else 0, np.int64)
            trees.append(work)
        if isinstance(rule, Gumbel):
            considered = min(rule.considered, facts.branching)
            schedule = schedule_of(considered, self.simulations)
            for work in trees:
                work.rule, work.schedule, work.planned = GUMBEL, schedule, self.simulations
                work.considered, work.rescale = considered, rule.rescale
                work.visit_scale, work.value_scale = rule.visit_scale, rule.value_scale
                work.tries = np.zeros(facts.branching, np.int64)
                work.sums, work.merits = np.zeros(facts.branching), np.zeros(facts.branching)
        return trees

    def _slice(self, part: Words) -> ForestWorkspace:
        """Make the workspace of neighbouring trees, whose rows are parts of the whole batch."""
        rule, of = self.rule, slice(part[0], part[-1] + 1)
        rows = {"planes": self.planes[of].reshape(-1), "entries": self.entries[of].reshape(-1)}
        return ForestWorkspace(
            **input_fields(self.game, 0) | rows,
            trees=np.array([work.address for work in self.trees[of]], np.int64),
            values=self._values[of].reshape(-1),
            logits=self._logits[of].reshape(-1),
            policies=self.policy[of].reshape(-1),
            choices=self.choices[of],
            outlooks=self.outlooks[of],
            rows=len(part),
            limit=self.simulations + 1,
            player_count=self.game.facts.players,
            noise=rule.noise,
            concentration=rule.concentration if isinstance(rule, Puct) else 0.0,
            drawn=rule.drawn if isinstance(rule, Puct) else 0,
        )

    def plant(self, positions: Sequence[Position]) -> None:
        """Root the trees in positions, at most as many as there are trees."""
        if not 1 <= len(positions) <= len(self.trees):
            raise BadOption(f"{len(positions)} positions: this forest has {len(self.trees)} trees")
        longest = self.game.facts.longest
        for number, (position, work) in enumerate(zip(positions, self.trees, strict=False)):
            if position.game is not self.game and position.game != self.game:
                raise BadOption(f"{position!r} is no position of {self.game}")
            if position.is_over or position.observer is not None:
                raise BadOption(f"{position!r} cannot be searched: it is over, or a view")
            self.setups[number], self.roots[number] = position.setup, position.state
            if work.repetition:
                work.past, work.keys, work.seen = past_keys(position, longest + 1)
        self.choices[:] = UNUSED
        self.choices[: len(positions)] = UNDECIDED
        self.run(plant_trees)

    def grow(self, evaluate: Evaluate) -> None:
        """Grow all trees to their end."""
        while sum(self.run(step_trees)):
            self.take(evaluate(self.planes, self.entries))

    def take(self, evaluation: Evaluation) -> None:
        """Hand the trees the evaluation of the batch, which their next step needs."""
        _copy("values", evaluation.values, self._values)
        _copy("logits", evaluation.logits, self._logits)

    def run(self, step: Function, *more: Sequence[Any]) -> list[Any]:
        """Call a loop for every part of the forest, one in each thread, and wait for all.

        `more` are further arguments, one for each part.
        """
        if len(self.slices) == 1:
            return [step(self.slices[0], *(each[0] for each in more))]
        return list(_pool(self.threads).map(step, self.slices, *more))

    def children(self, tree: int) -> Records:
        """Return the nodes of a root's actions, in the order of its legal actions."""
        nodes = self.trees[tree].tree
        first, count = int(nodes[0]["first"]), int(nodes[0]["count"])
        return nodes[first : first + max(0, count)]


def _copy(name: str, numbers: Any, to: NDArray[np.float32]) -> None:
    array = np.asarray(numbers)  # waits for it
    if array.shape != to.shape:
        raise BadOption(f"{name} of the network: shape {array.shape}, where {to.shape} is needed")
    to[:] = array
    if np.isnan(to).any():
        raise BadOption(f"{name} of the network: not all are numbers (NaN)")
