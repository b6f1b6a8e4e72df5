"""Tree search with a network, written plainly from its definitions; forests must agree with it."""

from hashlib import blake2b
from math import exp, sqrt

import numpy as np

from plyground.game.planes import network_inputs
from plyground.search.forest import Evaluation


def hashed(planes, entries):
    """Evaluate a batch by numbers that depend on nothing but the content of each row."""
    values, logits = [], []
    for row in range(len(planes)):
        digest = blake2b(planes[row].tobytes() + entries[row].tobytes()).digest()
        random = np.random.default_rng(list(digest[:16]))
        logits.append(random.normal(size=entries.shape[1]))
        values.append(random.uniform(-1, 1, 8))
    return np.array(values, np.float32), np.array(logits, np.float32)


def network(game):
    """Return the hashed network of a game."""

    def evaluate(planes, entries):
        values, logits = hashed(planes, entries)
        return Evaluation(values[:, : game.facts.players].copy(), logits)

    return evaluate


def uniform(game):
    """Return a network that knows nothing."""

    def evaluate(planes, entries):
        rows = len(planes), game.facts.players
        return Evaluation(np.zeros(rows, np.float32), np.zeros(entries.shape[:2], np.float32))

    return evaluate


class Node:
    def __init__(self, position, player):
        self.position, self.player = position, player
        self.visits, self.value = 0, 0.0
        self.children = []
        self.prior = self.raw = 0.0

    def statistics(self, before):
        """List each child's visits and sum of returns, over the sisters of a node not seen."""
        nodes = [self]
        if before is not None and self.position.game.facts.simultaneous and self.position.player:
            nodes = [other for other in before.children if other.children]
        return [
            (
                sum(node.children[index].visits for node in nodes),
                sum(node.children[index].value for node in nodes),
            )
            for index in range(len(self.children))
        ]


class NaiveSearch:
    def __init__(self, position, evaluate):
        self.root, self.evaluate = Node(position, position.player), evaluate
        self.simulations = 0

    def run(self, simulations):
        for _ in range(simulations + 1):
            self.simulate()
            self.simulations += 1

    def simulate(self):
        path = [self.root]
        seen = {position.key for position in self.root.position.line()}
        drawn = False
        while path[-1].children and not drawn:
            node = path[-1]
            before = path[-2] if len(path) > 1 else None
            path.append(node.children[self.select(node, before)])
            if path[-1].position.game.facts.repetition:
                drawn = path[-1].position.key in seen
                seen.add(path[-1].position.key)
        leaf = path[-1]
        if drawn:
            returns = np.zeros(leaf.position.game.facts.players)
        elif leaf.position.is_over:
            returns = leaf.position.returns
        else:
            returns = self.expand(leaf)
        for node in path:
            node.visits += 1
            node.value += returns[node.player]

    def expand(self, leaf):
        position = leaf.position
        game, player = position.game, position.player
        inputs = network_inputs(game, position.setup, position.state[np.newaxis])
        values, logits = self.evaluate(inputs.planes, inputs.entries)
        legal = position.legal_actions
        self.logits = np.array(logits[0][: len(legal)], float)
        weights = np.exp(self.logits - self.logits.max())
        for action, prior in zip(legal, weights / weights.sum(), strict=True):
            child = Node(position.play(action), player)
            child.prior = prior
            leaf.children.append(child)
        if leaf is self.root:
            self.root_logits = self.logits
        leaf.raw = float(values[0][0])
        seats = [(player + seat) % game.facts.players for seat in range(game.facts.players)]
        returns = np.zeros(game.facts.players)
        returns[seats] = values[0]
        return returns

    def tree(self, node=None):
        """Return the visits of a subtree, nested."""
        node = node or self.root
        return node.visits, tuple(self.tree(child) for child in node.children)


class NaivePuct(NaiveSearch):
    def select(self, node, before):
        tried = node.statistics(before)
        visits = node.visits
        if before is not None and node.position.game.facts.simultaneous and node.position.player:
            visits = before.visits
        mass = sum(child.prior for child in node.children if child.visits)
        unvisited = node.raw - 0.2 * sqrt(mass)
        scores = [
            (value / tries if tries else unvisited) + 1.4 * child.prior * sqrt(visits) / (1 + tries)
            for child, (tries, value) in zip(node.children, tried, strict=True)
        ]
        return int(np.argmax(scores))

    def policy(self):
        visits = np.array([child.visits for child in self.root.children], float)
        return visits / visits.sum()

    def choice(self):
        return int(np.argmax(self.policy()))


class NaiveGumbel(NaiveSearch):
    """Without noise, so that it is the same each time."""

    def __init__(self, position, evaluate, considered, simulations, rescale=False):
        super().__init__(position, evaluate)
        self.rescale, self.plan = rescale, simulations
        self.left = min(considered, len(position.legal_actions))
        self.phases = max(1, int(np.ceil(np.log2(self.left))))
        self.alive, self.tried = range(len(position.legal_actions)), []
        self.rounds = 0

    def improved(self, node, before):
        """Return what values add to the logits, the policy made of them, and the values."""
        tried = node.statistics(before)
        total = sum(tries for tries, _ in tried)
        visited = [
            (child.prior, value / tries)
            for child, (tries, value) in zip(node.children, tried, strict=True)
            if tries
        ]
        mixed = node.raw
        if visited:
            mass = sum(prior for prior, _ in visited)
            mean = sum(prior * value for prior, value in visited) / mass
            mixed = (node.raw + total * mean) / (1 + total)
        values = np.array([value / tries if tries else mixed for tries, value in tried])
        low, high = (values.min(), values.max()) if self.rescale else (-1.0, 1.0)
        most = max(tries for tries, _ in tried)
        added = (50 + most) * 0.1 * (values - low) / max(high - low, 1e-6)
        logits = np.log([child.prior for child in node.children]) + added
        policy = np.array([exp(logit - logits.max()) for logit in logits])
        return added, policy / policy.sum(), values, tried, total

    def select(self, node, before):
        added, policy, _, tried, total = self.improved(node, before)
        if before is None:
            return self.halve(added)
        return int(np.argmax(policy - np.array([tries for tries, _ in tried]) / (1 + total)))

    def halve(self, added):
        """Try the best `left` actions so many times each, then the better half of them, one by one.

        Which is the best is found anew for each.
        """
        if self.rounds == 0:
            if self.simulations > 1:
                self.left = max(min(2, self.left), self.left // 2)
            self.rounds = max(1, self.plan // (self.phases * self.left))
        scores = self.root_logits + added
        alive = [index for index in self.alive if index not in self.tried]
        chosen = max(alive, key=lambda index: scores[index])
        self.tried.append(chosen)
        if len(self.tried) == self.left:
            self.alive, self.tried = self.tried, []
            self.rounds -= 1
        return chosen

    def policy(self):
        return self.improved(self.root, None)[1]

    def value(self):
        _, policy, values, *_ = self.improved(self.root, None)
        return float(policy @ values)

    def choice(self):
        added = self.improved(self.root, None)[0]
        visits = [child.visits for child in self.root.children]
        best = [index for index, each in enumerate(visits) if each == max(visits)]
        return max(best, key=lambda index: self.root_logits[index] + added[index])
