"""Alpha-beta, one ply deeper at a time for as long as the limit allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.compile import prepare
from plyground.game import NOTHING, Game, Position
from plyground.options import Kind, option
from plyground.search import alphabeta as search
from plyground.search.repetition import past_keys
from plyground.search.timing import Timer

NARROW = 0.1
"""Half the width of the first window, round the value found two plies earlier."""


@dataclass
class _Memory:
    """A table that serves search after search; a search does not see the others' entries."""

    table: Any
    generation: int = 0

    def next_generation(self) -> int:
        self.generation += 1
        if self.generation == search.GENERATIONS:
            self.table[:] = 0
            self.generation = 1
        return self.generation


class AlphaBeta(Agent):
    """Search all lines to a depth, cutting what cannot matter; all others play against oneself."""

    name = "alphabeta"
    deterministic = True

    depth: int | None = option(None, low=1, high=1000, help="plies; 6 if nothing limits the search")
    evaluate: str = option(
        "", kind=Kind.EVALUATOR, help="the heuristic at the leaves; the game's first if not given"
    )
    step: int = option(1, low=1, high=4, help="plies from one iteration to the next")
    stages: tuple[float, ...] = option(
        (), low=0, help="share of the longest game, depth, share, depth, ...: a depth by stage"
    )
    prune: bool = option(True, help="cut what cannot matter; without it, plain minimax")
    scout: bool = option(True, help="principal-variation search")
    aspiration: bool = option(False, help="begin with a window round the last iteration's value")
    table: bool = option(True, help="remember positions")
    table_bits: int = option(20, low=1, high=28, help="the table has 2**bits entries")
    killers: bool = option(True, help="try first what cut a sister position")
    history: bool = option(True, help="try first what has cut often")
    order: str = option("", kind=Kind.ORDER, help="moves to try first; the game's own default")
    unwise: str = option(NOTHING, kind=Kind.UNWISE, help="moves to prune, as the game advises")
    quiet: int = option(0, low=0, high=100, help="plies of quiescence search beyond the depth")
    loud: str = option(
        "", kind=Kind.LOUD, help="noisy moves for quiescence; the game's own default"
    )
    reduce: bool = option(False, help="search late actions less deeply at first")

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return AlphaBetaPlayer(self, game, seat, seed)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self.rules(game)
        prepare(search.search)

    def rules(self, game: Game) -> Any:
        """Return the game's kernels with the advice that this agent takes."""
        advisors = (game.advisor(kind, getattr(self, kind)) for kind in ("order", "loud", "unwise"))
        return game.rules(game.evaluator(self.evaluate), *advisors)

    def flags(self) -> int:
        """Return the switches as bits, as the search reads them."""
        switches = (
            self.prune, self.table, self.killers, self.history, self.scout, self.reduce,
        )  # fmt: skip
        return sum(switch << bit for bit, switch in enumerate(switches))

    def staged(self, position: Position) -> int | None:
        """Return the depth of the stage that the game is in."""
        share = position.ply / position.game.facts.longest
        pairs = zip(self.stages[::2], self.stages[1::2], strict=False)
        return next((int(depth) for until, depth in pairs if share < until), None)


