"""Monte Carlo tree search; the tree is kept from move to move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.arithmetic import derive_seed
from plyground.compile import prepare
from plyground.control import STOP, UNLIMITED, new_control
from plyground.game import NOTHING, Game, Position
from plyground.options import Kind, option
from plyground.search.mcts import search
from plyground.search.nodes import RULES, WON, transplant
from plyground.search.timing import Timer
from plyground.search.tree import Settings, Tree

HEURISTIC, RANDOM = "heuristic", "random"


class Mcts(Agent):
    """Grow a tree of what play-outs say; for any number of players."""

    name = "mcts"
    guesses = False

    simulations: int | None = option(
        None, low=1, help="simulations per move; 1000 where nothing limits the search"
    )
    exploration: float = option(1.4, low=0, help="exploration constant of the selection rule")
    select: str = option("ucb1", choices=RULES, help="selection rule")
    best: int = option(0, low=0, help="children per node, the best by `evaluate`; 0: all")
    playout: str = option(
        RANDOM,
        kind=Kind.ROLLOUT,
        choices=(RANDOM, HEURISTIC),
        help="how a leaf is valued: a play-out policy or the heuristic",
    )
    cutoff: int = option(0, low=0, help="plies after which `evaluate` ends a play-out; 0: never")
    evaluate: str = option("", kind=Kind.EVALUATOR, help="heuristic; by default the game's first")
    unwise: str = option(NOTHING, kind=Kind.UNWISE, help="moves to leave out of the tree")
    depth: int | None = option(None, low=1, help="depth limit of the tree")
    solve: bool = option(True, help="MCTS-Solver: prove wins and losses in two-player games")
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
        prepare(search, transplant)

    def rules(self, game: Game) -> Any:
        """Return the game's kernels with the advice that this agent takes."""
        rollout = (
            None if self.playout in (HEURISTIC, RANDOM) else game.advisor("rollout", self.playout)
        )
        unwise = game.advisor("unwise", self.unwise)
        return game.rules(game.evaluator(self.evaluate), rollout, unwise)

    def settings(self) -> Settings:
        """Return how its trees grow."""
        return Settings(
            select=self.select,
            exploration=self.exploration,
            best=self.best,
            heuristic=self.playout == HEURISTIC,
            cutoff=self.cutoff,
            depth=self.depth,
            solve=self.solve,
            count_wins=self.choose_by == "wins",
            nodes=self.nodes,
        )


class MctsPlayer(SearchPlayer):
    """One game's player, and the trees that it keeps from move to move."""

    agent: Mcts

    def __init__(self, agent: Mcts, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self.trees: list[Tree] = []
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
        for each, root in enumerate(roots):
            stream = derive_seed(seed, position.ply, each)
            if each < len(self.trees):
                self.trees[each].plant(root, stream, agent.reuse)
            else:
                evaluator, rules = self.game.evaluator(agent.evaluate), agent.rules(self.game)
                self.trees.append(Tree(root, rules, evaluator, agent.settings(), seed=stream))
        trees = self.trees[:number]
        reused = sum(tree.visits for tree in trees)
        control = new_control()
        shared, room = (
            UNLIMITED if cap is None else -(-cap // number)
            for cap in (limit.simulations, limit.nodes)
        )

        sliced = limit.seconds is not None and number > agent.threads
        seconds = timer.left * agent.threads / number if sliced else None

        def grow(each: int) -> None:
            trees[each].grow(shared, room, control, timer, seconds)
            if trees[each].is_proved and guesses == 1:
                control[STOP] = 1  # what is sure in one tree is sure in all

        waiting = iter(range(number))

        def grow_all() -> None:
            for each in waiting:  # shared by all threads, as an iterator can be
                grow(each)

        for _ in timer.run(grow_all, control, min(agent.threads, number)):
            yield self._thought(position, trees, reused, timer.elapsed)
        yield self._thought(position, trees, reused, timer.elapsed)

    def _thought(
        self, position: Position, trees: list[Tree], reused: int, seconds: float
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
                    sure[action] = 1 if child["proof"] == WON else -1
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
