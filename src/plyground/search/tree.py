"""A tree of Monte Carlo tree search, grown by compiled code or by values from the caller.

    tree = Tree(position, game.rules(evaluator), evaluator)
    tree.grow(1000)

or with the caller's values, such as those of a network that evaluates the leaves of many trees:

    leaves = descend_all(trees)
    values, priors = network(planes_all(trees), leaves.actions)
    back_up_all(trees, values, priors)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plyground.arithmetic import random_stream
from plyground.compile import Planes, Reals, Words
from plyground.control import STOP, UNLIMITED, new_control
from plyground.errors import OptionError
from plyground.game import Evaluator, Game, Position
from plyground.game.planes import encode_states
from plyground.search import mcts
from plyground.search.history import ENTRY
from plyground.search.nodes import (
    NODE,
    NOTES,
    PRIOR,
    RAW,
    RULES,
    SHARES,
    UNSURE,
    WINS,
    MctsWorkspace,
    least_to_keep,
    transplant,
)
from plyground.search.repetition import past_keys
from plyground.search.timing import Timer
from plyground.workspace import Records

VALUES = np.array([np.nan, 1.0, -1.0, 0.0])
"""The value of a proved result (WON, LOST, DRAWN) to the player who moved."""

TOLERANCE = 1e-6
"""How far rounding may carry a value beyond 1."""

CHUNK = 64
"""Simulations between two readings of the clock, where trees take turns."""


@dataclass(frozen=True)
class Settings:
    """How a tree grows."""

    select: str = "ucb1"
    """The rule that selects a child, one of RULES."""
    exploration: float = 1.4
    priors: bool = False
    """Whether the caller passes priors to `back_up`; only with the rule puct."""
    best: int = 0
    """A node gets only this many children, the best by the evaluator; 0: all."""
    heuristic: bool = False
    """Whether the evaluator values leaves; otherwise play-outs do."""
    cutoff: int = 0
    """Plies after which the evaluator ends a play-out; 0: never."""
    history: int = 0
    """The visits that an action's mean advantage over the whole tree counts as; 0: no history."""
    depth: int | None = None
    solve: bool = True
    """Whether results are proved, in two-player games."""
    count_wins: bool = False
    haste: float = 0.0
    """How much less a result counts at the end of a longest game than at its start; only with the
    rule puct."""
    nodes: int = 2_000_000
    """The most nodes that a tree holds."""

    @property
    def noted(self) -> bool:
        """Whether its nodes have notes."""
        return self.select != "ucb1" or self.count_wins or self.history > 0

    def __post_init__(self) -> None:
        if self.priors and self.select != "puct":
            raise OptionError(f"select={self.select}: priors are allowed with select=puct only")
        if self.history and self.select == "puct":
            raise OptionError("select=puct: history is allowed with ucb1 and ucb1_tuned only")
        if self.haste and self.select != "puct":
            raise OptionError(f"select={self.select}: haste is allowed with select=puct only")


class Leaves(NamedTuple):
    """Leaves that wait for their values, one per row; valid until the values are backed up.

    `planes_all` returns a network's input for them.
    """

    setups: Words
    states: Words
    players: Words
    """The player to move."""
    actions: Words
    """The first `counts` entries of a row are the legal actions; the rest has no meaning."""
    counts: Words


def _buffer(settings: Settings) -> tuple[Records, Reals]:
    count = settings.nodes  # the system provides memory only when it is written to
    return np.empty(count, NODE), np.empty(NOTES * (count if settings.noted else 1))


def new_workspace(
    game: Game, rules: Any, evaluator: Evaluator, settings: Settings, leaves: int = 1
) -> MctsWorkspace:
    """Return the memory of a tree that is not planted yet: it has no root, past or random stream.

    `rules` is the table of the game's kernels, with those of the evaluator and of any advice.
    """
    facts, size = game.facts, game.sizes[1]
    nodes, notes = _buffer(settings)
    nothing = np.zeros(0, np.int64)
    return MctsWorkspace(
        rules=rules,
        setup=nothing,
        params=np.asarray(evaluator.params(game), np.float64),
        control=new_control(),
        random=np.zeros(0, np.uint64),
        root=nothing,
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
        history=settings.history,
        past_actions=np.zeros(ENTRY * facts.players * facts.actions if settings.history else 0),
        action_count=facts.actions,
        count_wins=settings.count_wins,
        noted=settings.noted,
        haste=settings.haste / facts.longest,
        simultaneous=facts.simultaneous,
        repetition=facts.repetition,
        past=0,
        ply=0,
        state_size=size,
        branching=facts.branching,
        path_size=facts.longest + 1,
        player_count=facts.players,
        node_limit=settings.nodes,
    )


