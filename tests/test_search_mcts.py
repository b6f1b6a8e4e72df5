"""Monte Carlo tree search: consistent sums, one tree per seed, reuse, bounded memory, wins."""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from lines import played

from plyground import Limit, load_agent, load_game
from plyground.agents.agent import Proof
from plyground.errors import OptionError
from plyground.registry import load_file
from plyground.search.playout import play_outs, random_line

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


def nodes_of(player):
    """Return the nodes of the tree that a player remembers."""
    (tree,) = player.trees
    return tree.nodes


def walk(tree, node=0):
    """Return a subtree as nested tuples, independent of its place in memory."""
    first, count = int(tree[node]["first"]), int(tree[node]["count"])
    own = (float(tree[node]["value"]), int(tree[node]["visits"]), int(tree[node]["action"]))
    return (*own, tuple(walk(tree, child) for child in range(first, first + max(count, 0))))


def test_visits_add_up_at_every_node(connect_four):
    player = load_agent("mcts(simulations=3000)").sit(connect_four, 0)
    thought = player.think(connect_four.start(), seed=0)
    tree = nodes_of(player)
    assert tree[0]["visits"] == thought.simulations == 3000
    assert sum(thought.policy.values()) == pytest.approx(1)
    for number, node in enumerate(tree):
        if node["count"] > 0:
            children = tree[node["first"] : node["first"] + node["count"]]
            own = 0 if number == 0 else 1  # a node's first visit goes to no child
            assert node["visits"] == children["visits"].sum() + own
            assert (np.abs(children["value"]) <= children["visits"]).all()


def test_the_same_seed_grows_the_same_tree_and_another_seed_another(connect_four):
    first, second, other = (
        load_agent("mcts(simulations=2000)").sit(connect_four, 0) for _ in range(3)
    )
    position = connect_four.start()
    for player, seed in ((first, 5), (second, 5), (other, 6)):
        player.think(position, seed=seed)
    assert walk(nodes_of(first)) == walk(nodes_of(second))
    assert walk(nodes_of(first)) != walk(nodes_of(other))


def test_thinking_again_about_one_position_begins_anew(connect_four):
    player = load_agent("mcts(simulations=500)").sit(connect_four, 0)
    position = connect_four.start()
    first, second = player.think(position, seed=1), player.think(position, seed=1)
    assert first.policy == second.policy
    assert second.info["reused"] == 0


def test_the_tree_below_the_moves_played_is_used_again(connect_four):
    player = load_agent("mcts(simulations=4000)").sit(connect_four, 0)
    before = connect_four.start()
    thought = player.think(before, seed=0)
    tree = nodes_of(player).copy()
    after = before.play(3).play(2)
    child = find_child(tree, find_child(tree, 0, 3), 2)
    again = player.think(after, seed=0)
    assert again.info["reused"] == tree[child]["visits"] > 0
    assert nodes_of(player)[0]["visits"] == tree[child]["visits"] + 4000
    assert thought.info["reused"] == 0


def find_child(tree, node, action):
    first, count = int(tree[node]["first"]), int(tree[node]["count"])
    return next(each for each in range(first, first + count) if tree[each]["action"] == action)


def test_a_line_that_left_the_tree_or_another_game_begins_anew(connect_four):
    player = load_agent("mcts(simulations=300)").sit(connect_four, 0)
    player.think(played(connect_four, 3))
    assert player.think(played(connect_four, 3, 3)).info["reused"] == 0
    without = load_agent("mcts(simulations=300, reuse=False)").sit(connect_four, 0)
    position = connect_four.start()
    without.think(position)
    assert without.think(position.play(3)).info["reused"] == 0


def test_the_tree_never_outgrows_its_nodes(connect_four):
    player = load_agent("mcts(simulations=20000, nodes=1000)").sit(connect_four, 0)
    position = connect_four.start()
    for _ in range(4):
        thought = player.think(position)
        assert thought.nodes <= 1000
        assert thought.simulations == 20000
        position = position.play(thought.action)


def test_a_limit_of_nodes_ends_the_search(connect_four):
    for nodes in (1, 100, 5000):
        thought = load_agent("mcts").think(connect_four.start(), Limit(nodes=nodes))
        assert max(1, nodes - 7) <= thought.nodes <= nodes
    small = load_agent("mcts(nodes=1000)").think(connect_four.start(), Limit(nodes=5000))
    assert small.nodes <= 1000


