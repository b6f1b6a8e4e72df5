"""Teachers: exact solvers and strong agents that label positions for a network to learn from."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.errors import BadOption
from plyground.game import Game, Position, Solver, Stop
from plyground.learn.samples import Samples

MOST_NODES = 60_000
"""The nodes after which a solver's question is dropped: another position teaches as much."""

ASTRAY = 0.15
"""The share of moves that are drawn at random, so that answers to mistakes are learned too."""


class Label(NamedTuple):
    """What a teacher says of a position."""

    policy: Mapping[int, float]
    values: Sequence[float] | None
    """What each player gets; None: what the game's result will be."""


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
            raise BadOption(f"{game} has no exact solver; learn from self-play or an agent")
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
        return Label({self._line[0]: 1.0}, [self._value])

    def _label_actions(self, position: Position) -> Label | None:
        solutions = self.solver.values(position, Stop(nodes=MOST_NODES))
        if solutions is None:
            return None
        merits = {
            action: (each.value, -(each.plies or 0) * np.sign(each.value))
            for action, each in solutions.items()
        }
        best = max(merits.values())
        chosen = [action for action, merit in merits.items() if merit == best]
        value = solutions[chosen[0]].value
        values = [-value, -value]
        values[position.player] = value
        return Label(dict.fromkeys(chosen, 1 / len(chosen)), values)


class AgentTeacher(Teacher):
    """Labels by an agent: what it prefers, and the result of the game."""

    def __init__(self, game: Game, agent: Agent) -> None:
        agent.prepare(game)
        self.game, self.agent = game, agent
        self._players = [agent.sit(game, seat) for seat in range(game.facts.players)]

    def label(self, position: Position, seed: int) -> Label | None:
        seen = position.observe(position.player)
        thought = self._players[position.player].think(seen, Limit(), seed)
        return Label(thought.policy or {thought.action: 1.0}, None)


def make_teacher(game: Game, source: str) -> Teacher:
    """Return the teacher of a name: `solver`, or an agent's spec."""
    return SolverTeacher(game) if source == "solver" else AgentTeacher(game, load_agent(source))


def lesson(teacher: Teacher, seed: int) -> Samples | None:
    """Play a game by the teacher's moves and some at random; return its labels, if it had any."""
    draw, game = random.Random(seed), teacher.game
    position, labelled = game.start(seed), []
    while not position.is_over:
        label = teacher.label(position, draw.getrandbits(62))
        if label is not None:
            labelled.append((position, label))
        if label is None or draw.random() < ASTRAY:
            action = draw.choice(position.legal_actions)
        else:
            actions, weights = zip(*label.policy.items(), strict=True)
            action = draw.choices(actions, weights)[0]
        position = position.play(action)
    return _samples(game, labelled, position.returns) if labelled else None


def _samples(
    game: Game, labelled: Sequence[tuple[Position, Label]], returns: Sequence[float]
) -> Samples:
    count, branching = len(labelled), game.facts.branching
    actions = np.full((count, branching), -1, np.int32)
    policy = np.zeros((count, branching), np.float32)
    for row, (position, label) in enumerate(labelled):
        legal = position.legal_actions
        actions[row, : len(legal)] = legal
        policy[row, : len(legal)] = [label.policy.get(action, 0.0) for action in legal]
    return Samples(
        labelled[0][0].setup[np.newaxis],
        np.zeros(count, np.int32),
        np.stack([position.state for position, _ in labelled]),
        np.array([position.player for position, _ in labelled], np.int8),
        actions,
        policy,
        np.array([label.values or returns for _, label in labelled], np.float32),
    )