class Tree:
    """A search tree; it is copied between two buffers when it is re-rooted or has to shrink."""

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
        """Make a tree that consists of its root; `descend` returns at most `leaves` at once.

        `rules` is the table of the game's kernels, with those of the evaluator and of any advice.
        """
        self.settings = settings = settings or Settings()
        self.game, self.capacity = position.game, leaves
        self.work = new_workspace(self.game, rules, evaluator, settings, leaves)
        self._spare = _buffer(settings)
        self.plant(position, seed, reuse=False)

    # Contents

    @property
    def used(self) -> int:
        """The number of nodes."""
        return self.work.used

    @property
    def nodes(self) -> Records:
        """The nodes, the root first."""
        return self.work.tree[: self.work.used]

    @property
    def simulations(self) -> int:
        """The number of simulations finished since the last `plant`."""
        return self.work.simulations

    @property
    def visits(self) -> int:
        """The number of simulations through the root, including those before the last `plant`."""
        return int(self.work.tree[0]["visits"])

    @property
    def is_proved(self) -> bool:
        """Whether the root's result is proved."""
        return bool(self.work.tree[0]["proof"])

    def children(self, node: int = 0) -> Records:
        """Return the children of a node."""
        return self.work.tree[self._range(node)]

    def wins(self) -> list[float]:
        """Return how many simulations each child of the root won; zeros unless counted."""
        counted = self.settings.count_wins
        return self._notes(0)[:, WINS].tolist() if counted else [0.0] * len(self.children())

    def proved_values(self) -> dict[int, float]:
        """Return the root's actions whose results are proved, with their values to its player."""
        children, haste = self.children(), self.settings.haste > 0.0
        values = self._notes(0)[:, RAW] if haste else VALUES[children["proof"]]
        proved = children["proof"] != UNSURE
        actions = children["action"][proved].tolist()
        return dict(zip(actions, values[proved].tolist(), strict=True))

    def priors(self, node: int = 0) -> Reals:
        """Return the priors of a node's children, which may be changed in place; only for puct."""
        return self._notes(node)[:, PRIOR]

    def _notes(self, node: int) -> NDArray[np.float64]:
        return self.work.notes.reshape(-1, NOTES)[self._range(node)]

    def _range(self, node: int) -> slice:
        parent = self.work.tree[node]
        first, count = int(parent["first"]), int(parent["count"])
        return slice(first, first + max(0, count))

    def line(self, action: int) -> list[int]:
        """Return an action of the root, followed by the most visited action of each node."""
        actions, node = [action], self._child(0, action)
        while node is not None:
            children = self.children(node)
            visits = children["visits"]
            best = int(visits.argmax()) if len(visits) else 0
            if not len(visits) or visits[best] == 0:
                break
            actions.append(int(children["action"][best]))
            node = self._range(node).start + best
        return actions

    def _child(self, node: int, action: int | None) -> int | None:
        """Return the child that an action leads to, or None."""
        actions = self.children(node)["action"].tolist()
        return self._range(node).start + actions.index(action) if action in actions else None

    # The root

    def plant(self, position: Position, seed: int = 0, reuse: bool = True) -> None:
        """Make a position the root: its subtree where the tree has one, else a new tree."""
        work = self.work
        if position.game is not self.game and position.game != self.game:
            raise OptionError(f"{position!r} is not a position of {self.game}")
        self._check_waiting(0)
        node = self._find(position) if reuse else None
        self.root = position
        work.setup, work.root = position.setup, position.state
        work.past, work.keys, work.seen = past_keys(position, self.game.facts.longest + 1)
        work.random, work.ply = random_stream(seed), position.ply
        work.simulations = work.full = 0
        if node is None:
            work.tree[0] = np.zeros((), NODE)
            work.tree[0]["player"] = position.player
            work.notes[:NOTES] = 0.0
            work.past_actions[:] = 0.0
            work.used = 1
        else:
            self._move(node, 0)

    def _find(self, position: Position) -> int | None:
        """Return the node that the actions played since the root lead to, or None."""
        line = position.line()
        root_index = next((i for i, earlier in enumerate(line) if earlier is self.root), None)
        if root_index is None or position is self.root:
            return None
        node: int | None = 0
        for later in line[root_index + 1 :]:
            node = self._child(node, later.action) if node is not None else None
        return node

    def _move(self, root: int, least: int) -> bool:
        """Copy a subtree to the other buffer, which is used from then on; False: out of time."""
        work = self.work
        used = transplant(work, *self._spare, root, least)
        if used == 0:
            return False
        work.used = used
        (work.tree, work.notes), self._spare = self._spare, (work.tree, work.notes)
        return True

    def _shrink(self) -> None:
        """Drop the children of the least visited nodes until half of the tree's memory is free.

        Where the time is up before that is done, the tree stays as it is: full.
        """
        least = least_to_keep(self.work, self.settings.nodes // 2)
        if least > 0 and self._move(0, least):
            self.work.full = 0

    # Simulations in compiled code

    def grow(
        self,
        simulations: int,
        nodes: int = UNLIMITED,
        control: Words | None = None,
        timer: Timer | None = None,
        seconds: float | None = None,
    ) -> None:
        """Run simulations until there are so many, the root is proved or `control` says stop.

        A full tree drops its least visited nodes, unless `nodes` limits it: then it stops. With
        `seconds` it stops after so many seconds of the timer, so that trees can take turns.
        """
        assert not self.settings.priors, "the caller must provide priors: use descend and back_up"
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

    # Simulations with values from the caller

    def descend(self, count: int = 1) -> Leaves:
        """Begin up to `count` simulations; return the leaves that wait for their values.

        Simulations that reach the end of a game are finished at once. There are fewer leaves if one
        would be reached twice, the root's result is proved (`is_proved`) or the tree is full.
        """
        if not 1 <= count <= self.capacity:
            raise OptionError(f"count={count}; allowed for this tree: 1 to {self.capacity} leaves")
        self._check_waiting(0)
        if self.work.full:
            self._shrink()
        waiting, work = mcts.descend_leaves(self.work, count), self.work
        return Leaves(
            np.broadcast_to(work.setup, (waiting, len(work.setup))),
            _shown(work.leaves.reshape(self.capacity, -1)[:waiting]),
            _shown(work.players[:waiting]),
            _shown(work.actions.reshape(self.capacity, -1)[:waiting]),
            _shown(work.counts[:waiting]),
        )

    def planes(self) -> Planes:
        """Return the planes of the leaves that wait, each as its player to move sees it."""
        states = self.work.leaves.reshape(self.capacity, -1)[: self.work.waiting]
        return encode_states(self.game, self.work.setup, states)

    def back_up(self, values: Any, priors: Any = None) -> None:
        """Finish the simulations of the waiting leaves with each player's value of each leaf.

        `priors` are weights of the leaves' actions, in the order of `Leaves.actions`.
        """
        work, players = self.work, self.game.facts.players
        if (priors is not None) != self.settings.priors:
            wrong = "missing" if self.settings.priors else "given"
            raise OptionError(
                f"priors are {wrong}; the tree was made with priors={self.settings.priors}"
            )
        rows = _rows("values", values, work.waiting, players)
        if (np.abs(rows) > 1.0 + TOLERANCE).any():
            raise OptionError("values must be from -1 to 1")
        if priors is not None:
            weights = _rows("priors", priors, work.waiting, work.branching)
            used = np.arange(work.branching) < work.counts[: work.waiting, np.newaxis]
            with np.errstate(over="ignore"):  # then it is not finite
                sums = np.where(used, weights, 0).sum(1)
            if (weights[used] < 0).any() or not ((sums > 0) & (sums < np.inf)).all():
                raise OptionError("priors: weights must be at least 0, and not all 0 for a leaf")
            work.scores[: weights.size] = weights.reshape(-1)
        work.returns[: rows.size] = rows.reshape(-1)
        mcts.back_up_leaves(work)

    def _check_waiting(self, wanted: int) -> None:
        if self.work.waiting != wanted:
            raise OptionError(
                f"{self.work.waiting} leaves wait: pass their values to back_up first"
            )


def _shown(words: Words) -> Words:
    """Return a view of the tree's memory that cannot be written."""
    view = words.view()
    view.flags.writeable = False
    return view


def _rows(name: str, numbers: Any, rows: int, columns: int) -> NDArray[np.float64]:
    array = np.ascontiguousarray(numbers, np.float64)
    if array.shape != (rows, columns):
        raise OptionError(f"{name} must have shape ({rows}, {columns}), got {array.shape}")
    if not np.isfinite(array).all():
        raise OptionError(f"{name} must be finite numbers")
    return array


def descend_all(trees: Sequence[Tree], count: int = 1) -> Leaves:
    """Begin up to `count` simulations in each tree; return all leaves, tree by tree."""
    leaves = [tree.descend(count) for tree in trees]
    return Leaves(*(np.concatenate(parts) for parts in zip(*leaves, strict=True)))


def planes_all(trees: Sequence[Tree]) -> Planes:
    """Return the planes of all leaves that wait, as `game.encode` returns them, tree by tree."""
    return np.concatenate([tree.planes() for tree in trees])


def back_up_all(trees: Sequence[Tree], values: Any, priors: Any = None) -> None:
    """Finish the simulations of all trees with the values of the leaves of `descend_all`."""
    begin = 0
    for tree in trees:
        end = begin + tree.work.waiting
        tree.back_up(values[begin:end], None if priors is None else priors[begin:end])
        begin = end
