"""Many search trees grown together; a network evaluates their leaves in batches.

    forest = Forest(game, trees=64, simulations=32)
    forest.plant(positions)
    forest.grow(evaluate)
    forest.policy, forest.choices

All trees take one step at a time (see `batch`), in compiled code that releases the interpreter's
lock, so that other forests can take theirs in other threads. Each tree has its own random stream:
its result does not depend on other trees.

With simultaneous moves the second player selects without knowing the first one's action. Positions
with hidden information must be determinized before a tree is planted there; for the second player
that includes the first one's waiting action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import random_stream
from plyground.errors import OptionError
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
from plyground.workspace import Entries, Halves, Records


class Evaluation(NamedTuple):
    """The output of a network for a batch, one row per input."""

    values: NDArray[np.float32]
    """The value for each player, from -1 to 1: the player to move first, then in order of seats.
    Numbers beyond, as rounding makes them, count as -1 and 1."""
    logits: NDArray[np.float32]
    """The logit of each legal action; columns beyond the legal actions are ignored. All are finite
    numbers."""


Evaluate = Callable[[Halves, Entries], Evaluation]
"""A network: takes planes (batch, planes, rows, columns) as bits of bfloat16 numbers and entries of
the policy head (batch, actions, parts). It may return arrays that are still being computed, as JAX
does: `np.asarray` waits for them."""


@dataclass(frozen=True)
class Puct:
    """PUCT, the rule of AlphaZero; the policy is the share of visits at the root."""

    exploration: float = 1.4
    noise: float = 0.0
    """The fraction of Dirichlet noise in the root's priors; usually 0.25 in self-play."""
    concentration: float = 10.0
    """Alpha of the Dirichlet noise times the number of legal actions."""
    drawn: int = 0
    """In self-play, the number of plies in which the action is drawn by the policy; after them, and
    in `Forest.grow`, it is the most visited one."""


@dataclass(frozen=True)
class Gumbel:
    """Gumbel search; see `gumbel`."""

    considered: int = 8
    """The most actions that the root tries."""
    noise: float = 1.0
    """The factor of the Gumbel noise at the root; 0 chooses deterministically."""
    visit_scale: float = 50.0
    value_scale: float = 0.1
    """A value, scaled to 0..1, is multiplied by (visit_scale + most visits of an action) *
    value_scale and added to the logit."""
    rescale: bool = False
    """Whether values are scaled by the least and greatest value of the node's actions, as suits
    puzzles, in which values differ little; otherwise from -1..1."""

    def __post_init__(self) -> None:
        if self.considered < 1:
            raise OptionError(f"considered={self.considered}: at least 1 is needed")


class Forest:
    """Search trees of one game, in preallocated memory."""

    def __init__(
        self,
        game: Game,
        trees: int,
        simulations: int,
        rule: Puct | Gumbel | None = None,
        *,
        seed: int = 0,
    ) -> None:
        """Make trees; each `grow` runs that many simulations, after the evaluation of the root.

        The default rule is `Gumbel()`.
        """
        for name, number, least in (("trees", trees, 1), ("simulations", simulations, 0)):
            if number < least:
                raise OptionError(f"{name}={number}: at least {least} is needed")
        self.game, self.simulations, self.rule = game, simulations, rule or Gumbel()
        facts, (setup_size, state_size) = game.facts, game.sizes
        self.setups = np.zeros((trees, setup_size), np.int64)
        self.roots = np.zeros((trees, state_size), np.int64)
        self.policy = np.zeros((trees, facts.branching), np.float32)
        """The policy of each tree over the legal actions of its root."""
        self.choices = np.full(trees, UNUSED, np.int64)
        """The index of the chosen action among the legal actions of the root."""
        self.outlooks = np.zeros(trees)
        """The value of each root for its player to move."""
        fields = input_fields(game, trees)
        self.planes = fields["planes"].reshape(trees, *game.plane_shape)
        """The input of the network, with `entries`; one row per tree."""
        self.entries = fields["entries"].reshape(trees, facts.branching, facts.policy_parts)
        self._values = np.zeros((trees, facts.players), np.float32)
        self._logits = np.zeros((trees, facts.branching), np.float32)
        self.trees = self._make_trees(seed)
        self.work = self._new_work()

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

    def _new_work(self) -> ForestWorkspace:
        rule = self.rule
        rows = {"planes": self.planes.reshape(-1), "entries": self.entries.reshape(-1)}
        return ForestWorkspace(
            **input_fields(self.game, 0) | rows,
            trees=np.array([work.address for work in self.trees], np.int64),
            values=self._values.reshape(-1),
            logits=self._logits.reshape(-1),
            policies=self.policy.reshape(-1),
            choices=self.choices,
            outlooks=self.outlooks,
            rows=len(self.trees),
            limit=self.simulations + 1,
            player_count=self.game.facts.players,
            noise=rule.noise,
            concentration=rule.concentration if isinstance(rule, Puct) else 0.0,
            drawn=rule.drawn if isinstance(rule, Puct) else 0,
        )

    def plant(self, positions: Sequence[Position]) -> None:
        """Set the roots of the trees; fewer positions than trees leave the last trees unused."""
        if not 1 <= len(positions) <= len(self.trees):
            raise OptionError(
                f"{len(positions)} positions: this forest has {len(self.trees)} trees"
            )
        longest = self.game.facts.longest
        for number, (position, work) in enumerate(zip(positions, self.trees, strict=False)):
            if position.game is not self.game and position.game != self.game:
                raise OptionError(f"{position!r} is no position of {self.game}")
            if position.is_over or position.observer is not None:
                raise OptionError(f"{position!r} cannot be searched: it is over or a player's view")
            self.setups[number], self.roots[number] = position.setup, position.state
            if work.repetition:
                work.past, work.keys, work.seen = past_keys(position, longest + 1)
        self.choices[:] = UNUSED
        self.choices[: len(positions)] = UNDECIDED
        plant_trees(self.work)

    def grow(self, evaluate: Evaluate) -> None:
        """Run all simulations of all trees."""
        while step_trees(self.work):
            self.take(evaluate(self.planes, self.entries))

    def take(self, evaluation: Evaluation) -> None:
        """Take the network's evaluation of the batch, for the next step."""
        _copy("values", evaluation.values, self._values)
        _copy("logits", evaluation.logits, self._logits)
        np.clip(self._values, -1.0, 1.0, out=self._values)

    def children(self, tree: int) -> Records:
        """Return the child nodes of a root, in the order of its legal actions."""
        nodes = self.trees[tree].tree
        first, count = int(nodes[0]["first"]), int(nodes[0]["count"])
        return nodes[first : first + max(0, count)]


def _copy(name: str, numbers: Any, to: NDArray[np.float32]) -> None:
    array = np.asarray(numbers)  # waits for it
    if array.shape != to.shape:
        raise OptionError(f"{name} of the network: shape {array.shape}, where {to.shape} is needed")
    with np.errstate(over="ignore"):  # then it is not finite
        to[:] = array
    if not np.isfinite(to).all():
        raise OptionError(f"{name} of the network: not all are finite numbers")
