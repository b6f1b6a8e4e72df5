"""Every refinement of alpha-beta has the value of plain minimax, in every game of two."""

from __future__ import annotations

from random import Random

import pytest
from lines import random_position

from plyground import Limit, load_agent, load_game
from plyground.game.advice import skip
from plyground.search.alphabeta import reduction

GAMES = (
    "connect_n(width=4, height=4, n=3)",
    "connect_n(width=10, height=8)",
    "expendibots",
    "tron(map=small_room)",
    "tron(map=small_room, simultaneous=True)",
    "sheep(players=2, size=6, cells=16, sheep=4)",
    "sheep(players=2, size=6, cells=16, sheep=4, hex=True)",
)
SWITCHES = ("scout", "aspiration", "table", "killers", "history")
PLAIN = "exact=True, prune=False, table=False, killers=False, history=False, order=nothing"
MOST_LINES, FEW_LINES = 6_000, 1_000


def minimax(position, depth, viewer, evaluator):
    """Search every line; all others play against the viewer, whose heuristic counts."""
    if position.is_over:
        return position.returns[viewer]
    if depth == 0:
        return position.evaluate(evaluator)[viewer]
    values = [
        minimax(position.play(action), depth - 1, viewer, evaluator)
        for action in position.legal_actions
    ]
    return max(values) if position.player == viewer else min(values)


def as_searched(position, depth):
    """Return what alpha-beta searches: where two move at once, whole turns, its own move first."""
    if not position.game.facts.simultaneous:
        return position, depth
    return position.game.chooses_first(position), depth + depth % 2


def cases(spec, number, lines):
    """Return positions of a game, each with the largest depth that minimax can search quickly."""
    game = load_game(spec)
    for seed in range(number):
        position = random_position(game, seed, plies=3 * (seed % 12))
        branching = max(2, len(position.legal_actions))
        depth = next(d for d in range(5, 0, -1) if d == 1 or branching**d < lines)
        yield position, depth


@pytest.mark.parametrize("spec", GAMES)
def test_without_its_refinements_it_is_minimax(spec):
    agent = load_agent(f"alphabeta({PLAIN})")
    for position, depth in cases(spec, 8, MOST_LINES):
        root, plies = as_searched(position, depth)
        value = minimax(root, plies, position.player, position.game.evaluator())
        found = agent.think(position, Limit(depth=depth))
        assert found.value == pytest.approx(value, abs=1e-12), repr(position)


@pytest.mark.parametrize("spec", GAMES)
def test_any_switches_leave_the_value_as_it_is(spec):
    """A thousand positions, each searched with switches set at random and without any."""
    random = Random(spec)
    for position, depth in cases(spec, 1000, FEW_LINES):
        options = {switch: random.random() < 0.5 for switch in SWITCHES}
        options |= {
            "exact": True,
            "table_bits": random.choice((1, 4, 10)),
            "order": random.choice(("", "nothing")),
        }
        meaning = {"quiet": random.choice((0, 0, 3)), "unwise": random.choice(("", "nothing"))}
        found, plain = (
            load_agent(agent, **meaning).think(position, Limit(depth=depth)).value
            for agent in (repr(load_agent("alphabeta", **options)), f"alphabeta({PLAIN})")
        )
        assert found == pytest.approx(plain, abs=1e-12), (options, meaning, repr(position))


@pytest.mark.parametrize("spec", ["sheep(players=3, size=5, cells=12, sheep=3)"])
def test_more_than_two_players_are_seen_as_all_against_one(spec):
    agent = load_agent("alphabeta(exact=True)")
    for position, depth in cases(spec, 8, MOST_LINES):
        value = minimax(position, depth, position.player, position.game.evaluator())
        found = agent.think(position, Limit(depth=depth))
        assert found.value == pytest.approx(value, abs=1e-12), repr(position)


def test_reductions_grow_by_whole_turns_and_leave_a_ply():
    for depth in range(2, 40):
        plies = [reduction(depth, late) for late in range(1, 60)]
        assert plies == sorted(plies)
        assert all(each % 2 == 0 for each in plies)
        assert 0 <= plies[-1] <= depth - 2
    assert reduction(4, 1) == 0 < reduction(8, 3) < reduction(16, 30)


def test_reductions_change_the_work_and_not_the_rules():
    position = load_game("connect_n").start()
    plain, reduced = (
        load_agent("alphabeta", depth=10, reduce=reduce).think(position) for reduce in (False, True)
    )
    assert reduced.nodes != plain.nodes
    assert reduced.action in position.legal_actions


def test_a_stage_of_the_game_sets_the_depth():
    agent = load_agent("alphabeta(stages=(0.1, 2, 0.5, 4, 1, 6))")
    position = load_game("connect_n").start()
    depths = []
    for action in (3, 3, 3, 3, 3, 2, 2, 2):
        depths.append(agent.think(position).depth)
        position = position.play(action)
    assert depths == [2, 2, 2, 2, 2, 4, 4, 4]


def test_even_steps_end_on_even_depths():
    thought = load_agent("alphabeta(step=2)").think(
        load_game("connect_n").start(), Limit(nodes=50_000)
    )
    assert thought.depth % 2 == 0


def test_null_moves_save_nodes_and_exact_searches_make_none():
    position = load_game("expendibots").start()
    agents = ("", "skip=nothing", "exact=True", "exact=True, skip=nothing")
    nodes = [
        load_agent(f"alphabeta({each})").think(position, Limit(depth=4)).nodes for each in agents
    ]
    assert nodes[0] < nodes[1]
    assert nodes[2] == nodes[3]


def test_a_null_move_passes_the_turn_and_nothing_else():
    position = load_game("expendibots").start()
    passed = skip(position)
    assert passed.player == 1 - position.player
    assert passed.to_text().split()[0] == position.to_text().split()[0]