class AlphaBetaPlayer(SearchPlayer):
    """One game's player, and the table that serves it search after search."""

    agent: AlphaBeta

    def __init__(self, agent: AlphaBeta, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._memory = _Memory(np.zeros(1 << agent.table_bits, search.ENTRY))

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        agent = self.agent
        limit = limit.within(depth=agent.depth).within(depth=agent.staged(position))
        limit = limit.otherwise(depth=6)
        game, facts = position.game, position.game.facts
        deepest = max(1, min(limit.depth or facts.longest, facts.longest))
        evaluator = game.evaluator(agent.evaluate)
        quiet = agent.quiet if game.advisor("loud", agent.loud) is not None else 0
        plies = deepest + quiet + 2
        past, keys, seen = past_keys(position, plies)
        control = np.zeros(search.CONTROL_SIZE, np.int64)
        control[search.NODE_LIMIT] = limit.nodes or np.iinfo(np.int64).max
        control[search.ROOT_PLAYER] = position.player
        control[search.SIDE] = sum(1 << seat for seat in facts.side(position.player))
        control[search.GENERATION] = self._memory.next_generation()
        control[search.FLAGS] = agent.flags()
        control[search.QUIET] = quiet
        control[search.REPETITION] = facts.repetition
        control[search.PAST] = past
        control[search.STATE_SIZE] = len(position.state)
        control[search.WIDTH] = facts.branching
        control[search.LENGTH] = plies
        control[search.ACTIONS] = facts.actions
        lines = np.empty(plies * plies, np.int64)  # the search writes an end where it reads one
        lines[0] = search.NO_ACTION
        arrays = (
            np.array(evaluator.params(game), np.float64),
            np.empty(plies * len(position.state), np.int64),
            np.empty(plies * facts.branching, np.int64),
            np.empty(plies * facts.branching),
            np.empty(facts.players),
            self._memory.table,
            np.full(2 * plies, search.NO_ACTION, np.int64),
            np.zeros(facts.players * facts.actions),
            lines,
            keys,
            seen,
            control,
        )
        rules = agent.rules(game)
        best: list[int] = [position.legal_actions[0]]
        value = 0.0
        reached, whole = 0, False
        earlier: dict[int, float] = {}

        def iterate(depth: int) -> None:
            """Search to a depth; where the value lies outside the window, open that side of it."""
            nonlocal best, value
            guess = earlier.get(depth - 2, np.inf)  # heuristics swing from ply to ply
            narrow = agent.aspiration and agent.prune and abs(guess) < 1.0
            low, high = (guess - NARROW, guess + NARROW) if narrow else (-np.inf, np.inf)
            while True:
                found = search.search(
                    rules, position.setup, position.state, *arrays, depth, low, high
                )
                line = lines[:plies].tolist()
                # Cut short, only what beat the last iteration's choice counts: of that choice alone
                # one knows no more than that it may be worse than it looked.
                counts = not control[search.STOP] or reached == 0 or line[0] != best[0]
                if line[0] != search.NO_ACTION and found > low and counts:
                    best, value = line[: line.index(search.NO_ACTION)], found
                if control[search.STOP] or low < found < high:
                    earlier[depth] = found
                    return
                low, high = (low, np.inf) if found >= high else (-np.inf, high)

        def deepen() -> None:
            nonlocal reached, whole
            for depth in range(min(agent.step, deepest), deepest + 1, agent.step):
                before = control[search.EVALUATED] + control[search.CUTS]
                iterate(depth)
                if control[search.STOP]:
                    return
                reached = depth
                whole = control[search.EVALUATED] + control[search.CUTS] == before
                if whole or search.plies_to_end(value) is not None:
                    return

        def thought() -> Thought:
            nodes = int(control[search.NODES])
            info = {
                "evaluated": int(control[search.EVALUATED]),
                "nodes_per_second": round(nodes / timer.elapsed),
                "table_hits": int(control[search.HITS]),
                "table_use": min(1.0, int(control[search.STORED]) / len(self._memory.table)),
            }
            bounded = max(-1.0, min(1.0, value)) + 0.0
            return Thought(
                best[0],
                bounded,
                {best[0]: 1.0},
                info,
                proof=_proof(agent, game, bounded, search.plies_to_end(value), whole),
                depth=reached,
                nodes=nodes,
                line=tuple(best),
            )

        for _ in timer.run(deepen, control):
            yield thought()
        yield thought()


def _proof(
    agent: AlphaBeta, game: Game, value: float, plies: int | None, whole: bool
) -> Proof | None:
    """Return what a search has proved: by a sure end of the game, or by having seen all of it.

    Nothing, where actions were left out or something hidden was guessed; and no loss to others who
    may not be as hostile as the search takes them for.
    """
    facts = game.facts
    if facts.hidden or game.advisor("unwise", agent.unwise) is not None:
        return None
    if len(set(facts.teams) or range(facts.players)) > 2 and value < 1.0:
        return None
    return Proof(value, plies) if plies is not None or whole else None
