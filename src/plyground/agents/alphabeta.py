"""Alpha-beta search by iterative deepening, for as long as the limit allows."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from plyground.agents.agent import Agent, Limit, Player, Proof, SearchPlayer, Thought
from plyground.compile import Function, prepare
from plyground.control import NODES, STOP
from plyground.game import NOTHING, Game, Position
from plyground.options import Kind, option
from plyground.search import alphabeta as search
from plyground.search.plies import best_line
from plyground.search.table import Table
from plyground.search.timing import Pace, Timer
from plyground.search.value import plies_to_end

ADVISED = ("order", "loud", "unwise", "skip")
"""The kinds of advice that this search takes."""

NARROW = 0.1
"""Half the width of an aspiration window, around the value of two plies earlier."""


class AlphaBeta(Agent):
    """Alpha-beta search by iterative deepening; assumes that all others play against it."""

    name = "alphabeta"
    deterministic = True
    rehearses = True

    depth: int | None = option(
        None, low=1, high=1000, help="plies; 6 where nothing limits the search"
    )
    evaluate: str = option(
        "", kind=Kind.EVALUATOR, help="heuristic at the leaves; by default the game's first"
    )
    step: int = option(1, low=1, high=4, help="plies added by each iteration of the deepening")
    stages: tuple[float, ...] = option(
        (), low=0, help="depth by stage: pairs of (share of the longest game, depth before it)"
    )
    exact: bool = option(
        False, help="the value of plain minimax: switch off what may change it to search deeper"
    )
    prune: bool = option(True, help="alpha-beta pruning; without it, plain minimax")
    scout: bool = option(True, help="principal-variation search")
    aspiration: bool = option(
        False, help="aspiration windows around the value of an earlier iteration"
    )
    table: bool = option(True, help="transposition table")
    table_bits: int = option(20, low=1, high=28, help="the transposition table has 2**bits entries")
    killers: bool = option(True, help="killer moves: try first what caused a cutoff in a sibling")
    history: bool = option(True, help="history heuristic: try first what often caused cutoffs")
    order: str = option("", kind=Kind.ORDER, help="move ordering; by default the game's first")
    unwise: str = option(NOTHING, kind=Kind.UNWISE, help="moves to prune, as the game advises")
    quiet: int = option(0, low=0, high=100, help="plies of quiescence search beyond the depth")
    loud: str = option(
        "", kind=Kind.LOUD, help="noisy moves for quiescence; by default the game's first"
    )
    skip: str = option("", kind=Kind.SKIP, help="null move; by default the game's first")
    reduce: bool = option(
        True, help="late move reductions, in games of two players without noisy moves"
    )

    def player(self, game: Game, seat: int, seed: int, *, ponder: bool) -> Player:
        return AlphaBetaPlayer(self, game, seat, seed)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self.rules(game)
        prepare(search.search)

    def rules(self, game: Game, *more: Function | None) -> Any:
        """Return the game's kernels with the evaluator and advisors of this agent, and more."""
        kinds = ADVISED if game.facts.players == 2 else ADVISED[:-1]  # passing is for two
        advisors = (game.advisor(kind, getattr(self, kind)) for kind in kinds)
        return game.rules(game.evaluator(self.evaluate), *advisors, *more)

    def switches(self, game: Game) -> int:
        """Return the refinements that are on in a game, as bits for the search."""
        on = sum(bit for name, bit in search.SWITCHES.items() if getattr(self, name))
        return on if self.reduces(game) else on & ~search.REDUCE

    def reduces(self, game: Game) -> bool:
        """Return whether late moves are reduced in a game.

        With noisy moves they are not: in Expendibots, the only such game measured, that lost games.
        """
        calm = game.facts.players == 2 and game.advisor("loud", self.loud) is None
        return self.reduce and calm and not self.exact

    def staged(self, position: Position) -> int | None:
        """Return the depth set for the current stage of the game, if any."""
        share = position.ply / position.game.facts.longest
        pairs = zip(self.stages[::2], self.stages[1::2], strict=False)
        return next((int(depth) for until, depth in pairs if share < until), None)


