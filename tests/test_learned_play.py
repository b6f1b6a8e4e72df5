"""Small games are learned to perfection by self-play alone, in half a minute of one core."""

from functools import cache
from itertools import accumulate

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

from plyground import load_agent, load_game
from plyground.learn.network import Shape, new_network
from plyground.learn.onnx import save_onnx
from plyground.learn.recipe import Limit, Recipe, SelfPlaySettings
from plyground.learn.training import train

SIZES = {
    "channels": 32, "blocks": 2, "batch": 128, "shard": 1024, "first": 1, "ahead": 1,
    "rate": 2e-3, "capacity": 40_000,
}  # fmt: skip


def mistakes(game, agent):
    """Yield for position after position whether an agent throws away a win or a draw there.

    These are all positions that it can get into, whatever its opponent does, from either seat.
    """

    @cache
    def value(position):
        """Return the exact value for the player to move."""
        if position.is_over:
            return position.returns[position.player]
        return max(-value(after(position, action)) for action in position.legal_actions)

    def after(position, action):
        return position.play(action).without_line()

    for seat in (0, 1):
        unseen, seen = [game.start()], set()
        while unseen:
            position = unseen.pop()
            if position.is_over or position in seen:
                continue
            seen.add(position)
            actions = position.legal_actions
            if position.player == seat:
                actions = [agent.think(position).action]
                yield -value(after(position, actions[0])) < value(position)
            unseen += [after(position, action) for action in actions]


@pytest.mark.parametrize(
    ("spec", "reuse", "simulations", "evaluations"),
    [
        ("examples/tic_tac_toe.py", 12.0, 32, 64),  # without planes of its own: harder
        ("connect_n(width=4, height=4, n=3)", 4.0, 16, 96),
    ],
    ids=["tic-tac-toe", "connect-3"],
)
def test_self_play_alone_learns_perfect_play(spec, reuse, simulations, evaluations, tmp_path):
    game = load_game(spec)
    playing = SelfPlaySettings(games=256, simulations=simulations)
    # Random openings: the opponent may begin with moves that a good player does not make.
    recipe = Recipe((repr(game),), reuse=reuse, opening=3, selfplay=playing, **SIZES)
    assert train(recipe, tmp_path, Limit(steps=1000)).steps == 1000
    untrained = tmp_path / "untrained.onnx"
    save_onnx(new_network(Shape.of(game, 32, 2)), untrained, {})
    learned, before = (
        mistakes(game, load_agent(f"alphazero(weights={str(path)!r}, evaluations={evaluations})"))
        for path in (tmp_path / "network.onnx", untrained)
    )
    found = list(learned)
    assert not any(found)
    assert len(found) > 300
    assert any(count > 4 for count in accumulate(before))  # the search alone does not do it