def test_wins_are_counted_and_choose(connect_four):
    player = load_agent("mcts(simulations=3000, choose_by=wins, solve=False)").sit(connect_four, 0)
    start = connect_four.start()
    thought = player.think(start, seed=0)
    (tree,) = player.trees
    shares = {}
    for child, won in zip(tree.children(0), tree.wins(), strict=True):
        visits, value = int(child["visits"]), float(child["value"])
        assert won == int(won)
        assert max(0, value) <= won <= (visits + value) / 2  # draws do not count as wins
        shares[int(child["action"])] = won / visits
    assert thought.action == max(shares, key=shares.get)
    again = player.think(start.play(thought.action).play(3))
    assert again.info["reused"] > 0


@pytest.mark.parametrize(
    "spec",
    [
        "connect_n",
        "connect_n(width=8, height=7, n=5)",
        "connect_n(width=12, height=9, n=5)",
        "sheep",
        "sheep(hex=True, players=2, size=15, cells=100)",
    ],
)
def test_finishing_at_once_draws_the_same_games_as_ply_by_ply(spec):
    game = load_game(spec)

    class PlyByPly(type(game)):
        name = "ply_by_ply"
        kernels = type(game).kernels._replace(finish=None)

    slow = PlyByPly.make(game.changed())
    thoughts = [load_agent("mcts(simulations=500)").think(each.start()) for each in (game, slow)]
    assert thoughts[0].policy == thoughts[1].policy
    assert thoughts[0].value == thoughts[1].value


@pytest.mark.parametrize(
    ("options", "few", "many"),
    [
        ("", ("ucb1", 1.4), ("ucb1_tuned", 0.5)),
        ("select=ucb1", ("ucb1", 1.4), ("ucb1", 1.4)),
        ("select=ucb1_tuned", ("ucb1_tuned", 1.4), ("ucb1_tuned", 0.5)),
        ("select=puct, exploration=0", ("puct", 0.0), ("puct", 0.0)),
        ("exploration=0.9", ("ucb1", 0.9), ("ucb1_tuned", 0.9)),
    ],
)
def test_the_rule_of_selection_depends_on_the_number_of_players(options, few, many):
    agent = load_agent(f"mcts({options})")
    for spec, expected in (("connect_n", few), ("sheep(players=2)", few), ("sheep", many)):
        settings = agent.settings(load_game(spec))
        assert (settings.select, settings.exploration) == expected


def test_a_proof_of_one_thread_is_used(connect_four):
    winning = played(connect_four, 0, 6, 0, 6, 0, 6)
    thought = load_agent("mcts(threads=2)").think(winning, Limit(seconds=60))
    assert (thought.action, thought.value, thought.proof) == (0, 1.0, Proof(1.0))


@pytest.mark.parametrize(
    ("moves", "winning"),
    [((0, 6, 0, 6, 0, 6), {0}), ((3, 0, 2, 0), {1, 4})],
    ids=["in 1 ply", "in 3 plies"],
)
def test_a_win_is_found(connect_four, moves, winning):
    for seed in range(5):
        thought = load_agent("mcts(simulations=3000)").think(
            played(connect_four, *moves), seed=seed
        )
        assert thought.action in winning
        assert thought.value > 0.8


def test_each_of_three_players_wants_its_own_win():
    game = SMALL.Race(players=3, heap=3)
    for taken in ((), (0,), (0, 0)):
        position = game.start()
        for action in taken:
            position = position.play(action)
        thought = load_agent("mcts(simulations=500)").think(position)
        assert thought.action == position.legal_actions[-1]
        assert position.play(thought.action).returns[position.player] == 1.0


def test_random_play_favours_the_first_player_as_much_as_is_known(connect_four):
    games = 40_000
    one, plies = play_outs(connect_four.start(), games, seed=1)
    other, _ = play_outs(connect_four.start(), games, seed=2)
    sigma = 1 / sqrt(games)
    assert abs(one[0] - other[0]) < 5 * sqrt(2) * sigma
    assert abs(one[0] - 0.113) < 5 * sigma  # the first player wins 55.5%, the second 44.2%
    assert one[0] == -one[1]
    assert 7 * games < plies < 42 * games


def test_no_play_outs_are_refused(connect_four):
    with pytest.raises(OptionError, match="count=0; allowed: at least 1"):
        play_outs(connect_four.start(), 0)


def test_a_random_line_can_be_played_to_the_end(connect_four):
    line = random_line(connect_four.start(), seed=4)
    assert played(connect_four, *line).is_over
    assert line == random_line(connect_four.start(), seed=4) != random_line(connect_four.start(), 5)
