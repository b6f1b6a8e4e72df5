"""Monte Carlo tree search; the tree is kept from move to move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.agents.trees import Statistics, TreePlayer
from plyground.compile import prepare
from plyground.control import STOP, UNLIMITED, new_control
from plyground.game import NOTHING, Game, Position
from plyground.options import Kind, option
from plyground.search.mcts import search
from plyground.search.nodes import RULES, least_to_keep, transplant
from plyground.search.timing import Timer
from plyground.search.tree import Settings, Tree

HEURISTIC, RANDOM = "heuristic", "random"

FEW, MANY = ("ucb1", 1.4), ("ucb1_tuned", 0.5)
"""The selection rule and its exploration constant by default: for at most two players, for more."""


class Mcts(Agent):
    """Monte Carlo tree search; for any number of players."""

    name = "mcts"
    guesses = False
    rehearses = True

    simulations: int | None = option(
        None, low=1, help="simulations per move; 1000 where nothing limits the search"
    )
    exploration: float | None = option(
        None,
        low=0,
        help="exploration constant; by default 1.4, for ucb1_tuned and more than two players 0.5",
    )
    select: str | None = option(
        None,
        choices=RULES,
        help="selection rule; by default ucb1, with more than two players ucb1_tuned",
    )
    best: int = option(0, low=0, help="children per node, the best by `evaluate`; 0: all")
    playout: str = option(
        RANDOM,
        kind=Kind.ROLLOUT,
        choices=(RANDOM, HEURISTIC),
        help="how a leaf is valued: a play-out policy or the heuristic",
    )
    cutoff: int = option(0, low=0, help="plies after which `evaluate` ends a play-out; 0: never")
    history: int = option(
        0,
        low=0,
        high=1000,
        help="visits that an action's mean advantage in the whole tree counts as; 0: none",
    )
    evaluate: str = option("", kind=Kind.EVALUATOR, help="heuristic; by default the game's first")
    unwise: str = option(NOTHING, kind=Kind.UNWISE, help="moves to leave out of the tree")
    depth: int | None = option(None, low=1, help="depth limit of the tree")
    solve: bool = option(True, help="MCTS-Solver: prove results in two-player games")
    choose_by: str = option(
        "visits",
        choices=("visits", "value", "wins"),
        help="how the move is chosen: most visits, best mean value, most wins",
    )
    nodes: int = option(
        2_000_000, low=1000, high=1_000_000_000, help="most nodes that a tree may hold"
    )
    reuse: bool = option(True, help="keep the subtree of the moves played")
    threads: int = option(1, low=1, high=256, help="trees grown in parallel (root parallelism)")
    worlds: int = option(8, low=1, help="determinizations searched where information is hidden")

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return MctsPlayer(self, game, seat, seed)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self.rules(game)
        prepare(search, least_to_keep, transplant)

    def rules(self, game: Game) -> Any:
        """Return the game's kernels with the evaluator and advisors that this agent uses."""
        rollout = (
            None if self.playout in (HEURISTIC, RANDOM) else game.advisor("rollout", self.playout)
        )
        unwise = game.advisor("unwise", self.unwise)
        return game.rules(game.evaluator(self.evaluate), rollout, unwise)

    def settings(self, game: Game) -> Settings:
        """Return the settings of the agent's trees in a game."""
        rule, constant = MANY if game.facts.players > 2 else FEW
        select = self.select or rule
        if self.exploration is not None:
            constant = self.exploration
        elif select != rule:
            constant = FEW[1]
        return Settings(
            select=select,
            exploration=constant,
            best=self.best,
            heuristic=self.playout == HEURISTIC,
            cutoff=self.cutoff,
            history=self.history,
            depth=self.depth,
            solve=self.solve,
            count_wins=self.choose_by == "wins",
            nodes=self.nodes,
        )


class MctsPlayer(TreePlayer):
    """Player with trees that are kept from move to move."""

    agent: Mcts

    def new_tree(self, root: Position, seed: int) -> Tree:
        agent = self.agent
        evaluator, rules = self.game.evaluator(agent.evaluate), agent.rules(self.game)
        return Tree(root, rules, evaluator, agent.settings(self.game), seed=seed)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        agent = self.agent
        limit = limit.within(simulations=agent.simulations).otherwise(simulations=1000)
        worlds = agent.worlds if position.observer is not None else 1
        number = max(worlds, agent.threads)
        position, trees = self.plant(position, seed, number, reuse=agent.reuse)
        reused = sum(tree.visits for tree in trees)
        control = new_control()
        simulations, nodes = (  # per tree, rounded up
            UNLIMITED if cap is None else -(-cap // number)
            for cap in (limit.simulations, limit.nodes)
        )

        sliced = limit.seconds is not None and number > agent.threads
        seconds = timer.left * agent.threads / number if sliced else None

        def grow(tree: Tree) -> None:
            tree.grow(simulations, nodes, control, timer, seconds)
            if tree.is_proved and worlds == 1:
                control[STOP] = 1  # all trees have the same root: one proof is enough

        waiting = iter(trees)

        def grow_all() -> None:
            for tree in waiting:  # all threads take trees from this one iterator
                grow(tree)

        for _ in timer.run(grow_all, control, min(agent.threads, number)):
            yield self._thought(position, trees, reused, timer.elapsed)
        yield self._thought(position, trees, reused, timer.elapsed)

    def _thought(
        self, position: Position, trees: list[Tree], reused: int, seconds: float
    ) -> Thought:
        """Return the choice by the statistics of all trees, added up for each root action."""
        statistics = Statistics.of(position, trees)
        visits, means, wins = statistics.visits, statistics.means, statistics.wins

        def merit(action: int) -> tuple[float, float, float]:
            verdict, count = statistics.rank(action), float(visits[action])
            mean = means[action] if count else -2.0
            if self.agent.choose_by == "visits":
                return verdict, count, mean
            share = wins[action] / max(1.0, count) if self.agent.choose_by == "wins" else mean
            return verdict, share, count

        best = max(visits, key=merit)
        simulations = sum(tree.simulations for tree in trees)
        info = {
            "simulations_per_second": round(simulations / max(seconds, 1e-9)),
            "reused": reused,
        }
        return Thought(
            best,
            means[best],
            statistics.policy,
            info,
            proof=statistics.proof(best) if self._is_complete() else None,
            nodes=sum(tree.used for tree in trees),
            simulations=simulations,
            line=tuple(trees[0].line(best)),
        )

    def _is_complete(self) -> bool:
        """Return whether the trees contain all legal actions."""
        agent = self.agent
        return agent.best == 0 and self.game.advisor("unwise", agent.unwise) is None
