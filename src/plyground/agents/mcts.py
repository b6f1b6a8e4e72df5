"""Monte Carlo tree search; the tree is kept from move to move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.arithmetic import derive_seed, random_stream
from plyground.compile import Words, prepare
from plyground.game import NOTHING, Game, Position
from plyground.options import Kind, option
from plyground.search import mcts as search
from plyground.search.repetition import past_keys
from plyground.search.timing import Timer

RULES = ("ucb1", "ucb1_tuned", "puct")
HEURISTIC, RANDOM = "heuristic", "random"
UNLIMITED = int(np.iinfo(np.int64).max)
CHUNK = 64
"""Simulations between two looks at the clock, where trees take turns."""


class Mcts(Agent):
    """Grow a tree of what play-outs say; for any number of players."""

    name = "mcts"
    guesses = False

    simulations: int | None = option(None, low=1, help="a move; 1000 if nothing limits the search")
    exploration: float = option(
        1.4, low=0, help="how much the tree favours what it knows little of"
    )
    select: str = option("ucb1", choices=RULES, help="the bound that picks a child")
    best: int = option(
        0, low=0, help="expand only so many children, the best by `evaluate`; 0: all"
    )
    playout: str = option(
        RANDOM, kind=Kind.ROLLOUT, choices=(RANDOM, HEURISTIC), help="how a leaf is valued"
    )
    cutoff: int = option(0, low=0, help="end play-outs after so many plies by `evaluate`; 0: never")
    evaluate: str = option(
        "", kind=Kind.EVALUATOR, help="the heuristic; the game's first if not given"
    )
    unwise: str = option(NOTHING, kind=Kind.UNWISE, help="moves to leave out of the tree")
    depth: int | None = option(None, low=1, help="the deepest node below the root")
    solve: bool = option(True, help="prove wins and losses in games of two")
    choose_by: str = option(
        "visits",
        choices=("visits", "value", "wins"),
        help="the action with the most, or best share",
    )
    nodes: int = option(2_000_000, low=1000, high=1_000_000_000, help="the most a tree may hold")
    reuse: bool = option(True, help="keep what was learnt for the next move of the same game")
    threads: int = option(1, low=1, high=256, help="trees grown side by side")
    worlds: int = option(8, low=1, help="how many guesses are searched where something is hidden")

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return MctsPlayer(self, game, seat, seed)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self.rules(game)
        prepare(search.search, search.transplant)

    def rules(self, game: Game) -> Any:
        """Return the game's kernels with the advice that this agent takes."""
        rollout = (
            None if self.playout in (HEURISTIC, RANDOM) else game.advisor("rollout", self.playout)
        )
        unwise = game.advisor("unwise", self.unwise)
        return game.rules(game.evaluator(self.evaluate), rollout, unwise)


