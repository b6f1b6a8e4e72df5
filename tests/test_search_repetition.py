"""A search treats a repeated position as a draw, within its line and in the game's past."""

import pytest
from lines import continued

from plyground import load_agent, load_game
from plyground.search.repetition import past_keys

SHUFFLE = ("a1-a2", "h8-h7", "a2-a1")
"""After these moves, h7-h8 repeats the first position."""


@pytest.fixture(scope="module")
def behind():
    """Return a position where Black, to move, has one token against two and can repeat."""
    return continued(load_game("expendibots").parse("7a/8/8/8/8/8/8/AA6 w 0"), *SHUFFLE)


@pytest.fixture(scope="module")
def ahead():
    """Return a position where Black, to move, has two tokens against one and can repeat."""
    return continued(load_game("expendibots").parse("6aa/8/8/8/8/8/8/A7 w 0"), *SHUFFLE)


def test_the_past_counts_every_earlier_position(behind):
    past, keys, seen = past_keys(behind, 4)
    assert past == seen.sum() == 3
    assert len(keys) == 7
    assert keys.view("uint64")[:past].tolist() == [each.key for each in behind.line()[:-1]]


def test_a_game_without_repetition_has_no_past(connect_four):
    assert past_keys(connect_four.start().play(3).play(3), 1)[0] == 0


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_who_is_behind_repeats_and_who_is_ahead_does_not(behind, ahead, depth):
    agent = load_agent(f"alphabeta(depth={depth}, evaluate=pieces)")
    losing, winning = agent.think(behind), agent.think(ahead)
    assert behind.format(losing.action) == "h7-h8"
    assert losing.value == 0
    assert ahead.format(winning.action) != "h7-h8"
    assert winning.value > 0


def test_a_repeated_node_of_the_tree_is_a_draw_and_grows_no_children(behind):
    player = load_agent("mcts(simulations=3000)").sit(behind.game, behind.player)
    player.think(behind, seed=1)
    (tree,) = player.trees
    back = behind.parse("h7-h8")
    (repeated,) = [each for each in tree.children(0) if each["action"] == back]
    assert repeated["visits"] > 1
    assert repeated["value"] == 0
    assert repeated["count"] == 0
    assert any(each["count"] > 0 for each in tree.children(0))


def test_a_tree_may_be_rooted_in_a_repeated_position(behind):
    player = load_agent("mcts(simulations=500)").sit(behind.game, behind.player)
    player.think(behind, seed=1)
    again = behind.play(behind.parse("h7-h8"))
    thought = player.think(again, seed=2)
    assert thought.action in again.legal_actions
    assert thought.info["reused"] > 0
    assert sum(thought.policy.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta(depth=2)",
        "alphabeta(depth=1, quiet=100)",
        "mcts(simulations=100)",
        "mcts(simulations=100, playout=heuristic, select=puct)",
    ],
)
def test_a_search_plays_itself_to_the_end_however_long_that_is(spec):
    """Booms and long lines use loops and bounded arrays, never Python's stack."""
    position, agent = load_game("expendibots").start(), load_agent(spec)
    while not position.is_over:
        position = position.play(agent.think(position, seed=position.ply).action)
    assert position.ply > 10
