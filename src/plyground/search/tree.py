"""A tree of Monte Carlo tree search: grown by compiled code, or leaf by leaf for a caller's values.

    tree = Tree(position, game.rules(evaluator), evaluator)
    tree.grow(1000)

or, with values from elsewhere, such as a network that sees the leaves of many trees at once:

    leaves = descend_all(trees)
    values, priors = network(game.encode_states(leaves.setups, leaves.states), leaves.actions)
    back_up_all(trees, values, priors)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import random_stream
from plyground.compile import Reals, Words
from plyground.control import STOP, UNLIMITED, new_control
from plyground.errors import BadOption
from plyground.game import Evaluator, Position
from plyground.search import mcts
from plyground.search.nodes import (
    NODE,
    NOTES,
    PRIOR,
    RULES,
    SHARES,
    WINS,
    MctsWorkspace,
    transplant,
)
from plyground.search.repetition import past_keys
from plyground.search.timing import Timer
from plyground.workspace import Records

CHUNK = 64
"""Simulations between two looks at the clock, where trees take turns."""


@dataclass(frozen=True)
class Settings:
    """How a tree grows."""

    select: str = "ucb1"
    """The bound that picks a child, one of RULES."""
    exploration: float = 1.4
    priors: bool = False
    """Whether `back_up` is given priors; they are used by the rule puct."""
    best: int = 0
    """How many children a node gets, the best ones; 0: all."""
    heuristic: bool = False
    """Whether leaves are worth what the evaluator says; otherwise they are played out."""
    cutoff: int = 0
    """Plies after which a play-out ends by the evaluator; 0: never."""
    depth: int | None = None
    solve: bool = True
    """Prove wins and losses in games of two."""
    count_wins: bool = False
    nodes: int = 2_000_000
    """The most that a tree holds."""

    def __post_init__(self) -> None:
        if self.priors and self.select != "puct":
            raise BadOption(f"select={self.select}: priors are used by puct alone")


class Leaves(NamedTuple):
    """Leaves that wait for their values, one row each; valid until the values are given.

    `game.encode_states(leaves.setups, leaves.states)` is what a network sees of them.
    """

    setups: Words
    states: Words
    players: Words
    """Who is to move."""
    actions: Words
    """The legal actions first, as many as `counts` says; the rest has no meaning."""
    counts: Words


class Tree:
    """A tree in two buffers, between which it is moved when it is re-rooted or has to shrink."""

    def __init__(
        self,
        position: Position,
        rules: Any,
        evaluator: Evaluator,
        settings: Settings | None = None,
        *,
        seed: int = 0,
        leaves: int = 1,
    ) -> None:
        """Make a tree that is its root alone; `descend` will find at most so many leaves at once.

        `rules` is the table of the game's kernels, with those of the evaluator and of any advice.
        """
        self.settings = settings = settings or Settings()
        self.game, self.capacity = position.game, leaves
        facts, size = self.game.facts, len(position.state)
        nodes, notes = self._buffer()
        self._spare = self._buffer()
        nothing = np.zeros(0, np.int64)  # `plant` brings what depends on the position
        self.work = MctsWorkspace(
            rules=rules,
            setup=position.setup,
            params=np.array(evaluator.params(self.game), np.float64),
            control=new_control(),
            random=random_stream(seed),
            root=position.state,
            tree=nodes,
            notes=notes,
            shares=SHARES,
            keys=nothing,
            seen=nothing,
            scratch=np.empty(size, np.int64),
            leaves=np.empty(leaves * size, np.int64),
            players=np.empty(leaves, np.int64),
            actions=np.empty(leaves * facts.branching, np.int64),
            counts=np.empty(leaves, np.int64),
            scores=np.empty(leaves * facts.branching),
            paths=np.empty(leaves * (facts.longest + 1), np.int64),
            depths=np.empty(leaves, np.int64),
            returns=np.empty(leaves * facts.players),
            exploration=settings.exploration,
            rule=RULES.index(settings.select),
            solve=settings.solve and facts.players == 2 and not facts.simultaneous,
            priors=settings.priors,
            best=settings.best,
            deepest=min(settings.depth or facts.longest, facts.longest),
            heuristic=settings.heuristic,
            cutoff=settings.cutoff,
            count_wins=settings.count_wins,
            noted=self._noted,
            simultaneous=facts.simultaneous,
            repetition=facts.repetition,
            past=0,
            state_size=size,
            branching=facts.branching,
            path_size=facts.longest + 1,
            player_count=facts.players,
            node_limit=settings.nodes,
        )
        self.plant(position, seed, reuse=False)

    @property
    def _noted(self) -> bool:
        return self.settings.select != "ucb1" or self.settings.count_wins

    def _buffer(self) -> tuple[Records, Reals]:
        count = self.settings.nodes  # memory that is never touched costs nothing
        return np.empty(count, NODE), np.empty(NOTES * (count if self._noted else 1))

    # What the tree holds

    @property
    def used(self) -> int:
        """How many nodes it has."""
        return self.work.used

    @property
    def nodes(self) -> Records:
        """Its nodes, the root first."""
        return self.work.tree[: self.work.used]

    @property
    def simulations(self) -> int:
        """How many simulations were finished since it was planted."""
        return self.work.simulations

    @property
    def visits(self) -> int:
        """How many simulations the root has seen, those before it was planted among them."""
        return int(self.work.tree[0]["visits"])

    @property
    def is_proved(self) -> bool:
        """Whether the root's result is sure."""
        return bool(self.work.tree[0]["proof"])

    def children(self, node: int = 0) -> Records:
        """Return the children of a node."""
        return self.work.tree[self._range(node)]

    def wins(self) -> list[float]:
        """Return how many simulations each child of the root won, where that is counted."""
        counted = self.settings.count_wins
        return self._notes(0)[:, WINS].tolist() if counted else [0.0] * len(self.children())

    def priors(self, node: int = 0) -> Reals:
        """Return the priors of a node's children, which may be changed in place; puct only."""
        return self._notes(node)[:, PRIOR]

    def _notes(self, node: int) -> NDArray[np.float64]:
        return self.work.notes.reshape(-1, NOTES)[self._range(node)]

    def _range(self, node: int) -> slice:
        first, count = (int(self.work.tree[node][field]) for field in ("first", "count"))
        return slice(first, first + max(0, count))

    def line(self, action: int) -> list[int]:
        """Return an action of the root and the most visited replies after it."""
        found, node = [action], self._child(0, action)
        while node is not None and (children := self.children(node))["visits"].any():
            found.append(int(children["action"][children["visits"].argmax()]))
            node = self._child(node, found[-1])
        return found

    def _child(self, node: int, action: int | None) -> int | None:
        """Return the child that an action leads to."""
        actions = self.children(node)["action"].tolist()
        return self._range(node).start + actions.index(action) if action in actions else None

    # Where its root is

    def plant(self, position: Position, seed: int = 0, reuse: bool = True) -> None:
        """Root the tree in a position: where it already has it, else anew."""
        work = self.work
        if position.game is not self.game and position.game != self.game:
            raise BadOption(f"{position!r} is no position of {self.game}")
        self._check_waiting(0)
        found = self._find(position) if reuse else None
        self.root = position
        work.setup, work.root = position.setup, position.state
        work.past, work.keys, work.seen = past_keys(position, self.game.facts.longest + 1)
        work.random = random_stream(seed)
        work.simulations = work.full = 0
        if found is None:
            work.tree[0] = np.zeros((), NODE)
            work.tree[0]["player"] = position.player
            work.notes[:NOTES] = 0.0
            work.used = 1
        else:
            self._move(found, 0)

    def _find(self, position: Position) -> int | None:
        """Follow the actions played since the root; None if they lead out of the tree."""
        line = position.line()
        where = next((i for i, earlier in enumerate(line) if earlier is self.root), None)
        if where is None or position is self.root:
            return None
        node: int | None = 0
        for later in line[where + 1 :]:
            node = self._child(node, later.action) if node is not None else None
        return node

    def _move(self, root: int, least: int) -> None:
        work = self.work
        work.used = transplant(work, *self._spare, root, least)
        (work.tree, work.notes), self._spare = self._spare, (work.tree, work.notes)

    def _shrink(self) -> None:
        """Drop the children of the least visited nodes until half of the tree's room is free."""
        least = 2
        while self.used > self.settings.nodes // 2 and least <= 2 * self.visits:
            self._move(0, least)
            least *= 2
        self.work.full = 0

    # Growing by itself

    def grow(
        self,
        simulations: int,
        nodes: int = UNLIMITED,
        control: Words | None = None,
        timer: Timer | None = None,
        seconds: float | None = None,
    ) -> None:
        """Simulate until it is enough, all is sure or `control` says so.

        A tree that is full drops what it visits least, unless `nodes` limits it. With `seconds` it
        stops after so many of the timer's, where trees take turns.
        """
        assert not self.settings.priors, "leaves are to get their priors from the caller"
        self._check_waiting(0)
        work = self.work
        work.node_limit = min(nodes, self.settings.nodes)
        if control is not None:
            work.control = control
        until = timer.elapsed + seconds if timer is not None and seconds is not None else None
        chunk = simulations if until is None else CHUNK
        while work.simulations < simulations and not work.control[STOP]:
            mcts.search(work, min(chunk, simulations - work.simulations))
            if self.is_proved or (work.full and nodes < UNLIMITED):
                return
            if work.full:
                self._shrink()
            if timer is not None and until is not None and timer.elapsed > until:
                return

    # Growing leaf by leaf

    def descend(self, count: int = 1) -> Leaves:
        """Begin up to `count` simulations; return the leaves that wait for their values.

        Those that reach the end of a game are finished at once. There are fewer leaves where one
        would be reached twice, when the root's result is sure (`is_proved`) or the tree is full.
        """
        if not 1 <= count <= self.capacity:
            raise BadOption(f"count={count}: this tree has room for 1 to {self.capacity} leaves")
        self._check_waiting(0)
        if self.work.full:
            self._shrink()
        found, work = mcts.descend_leaves(self.work, count), self.work
        return Leaves(
            np.broadcast_to(work.setup, (found, len(work.setup))),
            work.leaves.reshape(self.capacity, -1)[:found],
            work.players[:found],
            work.actions.reshape(self.capacity, -1)[:found],
            work.counts[:found],
        )

    def back_up(self, values: Any, priors: Any = None) -> None:
        """Finish the simulations whose leaves wait, by each player's value of each leaf.

        `priors` are weights of the leaves' actions, in the order of `Leaves.actions`.
        """
        work, players = self.work, self.game.facts.players
        if (priors is not None) != self.settings.priors:
            raise BadOption(
                "priors are to be given where the tree's settings say so, and only then"
            )
        rows = _rows("values", values, work.waiting, players)
        if priors is not None:
            weights = _rows("priors", priors, work.waiting, work.branching)
            used = np.arange(work.branching) < work.counts[: work.waiting, np.newaxis]
            if (weights[used] < 0).any() or not (np.where(used, weights, 0).sum(1) > 0).all():
                raise BadOption("priors: weights must not be below 0, nor all of a leaf's be 0")
            work.scores[: weights.size] = weights.reshape(-1)
        work.returns[: rows.size] = rows.reshape(-1)
        mcts.back_up_leaves(work)

    def _check_waiting(self, wanted: int) -> None:
        if self.work.waiting != wanted:
            raise BadOption(f"{self.work.waiting} leaves wait: give their values to back_up first")


def _rows(name: str, numbers: Any, rows: int, columns: int) -> NDArray[np.float64]:
    array = np.ascontiguousarray(numbers, np.float64)
    if array.shape != (rows, columns):
        raise BadOption(f"{name}: shape {array.shape}, where ({rows}, {columns}) is needed")
    if not np.isfinite(array).all():
        raise BadOption(f"{name}: not all are finite numbers")
    return array


def descend_all(trees: Sequence[Tree], count: int = 1) -> Leaves:
    """Begin up to `count` simulations in each tree; return all leaves, tree by tree."""
    found = [tree.descend(count) for tree in trees]
    return Leaves(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def back_up_all(trees: Sequence[Tree], values: Any, priors: Any = None) -> None:
    """Finish the simulations of all trees, by the values of the leaves of `descend_all`."""
    begin = 0
    for tree in trees:
        end = begin + tree.work.waiting
        tree.back_up(values[begin:end], None if priors is None else priors[begin:end])
        begin = end
