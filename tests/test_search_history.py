"""Monte Carlo tree search with a history of actions: its choices, its means, what it is for."""

from math import log, sqrt

import numpy as np
import pytest

from plyground import Limit, load_agent, load_game
from plyground.errors import OptionError
from plyground.search.tree import Settings, Tree

HISTORY = 6
SMALL = "sheep(players=3, size=6, cells=20, sheep=5)"


class NaiveHistory:
    """What a history should hold, from watching a tree grow by one simulation at a time."""

    def __init__(self, exploration, tuned):
        self.exploration, self.tuned = exploration, tuned
        self.means, self.times = {}, {}
        self.sums, self.through, self.squares = {}, {}, {}

    def usual(self, node):
        return self.sums.get(node, 0.0) / self.through[node] if node in self.through else 0.0

    def bound(self, before, parent, child):
        """Return a child's bound by the nodes as they were before the simulation."""
        visits, value = int(before[child]["visits"]), float(before[child]["value"])
        what = int(before[child]["player"]), int(before[child]["action"])
        weight = visits + HISTORY
        expected = self.usual(parent) + self.means.get(what, 0.0)
        scale = self.exploration * sqrt(log(max(1, int(before[parent]["visits"]))) / weight)
        spread = 1.0
        if self.tuned:
            variance = self.squares[child] / visits - (value / visits) ** 2 if visits else 0.0
            spread = sqrt(min(1.0, max(0.0, variance) + scale))
        return (value + HISTORY * expected) / weight + scale * spread

    def add(self, path, after, gains):
        for parent, child, gained in zip(path, path[1:], gains, strict=False):
            self.sums[parent] = self.sums.get(parent, 0.0) + gained
            self.through[parent] = self.through.get(parent, 0) + 1
            self.squares[child] = self.squares.get(child, 0.0) + gained**2
            what = int(after[child]["player"]), int(after[child]["action"])
            times = self.times[what] = self.times.get(what, 0) + 1
            mean = self.means.get(what, 0.0)
            self.means[what] = mean + (gained - self.usual(parent) - mean) / (times + 1)


def children_of(nodes, node):
    first, count = int(nodes[node]["first"]), int(nodes[node]["count"])
    return range(first, first + max(0, count))


@pytest.mark.parametrize("rule", ["ucb1", "ucb1_tuned"])
def test_every_choice_is_the_one_by_the_naive_history(rule):
    game = load_game(SMALL)
    evaluator = game.evaluator()
    settings = Settings(select=rule, exploration=0.7, history=HISTORY)
    tree = Tree(game.start(2), game.rules(evaluator), evaluator, settings, seed=4)
    naive, chosen = NaiveHistory(0.7, rule == "ucb1_tuned"), 0
    for simulation in range(1, 400):
        before = tree.work.tree[: tree.used + 1000].copy()
        known = tree.used
        tree.grow(simulation)
        after, path, gains = tree.nodes.copy(), [0], []
        before[known : len(after)] = after[known:]  # children made just now had no visits before
        before[known : len(after)]["visits"] = before[known : len(after)]["value"] = 0
        while children := children_of(after, path[-1]):
            visited = [
                child for child in children if after[child]["visits"] > before[child]["visits"]
            ]
            if not visited:
                break
            (child,) = visited
            bounds = {each: naive.bound(before, path[-1], each) for each in children}
            assert bounds[child] == pytest.approx(max(bounds.values()), abs=1e-9)
            gains.append(float(after[child]["value"] - before[child]["value"]))
            path.append(child)
            chosen += 1
        naive.add(path, after, gains)
    assert chosen > 800  # two choices per simulation and more


def test_the_same_seed_grows_the_same_tree_and_thinking_again_begins_anew():
    position = load_game("sheep").start(1)
    player = load_agent("mcts(history=5, simulations=500)").sit(position.game, 0)
    first, again = player.think(position, seed=3), player.think(position, seed=3)
    assert first.policy == again.policy
    assert first.policy != player.think(position, seed=4).policy


def test_a_search_among_many_actions_looks_further_ahead():
    position = load_game("sheep").start(1)
    with_history, without = (
        load_agent(spec).think(position, Limit(simulations=5000), seed=1)
        for spec in ("mcts(history=10)", "mcts")
    )
    assert len(with_history.line) >= len(without.line) + 2


def test_a_full_tree_shrinks_and_the_history_stays_finite():
    position = load_game("sheep").start(1)
    player = load_agent("mcts(history=10, nodes=5000, simulations=3000)").sit(position.game, 0)
    for _ in range(4):
        position = position.play(player.think(position, seed=1).action)
    (tree,) = player.trees
    assert tree.used <= 5000
    assert np.isfinite(tree.work.past_actions).all()


def test_a_history_needs_a_rule_of_confidence_bounds():
    with pytest.raises(OptionError, match="history is allowed with ucb1 and ucb1_tuned only"):
        load_agent("mcts(history=5, select=puct)").think(load_game("sheep").start())