class AlphaBetaPlayer(SearchPlayer):
    """Player that keeps the transposition table and the history from search to search."""

    agent: AlphaBeta

    def __init__(self, agent: AlphaBeta, game: Game, seat: int, seed: int) -> None:
        super().__init__(agent, game, seat, seed)
        self._rules, self._switches = agent.rules(game), agent.switches(game)
        self._evaluator = game.evaluator(agent.evaluate)
        follows = game.advisor("loud", agent.loud) is not None and not game.facts.simultaneous
        self._quiet = agent.quiet if follows else 0
        self._table = Table(agent.table_bits)
        self._earlier: search.AlphaBetaWorkspace | None = None

    def longest(self, limit: Limit) -> float | None:
        return limit.most or limit.seconds

    def search(
        self, position: Position, limit: Limit, seed: int, timer: Timer
    ) -> Iterator[Thought]:
        agent = self.agent
        limit = limit.within(depth=agent.depth).within(depth=agent.staged(position))
        limit = limit.otherwise(depth=6)
        game, facts = position.game, position.game.facts
        # Reduced lines end before the depth, so that a greater one is needed to end all of them.
        longest = 2 * facts.longest if agent.reduces(game) else facts.longest
        deepest = max(1, min(limit.depth or longest, longest))
        step, replies, root = agent.step, search.NOBODY, position
        if facts.simultaneous:  # search whole turns, and do not rely on a guess of an action
            step, deepest = step + step % 2, deepest + deepest % 2
            root = game.chooses_first(position)
            replies = 1 - root.player
        work = search.workspace(
            root,
            self._rules,
            self._evaluator,
            self._table,
            depth=min(deepest, facts.longest + 1),  # where a choice was taken back, one more
            quiet=self._quiet,
            switches=self._switches,
            nodes=limit.nodes,
            replies=replies,
            earlier=None if agent.exact else self._earlier,
        )
        self._earlier = work
        control = work.control
        best: list[int] = [position.legal_actions[0]]
        value = 0.0
        reached, whole = 0, False
        earlier: dict[int, float] = {}
        pace = Pace(limit.seconds if limit.most and limit.seconds else inf)

        def iterate(depth: int) -> None:
            """Search to a depth; if the value is outside the window, open that side and repeat."""
            nonlocal best, value
            guess = earlier.get(depth - 2, inf)  # heuristics differ between odd and even plies
            narrow = agent.aspiration and agent.prune and abs(guess) < 1.0
            low, high = (guess - NARROW, guess + NARROW) if narrow else (-inf, inf)
            while True:
                score = search.search(work, depth, low, high)
                line = best_line(work)
                # An interrupted search counts only if another action beat the previous choice:
                # a new value of that choice alone has not been compared with any other.
                counts = not control[STOP] or reached == 0 or line[:1] != best[:1]
                if line and score > low and counts:
                    best, value = line, score
                if control[STOP] or low < score < high:
                    earlier[depth] = score
                    return
                low, high = (low, inf) if score >= high else (-inf, high)

        def deepen() -> None:
            nonlocal reached, whole
            for depth in range(min(step, deepest), deepest + 1, step):
                before = work.evaluated + work.cuts
                iterate(depth)
                if control[STOP]:
                    return
                reached = depth
                whole = work.evaluated + work.cuts == before
                pace.note(best[0], earlier.get(depth - 2, value) - value)
                if whole or plies_to_end(value) is not None or timer.elapsed > pace.last_start:
                    return

        def thought() -> Thought:
            nodes = int(control[NODES])
            info = {
                "evaluated": work.evaluated,
                "nodes_per_second": round(nodes / timer.elapsed),
                "table_hits": work.hits,
                "table_use": min(1.0, work.stored / len(work.table)),
            }
            bounded = max(-1.0, min(1.0, value)) + 0.0
            return Thought(
                best[0],
                bounded,
                {best[0]: 1.0},
                info,
                proof=_proof(agent, game, bounded, plies_to_end(value), whole),
                depth=reached,
                nodes=nodes,
                line=tuple(best) if root is position else (best[0],),
            )

        for _ in timer.run(deepen, control):
            yield thought()
        yield thought()


def _proof(
    agent: AlphaBeta, game: Game, value: float, plies: int | None, whole: bool
) -> Proof | None:
    """Return what a search has proved: a forced end of the game, or the value of the whole tree.

    Nothing is proved if moves were pruned or hidden information was guessed. With more than two
    sides only a win is proved, as the others may not all play against this player.
    """
    facts = game.facts
    if facts.hidden or game.advisor("unwise", agent.unwise) is not None:
        return None
    if len(set(facts.teams) or range(facts.players)) > 2 and value < 1.0:
        return None
    return Proof(value, plies) if plies is not None or whole else None