class MctsPlayer(SearchPlayer):
    """One game's player, and the trees that it keeps from move to move."""

    agent: Mcts

    def __init__(self, agent: Mcts, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self.trees: list[_Tree] = []
        self._followed: Position | None = None
        """The last position that was searched, and what was played since."""

    def watch(self, action: int) -> None:
        if self._followed is not None and self._followed.observer is None:
            self._followed = self._followed.replay(action)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        agent = self.agent
        if position.previous is None and position == self._followed:
            position = self._followed  # it was read anew, as from a text: this one knows its past
        self._followed = position
        limit = limit.within(simulations=agent.simulations).otherwise(simulations=1000)
        guesses = agent.worlds if position.observer is not None else 1
        number = max(guesses, agent.threads)
        roots = [position.determinize(derive_seed(seed, each)) for each in range(number)]
        while len(self.trees) < number:
            self.trees.append(_Tree(agent))
        trees = self.trees[:number]
        for tree, root in zip(trees, roots, strict=True):
            tree.plant(root)
        reused = sum(tree.visits for tree in trees)
        stop = np.zeros(search.BEGINNING, np.int64)
        shared, room = (
            UNLIMITED if cap is None else -(-cap // number)
            for cap in (limit.simulations, limit.nodes)
        )

        sliced = limit.seconds is not None and number > agent.threads
        seconds = timer.left * agent.threads / number if sliced else None

        def grow(each: int) -> None:
            stream = derive_seed(seed, position.ply, each)
            trees[each].grow(shared, room, stream, stop, timer, seconds)
            if trees[each].is_proved and guesses == 1:
                stop[search.STOP] = 1  # what is sure in one tree is sure in all

        waiting = iter(range(number))

        def grow_all() -> None:
            for each in waiting:  # shared by all threads, as an iterator can be
                grow(each)

        for _ in timer.run(grow_all, stop, min(agent.threads, number)):
            yield self._thought(position, trees, reused, timer.elapsed)
        yield self._thought(position, trees, reused, timer.elapsed)

    def _thought(
        self, position: Position, trees: list[_Tree], reused: int, seconds: float
    ) -> Thought:
        """Add up what the trees say of the root's actions."""
        visits = dict.fromkeys(position.legal_actions, 0)
        values = dict.fromkeys(position.legal_actions, 0.0)
        wins = dict.fromkeys(position.legal_actions, 0.0)
        sure: dict[int, int] = {}
        for tree in trees:
            for child, won in zip(tree.children(0), tree.wins(), strict=False):
                action = int(child["action"])
                visits[action] = visits.get(action, 0) + int(child["visits"])
                values[action] = values.get(action, 0.0) + float(child["value"])
                wins[action] = wins.get(action, 0.0) + won
                if child["proof"] and position.observer is None:
                    sure[action] = 1 if child["proof"] == search.WON else -1
        means = {action: values[action] / max(1, visits[action]) for action in visits}
        means |= {action: float(verdict) for action, verdict in sure.items()}

        def merit(action: int) -> tuple[float, float, float]:
            verdict, count = sure.get(action, 0), float(visits[action])
            mean = means[action] if count else -2.0
            if self.agent.choose_by == "visits":
                return verdict, count, mean
            share = wins[action] / max(1.0, count) if self.agent.choose_by == "wins" else mean
            return verdict, share, count

        best = max(visits, key=merit)
        total = max(1, sum(visits.values()))
        done = sum(tree.simulations for tree in trees)
        info = {
            "simulations_per_second": round(done / max(seconds, 1e-9)),
            "reused": reused,
        }
        policy = {action: count / total for action, count in visits.items()}
        return Thought(
            best,
            means[best],
            policy,
            info,
            proof=Proof(float(sure[best])) if best in sure and self._sees_all() else None,
            nodes=sum(tree.used for tree in trees),
            simulations=done,
            line=tuple(trees[0].line(best)),
        )

    def _sees_all(self) -> bool:
        """Return whether the trees leave no action out."""
        agent = self.agent
        return agent.best == 0 and self.game.advisor("unwise", agent.unwise) is None


class _Tree:
    """A tree in two buffers, between which it is moved when it is re-rooted or has to shrink."""

    def __init__(self, agent: Mcts) -> None:
        self.agent = agent
        self.root: Position | None = None
        self.control = np.zeros(search.CONTROL_SIZE, np.int64)
        # Memory that is never touched costs nothing.
        self.buffers = [self._buffer(), self._buffer()]

    def _buffer(self) -> tuple[Any, Any]:
        agent = self.agent
        noted = agent.select != "ucb1" or agent.choose_by == "wins"
        notes = np.empty(search.NOTES * (agent.nodes if noted else 1))
        return np.empty(agent.nodes, search.NODE), notes

    @property
    def nodes(self) -> Any:
        return self.buffers[0][0]

    @property
    def used(self) -> int:
        return int(self.control[search.USED])

    @property
    def simulations(self) -> int:
        return int(self.control[search.SIMULATIONS])

    @property
    def visits(self) -> int:
        return int(self.nodes[0]["visits"])

    @property
    def is_proved(self) -> bool:
        return bool(self.nodes[0]["proof"])

    def wins(self) -> list[float]:
        """Give how many simulations each child of the root won, where that is counted."""
        first, count = int(self.nodes[0]["first"]), len(self.children(0))
        if self.agent.choose_by != "wins":
            return [0.0] * count
        notes = self.buffers[0][1].reshape(-1, search.NOTES)
        return notes[first : first + count, search.WINS].tolist()  # type: ignore[no-any-return]

    def plant(self, position: Position) -> None:
        """Root the tree in a position: where it already has it, else anew."""
        known = self.agent.reuse and self.root is not None and self.root is not position
        found = self._descend(position) if known else None
        if found is None:
            self.nodes[0] = np.zeros((), search.NODE)
            self.nodes[0]["player"] = position.player
            self.buffers[0][1][: search.NOTES] = 0.0
            self.control[search.USED] = 1
        else:
            self._move(found, 0)
        self.root = position

    def _move(self, root: int, least: int) -> None:
        moved = search.transplant(*self.buffers[0], *self.buffers[1], root, least)
        self.control[search.USED] = moved
        self.buffers.reverse()

    def _descend(self, position: Position) -> int | None:
        """Follow the actions played since the root; None if they lead out of the tree."""
        line = position.line()
        where = next((i for i, earlier in enumerate(line) if earlier is self.root), None)
        if where is None:
            return None
        node = 0
        for later in line[where + 1 :]:
            actions = self.children(node)["action"].tolist()
            if later.action not in actions:
                return None
            node = int(self.nodes[node]["first"]) + actions.index(later.action)
        return node

    def children(self, node: int) -> Any:
        first, count = int(self.nodes[node]["first"]), int(self.nodes[node]["count"])
        return self.nodes[first : first + max(0, count)]

    def line(self, action: int) -> list[int]:
        """Give the action and the most visited replies after it."""
        found, node = [action], 0
        while True:
            children = self.children(node)
            actions = children["action"].tolist()
            wanted = (
                action if node == 0 else (actions and actions[int(children["visits"].argmax())])
            )
            if wanted not in actions or not children["visits"].any():
                return found
            if node:
                found.append(wanted)
            node = int(self.nodes[node]["first"]) + actions.index(wanted)

    def grow(
        self,
        simulations: int,
        room: int,
        seed: int,
        stop: Words,
        timer: Timer,
        seconds: float | None,
    ) -> None:
        """Simulate until it is enough, for so many seconds of the timer at most.

        A tree that is full drops what it visits least.
        """
        assert self.root is not None
        agent, game, facts = self.agent, self.root.game, self.root.game.facts
        evaluator = game.evaluator(agent.evaluate)
        control = self.control
        control[search.SIMULATIONS] = control[search.FULL] = 0
        control[search.RULE] = RULES.index(agent.select)
        control[search.SOLVE] = agent.solve and facts.players == 2 and not facts.simultaneous
        control[search.SIMULTANEOUS] = facts.simultaneous
        control[search.BEST] = agent.best
        control[search.DEEPEST] = min(agent.depth or facts.longest, facts.longest)
        control[search.HEURISTIC] = agent.playout == HEURISTIC
        control[search.CUTOFF] = agent.cutoff
        control[search.STATE_SIZE] = len(self.root.state)
        control[search.NODE_LIMIT] = min(room, agent.nodes)
        control[search.COUNT_WINS] = agent.choose_by == "wins"
        control[search.REPETITION] = facts.repetition
        control[search.PAST], keys, seen = past_keys(self.root, facts.longest + 1)
        scratch = (
            keys, seen, self.root.state.copy(), self.root.state.copy(),
            np.empty(facts.longest + 1, np.int64), np.empty(facts.branching, np.int64),
            np.empty(facts.branching), np.empty(facts.players), random_stream(seed),
        )  # fmt: skip
        rules = agent.rules(game)
        params = np.array(evaluator.params(game), np.float64)
        until = None if seconds is None else timer.elapsed + seconds
        chunk = simulations if until is None else CHUNK
        while self.simulations < simulations and not stop[search.STOP]:
            search.search(
                rules, self.root.setup, self.root.state, *self.buffers[0], search.SHARES, params,
                stop, control, *scratch, agent.exploration,
                min(chunk, simulations - self.simulations),
            )  # fmt: skip
            if self.is_proved or (control[search.FULL] and room < UNLIMITED):
                return
            if control[search.FULL]:
                self._shrink()
                control[search.FULL] = 0
            if until is not None and timer.elapsed > until:
                return

    def _shrink(self) -> None:
        """Drop the children of the least visited nodes until half of the tree's room is free."""
        least = 2
        while self.used > self.agent.nodes // 2:
            self._move(0, least)
            least *= 2
