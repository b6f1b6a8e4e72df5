"""Expendibots: tokens move, stack up, jump and explode in chains; the last to have tokens wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plyground.game import Facts, Game, Kernels, Position, Solver
from plyground.games.expendibots import bots, evaluate, rules, tactics, view
from plyground.games.expendibots.evaluate_neural import Neural
from plyground.games.expendibots.solve import ExpendibotsSolver
from plyground.picture import Click, Picture, Rows

STRONG = "unwise=suicides, quiet=4, evaluate=neural"
"""The options of the strongest search known."""

START = "aa1aa1aa/aa1aa1aa/8/8/8/8/AA1AA1AA/AA1AA1AA w 0"


class Expendibots(Game):
    """Move stacks and blow them up; the side that has the last tokens wins. White begins."""

    name = "expendibots"
    title = "Expendibots"
    kernels = Kernels(
        rules.player, rules.legal, rules.play, rules.over, rules.returns, rules.key,
        rules.image, rules.image_action, encode=rules.encode, policy=rules.policy,
    )  # fmt: skip
    evaluators = (
        evaluate.Features,
        evaluate.Pieces,
        evaluate.Mobility,
        evaluate.Components,
        evaluate.Closeness,
        Neural,
    )
    advice = (
        tactics.gains, tactics.hits, tactics.suicides, tactics.boomer, tactics.wait,
        bots.boom_map, bots.towers, bots.greedy,
    )  # fmt: skip
    overlays = ("blast",)
    notation = (
        "c3-c4 moves one token from c3 to c4, 2c3-c5 moves two of a stack, boom-c3 explodes c3; "
        "the letter is the column. Player 1 is White (w), player 2 Black (b); w3 is a stack of 3."
    )

    def measure(self) -> Facts:
        return Facts(
            players=2,
            actions=rules.ACTIONS,
            branching=rules.BRANCHING,
            longest=rules.LONGEST,
            symmetries=8,
            planes=(rules.PLANES, rules.SIZE, rules.SIZE),
            policy=(rules.POLICY, rules.SIZE, rules.SIZE),
            policy_parts=2,
            repetition=4,
            clock=rules.PLIES,
        )

    def champions(self) -> Sequence[str]:
        return (f"alphabeta({STRONG})",)

    def levels(self) -> Sequence[str]:
        judges = ["alphabeta(depth=1)"] * 3 + [f"alphabeta(depth=1, {STRONG})"] * 3
        steps = zip(judges, (0.15, 0.065, 0.028, 0.13, 0.03, 0.0055), strict=True)
        judged = [f"casual(judge={judge}, temperature={t})" for judge, t in steps]
        return judged + [f"alphabeta(depth={depth}, {STRONG})" for depth in (2, 3, 4)]

    def solver(self, *, within_cap: bool = False) -> Solver | None:
        """Return a solver of endings of up to four tokens."""
        return ExpendibotsSolver(self)

    def begin(self, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        return self.read(START)

    def write(self, position: Position) -> str:
        state = position.state.tolist()
        return view.write(view.board(state), state[rules.MOVER], state[rules.PLIES])

    def read(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        return [], view.words(*view.read(text))

    def format(self, position: Position, action: int) -> str:
        return view.format_action(action)

    def clicks(self, position: Position, action: int) -> tuple[Click, ...]:
        """Return the stack twice for a boom; else the stack, its target and how many tokens."""
        return view.clicks(position.state.tolist(), action)

    def rows(self, position: Position) -> Rows:
        moved, exploded = self._changed_squares(position)
        return view.rows(view.board(position.state.tolist()), moved | exploded)

    def draw(self, position: Position) -> Picture:
        moved, exploded = self._changed_squares(position)
        return view.draw(position, moved, exploded, repr(self))

    def overlay(self, position: Position, name: str) -> Mapping[int, tuple[int, float]]:
        return view.blast(view.board(position.state.tolist()), position.player)

    def _changed_squares(self, position: Position) -> tuple[set[int], set[int]]:
        """Return the squares of the last move, and those where stacks have just exploded."""
        if position.previous is None or position.action is None:
            return set(), set()
        if position.action < rules.SQUARES:
            before = view.board(position.previous.state.tolist())
            gone = before.keys() - view.board(position.state.tolist()).keys()
            return {position.action}, set(gone)
        return set(view.move_of(position.action)[1:]), set()
