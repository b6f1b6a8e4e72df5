"""Teachers: exact solvers and strong agents that label positions for a network to learn from."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.agents.thought import checked
from plyground.errors import OptionError
from plyground.game import Game, Position, Solver, Stop
from plyground.learn.recipe import SOLVER
from plyground.learn.samples import Samples, replayed

MOST_NODES = 60_000
"""The nodes after which a solver's question is dropped: another position teaches as much."""

ASTRAY = 0.15
"""The share of moves that are drawn at random, so that answers to mistakes are learned too."""

SEARCHED = 0.5
"""The share of an agent's own value in a label: results are blurred by the moves at random, and a
search's value may be mistaken."""


class Label(NamedTuple):
    """What a teacher says of a position."""

    policy: Mapping[int, float]
    values: Mapping[int, float]
    """What players get, by their number. Of a player who is not in it, the game's next label that
    knows it says so, after the last one the game's result."""
    share: float = 1.0
    """How much `values` count; the rest is what the game's result will be."""


class Teacher(ABC):
    """Labels positions of one game."""

    game: Game

    @abstractmethod
    def label(self, position: Position, seed: int) -> Label | None:
        """Return what is best in a position; None where the teacher does not know."""


class SolverTeacher(Teacher):
    """Labels by an exact solver: the best action, and the exact value."""

    def __init__(self, game: Game) -> None:
        solver = game.solver()
        if solver is None:
            raise OptionError(f"{game} has no exact solver; learn from self-play or an agent")
        self.game = game
        self.solver: Solver = solver
        self._line: tuple[int, ...] = ()
        self._known: Position | None = None
        """A position whose best line is `_line`."""

    def label(self, position: Position, seed: int) -> Label | None:
        if position.game.facts.players > 1:
            return self._label_actions(position)
        known = self._known
        if (
            known is not None
            and position.previous is known
            and self._line[:1] == (position.action,)
        ):
            self._line = self._line[1:]  # one that is on the best line needs no search
        else:
            solution = self.solver.solve(position, Stop(nodes=MOST_NODES))
            if solution is None or not solution.line:
                return None
            self._line, self._value = solution.line, solution.value
        self._known = position
        return Label({self._line[0]: 1.0}, {0: self._value})

    def _label_actions(self, position: Position) -> Label | None:
        (best,) = self.solver.best_actions([position], Stop(nodes=MOST_NODES))
        if best is None:
            return None
        policy = dict.fromkeys(best.actions, 1 / len(best.actions))
        return Label(policy, _of_both(position.player, best.value))


class AgentTeacher(Teacher):
    """Labels by an agent: what it prefers, and the mean of its value and the game's result."""

    def __init__(self, game: Game, agent: Agent) -> None:
        agent.prepare(game)
        self.game, self.agent = game, agent
        self._players = [agent.sit(game, seat) for seat in range(game.facts.players)]

    def label(self, position: Position, seed: int) -> Label | None:
        seen = position.observe(position.player)
        thought = checked(self._players[position.player].think(seen, Limit(), seed))
        policy, facts = thought.policy or {thought.action: 1.0}, self.game.facts
        if thought.value is None:
            return Label(policy, {})
        if facts.players == 2 and facts.zero_sum:
            return Label(policy, _of_both(position.player, thought.value), SEARCHED)
        return Label(policy, {position.player: thought.value}, SEARCHED)


def _of_both(player: int, value: float) -> dict[int, float]:
    """Return what both players get, of whom one gets so much."""
    return {player: value, 1 - player: -value}


def make_teacher(game: Game, source: str) -> Teacher:
    """Return the teacher of a name: `solver`, or an agent's spec."""
    return SolverTeacher(game) if source == SOLVER else AgentTeacher(game, load_agent(source))


def lesson(teacher: Teacher, start: Position, seed: int) -> Samples:
    """Play a game by the teacher's moves and some at random; return it with its labels.

    `seed` is that of the start, and decides what is random.
    """
    draw, position = random.Random(seed), start
    labels: list[Label | None] = []
    while not position.is_over:
        label = teacher.label(position, draw.getrandbits(62))
        labels.append(label)
        position = _following(position, label, draw)
    return _samples(position, labels, seed)


def _following(position: Position, label: Label | None, draw: random.Random) -> Position:
    """Return the position after the teacher's move or, now and then, after one at random.

    A random move that ends the game is not played: it leads to nothing that could be learned.
    """
    if label is None or draw.random() < ASTRAY:
        astray = position.play(draw.choice(position.legal_actions))
        if label is None or not astray.is_over:
            return astray
    actions, weights = zip(*label.policy.items(), strict=True)
    return position.play(draw.choices(actions, weights)[0])


def _samples(end: Position, labels: Sequence[Label | None], seed: int) -> Samples:
    """Return the positions of a line and their labels as samples."""
    facts, line, known = end.game.facts, end.line(), list(end.returns)
    policy = np.zeros((len(labels), facts.branching), np.float32)
    values = np.zeros((len(labels), facts.players), np.float32)
    for row in reversed(range(len(labels))):
        if (label := labels[row]) is not None:
            shares = [label.policy.get(action, 0.0) for action in line[row].legal_actions]
            policy[row, : len(shares)] = shares
            for player, value in label.values.items():
                known[player] = label.share * value + (1 - label.share) * end.returns[player]
        values[row] = known
    samples = replayed(
        end.game, line[0].setup[np.newaxis], line[0].state[np.newaxis],
        seeds=np.array([seed], np.uint64), lengths=np.array([len(labels)]),
        played=np.array([after.action for after in line[1:]], np.int32),
        policy=policy, values=values,
    )  # fmt: skip
    assert samples is not None  # positions are made by the same rules
    return samples
