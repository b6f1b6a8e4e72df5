"""Perfect play, by the exact solver that a game brings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import TypeVar

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.agents.alphabeta import AlphaBeta, AlphaBetaPlayer
from plyground.control import NODES
from plyground.errors import CannotPlayError
from plyground.game import Game, Position, Solver, Stop
from plyground.options import option
from plyground.search.timing import Timer

SHARE, PROBE = 0.5, 0.02
"""The part of a limit that the solver may use, and where it is hopeless: that is enough for wins at
once. The rest is left for the search."""

SPEED = 4_000_000
"""Nodes per second of a solver, to judge what can be solved within a time limit."""

SEARCH = AlphaBeta.make({})
SEARCH_NODES = 2_000_000
"""What the search may visit where nothing limits it: about two seconds."""

NOT_SOLVED = f"not solved within the limit: played by {SEARCH}"

Result = TypeVar("Result")


class Perfect(Agent):
    """Play perfectly, by the game's exact solver; what takes it too long is searched instead."""

    name = "perfect"
    deterministic = True
    example_game = "robots"
    rehearses = True

    nodes: int = option(
        50_000_000, low=1, help="nodes per move of the solver, where nothing else limits it"
    )

    def accept(self, game: Game) -> None:
        solver_of(game)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        SEARCH.prepare(game)

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return PerfectPlayer(self, game, seat, seed)


def solver_of(game: Game) -> Solver:
    """Return a new solver, by which the cap on a puzzle's moves holds; compile it if needed."""
    solver = game.solver(within_cap=True)
    if solver is None:
        raise CannotPlayError(f"perfect plays games that have an exact solver, {game} has none")
    return solver


class PerfectPlayer(SearchPlayer):
    """One game's player: the solver, whose table serves move after move, and a search."""

    agent: Perfect

    def __init__(self, agent: Perfect, game: Game, seat: int, seed: int = 0) -> None:
        super().__init__(agent, game, seat, seed)
        self._solver = solver_of(game)
        self._solver.forget()  # else the first move would pay for getting the memory
        self._searcher = AlphaBetaPlayer(SEARCH, game, seat, seed)

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        share = self._share(position, limit)
        seconds = None if limit.seconds is None else share * limit.seconds
        stop, first = Stop(self._nodes(limit, share)), Timer(seconds, limit.cpu, timer.every)
        solution = run(lambda: self._solver.best(position, stop), stop, first)
        nodes = int(stop.control[NODES])
        if limit.nodes is not None:
            limit = replace(limit, nodes=max(1, limit.nodes - nodes))
        if solution is None:
            for thought in self._searcher.search(
                position, limit.otherwise(nodes=SEARCH_NODES), seed, timer
            ):
                info = {**thought.info, "note": NOT_SOLVED}
                yield replace(thought, info=info, nodes=nodes + (thought.nodes or 0))
            return
        action = solution.line[0] if solution.line else position.legal_actions[0]
        thought = Thought(
            action,
            solution.value,
            {action: 1.0},
            {"nodes_per_second": round(nodes / timer.elapsed)},
            proof=Proof(solution.value, solution.plies),
            nodes=nodes,
            line=solution.line,
        )
        yield thought
        if timer.every is not None:  # an analysis goes on with all other actions
            stop = Stop(self._nodes(limit))
            values = run(lambda: self._solver.values(position, stop), stop, timer)
            nodes += int(stop.control[NODES])
            info = {"nodes_per_second": round(nodes / timer.elapsed)}
            yield replace(thought, info=info, nodes=nodes, values=values or {})

    def _share(self, position: Position, limit: Limit) -> float:
        """Return the part of a limit that the solver may use."""
        seconds = inf if limit.seconds is None else limit.seconds
        most = min(self._nodes(limit, SHARE) or inf, SHARE * SPEED * seconds)
        return SHARE if self._solver.least_nodes(position) <= most else PROBE

    def _nodes(self, limit: Limit, share: float = 1.0) -> int | None:
        """Return how many nodes a solver may visit: all that the time allows, if there is one."""
        if limit.nodes is not None:
            return max(1, int(share * limit.nodes))
        if limit.seconds is not None:
            return None
        return max(1, int(min(1.0, share / SHARE) * self.agent.nodes))  # none for the search


def run(solve: Callable[[], Result | None], stop: Stop, timer: Timer) -> Result | None:
    """Return a solver's result, or None if the time was up before."""
    result = None

    def work() -> None:
        nonlocal result
        result = solve()

    for _ in timer.run(work, stop.control):
        pass
    timer.finish()  # solvers check the clock themselves, so this is not long
    return result
