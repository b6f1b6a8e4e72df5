"""Trees grown leaf by leaf with external values: the same tree, consistent sums, priors."""

from pathlib import Path

import numpy as np
import pytest
from lines import played, random_position

from plyground import load_game
from plyground.control import DEADLINE, STOP, new_control
from plyground.errors import OptionError
from plyground.registry import load_file
from plyground.search import mcts
from plyground.search.nodes import (
    DRAWN,
    LOST,
    NOTES,
    OVER,
    RAW,
    UNSURE,
    WAITING,
    WON,
    least_to_keep,
    transplant,
)
from plyground.search.tree import Settings, Tree, back_up_all, descend_all, planes_all

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")
PRIORS = Settings(select="puct", priors=True, solve=False, nodes=20_000)


def plant(position, settings, evaluator="", **more):
    evaluator = position.game.evaluator(evaluator)
    return Tree(position, position.game.rules(evaluator), evaluator, settings, **more)


def heuristic(tree, leaves):
    """Return the values of each leaf by the game's first heuristic."""
    game = tree.game
    found = [game.position(tree.root.setup, state).evaluate() for state in leaves.states]
    return np.array(found).reshape(len(found), game.facts.players)


def uniform(tree, leaves):
    return np.ones(leaves.actions.shape)


def nested(tree, node=0):
    """Return a subtree as nested tuples, independent of its place in memory."""
    own = tree.nodes[node]
    children = range(own["first"], own["first"] + max(0, own["count"]))
    return (
        *(own[field].item() for field in ("action", "visits", "value", "player", "proof")),
        tuple(nested(tree, child) for child in children),
    )


def check_sums(tree):
    """Check that all visits of a node but the first are its children's, and none is pending."""
    nodes = tree.nodes
    assert not (nodes["count"] == WAITING).any()
    for node in nodes[nodes["count"] > 0]:
        children = nodes[node["first"] : node["first"] + node["count"]]
        assert node["visits"] - children["visits"].sum() in (0, 1)
        assert (np.abs(children["value"]) <= children["visits"] + 1e-9).all()


# One leaf at a time ------------------------------------------------------------------------------


@pytest.mark.parametrize("select", ["ucb1", "ucb1_tuned", "puct"])
@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("connect_n", 0),
        ("connect_n(width=4, height=4, n=3)", 5),  # many ends of games, and a proof
        ("expendibots", 9),
        ("sheep(players=3, size=6, cells=20, sheep=3)", 6),
        ("tron(map=small_room, simultaneous=True)", 0),
    ],
)
def test_leaf_by_leaf_the_tree_is_the_one_that_grows_by_itself(spec, plies, select):
    settings = Settings(select=select, heuristic=True, count_wins=True, nodes=50_000)
    position = random_position(load_game(spec), 3, plies)
    alone, driven = (plant(position, settings, seed=7) for _ in range(2))
    alone.grow(300)
    while driven.simulations < 300 and not driven.is_proved:
        leaves = driven.descend()
        driven.back_up(heuristic(driven, leaves))
    assert driven.simulations == alone.simulations
    assert nested(driven) == nested(alone)
    assert driven.wins() == alone.wins()


def test_a_tree_that_is_full_drops_what_it_visits_least_and_goes_on(connect_four):
    settings = Settings(heuristic=True, nodes=1000)
    alone, driven = (plant(connect_four.start(), settings, seed=7) for _ in range(2))
    alone.grow(600)
    while driven.simulations < 600:
        leaves = driven.descend()
        driven.back_up(heuristic(driven, leaves))
        assert driven.used <= 1000
    assert nested(driven) == nested(alone)


def size_of(node, least):
    """Return the nodes of a nested subtree, where those of fewer visits have no children."""
    _, _, _, _, _, children = node
    return 1 + sum(size_of(child, least) if child[1] >= least else 1 for child in children)


def full_tree(position, settings):
    tree = plant(position, settings, seed=7)
    while not tree.work.full:
        mcts.search(tree.work, 1)
    return tree


@pytest.mark.parametrize("select", ["ucb1", "ucb1_tuned"])
def test_as_few_nodes_as_needed_lose_their_children(select, connect_four):
    tree = full_tree(connect_four.start(), Settings(select=select, heuristic=True, nodes=1000))
    before = nested(tree)
    least = least_to_keep(tree.work, 500)
    sizes = {keep: size_of(before, keep) for keep in (least // 2, least)}
    assert sizes[least] <= 500 < sizes[least // 2]
    tree._shrink()
    assert tree.used == sizes[least]
    assert not tree.work.full
    check_sums(tree)


def test_a_full_tree_stays_as_it_is_where_the_time_is_up(connect_four):
    start = connect_four.start()
    tree = full_tree(start, Settings(heuristic=True, nodes=5000))
    before, tree.work.control[DEADLINE] = nested(tree), 1
    tree._shrink()
    assert nested(tree) == before
    assert tree.work.control[STOP] == tree.work.full == 1
    tree.work.control[STOP] = 0
    assert transplant(tree.work, *tree._spare, 0, 4) == 0
    tree.plant(start.play(3))
    assert not tree.work.full
    tree.grow(100, control=new_control())
    assert tree.simulations == 100


def test_a_leaf_is_a_position_with_its_actions(connect_four):
    tree = plant(connect_four.start(), Settings(nodes=20_000), leaves=8)
    tree.grow(50)
    leaves = tree.descend(8)
    assert len(leaves.states) > 1
    for words in leaves:  # they are the tree's own memory
        with pytest.raises(ValueError, match="read-only"):
            words[0] = 1
    for setup, state, player, actions, count in zip(*leaves, strict=True):
        position = connect_four.position(setup, state)
        assert position.player == player
        assert position.legal_actions == tuple(actions[:count])


def test_leaves_of_trees_with_boards_of_their_own_are_seen_by_a_network():
    game = load_game("robots")
    trees = [plant(game.start(seed), Settings(nodes=1000)) for seed in range(3)]
    leaves = descend_all(trees)
    assert len({setup.tobytes() for setup in leaves.setups}) == 3
    planes = planes_all(trees)
    wanted = [game.position(*words) for words in zip(leaves.setups, leaves.states, strict=True)]
    assert (planes == game.encode(wanted)).all()


# Many leaves at once -----------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [Settings(nodes=20_000), PRIORS], ids=["ucb1", "priors"])
def test_batches_of_many_trees_leave_whole_sums(settings):
    game, wanted = load_game("connect_n"), 400
    trees = [
        plant(random_position(game, seed, seed), settings, seed=seed, leaves=16)
        for seed in range(6)
    ]
    batches = []
    while growing := [t for t in trees if t.simulations < wanted and not t.is_proved]:
        leaves = descend_all(growing, 16)
        batches.append(len(leaves.states))
        values = np.random.default_rng(len(batches)).uniform(-1, 1, (len(leaves.states), 2))
        priors = uniform(growing, leaves) if settings.priors else None
        back_up_all(growing, values, priors)
    assert max(batches) > 40  # several leaves of each tree, nearly as many as fit
    for tree in trees:
        assert tree.simulations == tree.visits >= wanted or tree.is_proved
        check_sums(tree)


def test_losses_along_the_paths_are_undone(connect_four):
    tree = plant(connect_four.start(), Settings(heuristic=True, nodes=20_000), leaves=32)
    tree.grow(200)
    before = tree.nodes.copy()
    leaves = tree.descend(32)
    assert len(leaves.states) > 5
    assert (tree.nodes["count"] == WAITING).sum() == len(leaves.states)
    assert tree.visits == 200 + len(leaves.states)
    assert tree.nodes["value"][0] == pytest.approx(before["value"][0] - len(leaves.states))
    tree.back_up(np.zeros((len(leaves.states), 2)))  # values of 0 leave nothing but visits
    after = tree.nodes[: len(before)]
    assert after["value"] == pytest.approx(before["value"], abs=1e-9)
    assert tree.visits == tree.simulations == 200 + len(leaves.states)
    check_sums(tree)


def test_the_leaves_of_a_batch_differ(connect_four):
    tree = plant(connect_four.start(), PRIORS, leaves=16)
    assert len(tree.descend(16).states) == 1  # the root: it has no children yet
    tree.back_up([[0.0, 0.0]], np.ones((1, 7)))
    states = tree.descend(16).states
    assert len(states) == len({state.tobytes() for state in states}) == 7


def test_ends_of_games_need_no_value():
    game = SMALL.Race(players=2, heap=3)
    tree = plant(game.start(), Settings(nodes=1000), leaves=4)
    while not tree.is_proved:
        leaves = tree.descend(4)
        assert (leaves.states[:, 0] > 0).all()
        tree.back_up(np.zeros((len(leaves.states), 2)))
    assert len(tree.descend(4).states) == 0
    assert tree.simulations < 50


def test_proved_values_fall_with_the_length_of_the_game():
    game = load_game("connect_n(width=4, height=4, n=3)")
    position = random_position(game, 5, 3)
    settings = Settings(select="puct", priors=True, haste=0.5, nodes=100_000)
    tree = plant(position, settings)
    while not tree.is_proved:
        leaves = tree.descend()
        if len(leaves.states):
            tree.back_up(np.zeros((1, 2)), uniform(tree, leaves))
    values = tree.work.notes.reshape(-1, NOTES)[:, RAW]
    seen = set()

    def check(node, ply):
        own = tree.nodes[node]
        if own["proof"] == UNSURE:
            return
        children = range(own["first"], own["first"] + max(0, own["count"]))
        proved = [child for child in children if tree.nodes[child]["proof"] != UNSURE]
        if own["count"] == OVER:
            wanted = {WON: 1.0, LOST: -1.0, DRAWN: 0.0}[own["proof"]]
            wanted *= 1.0 - 0.5 * ply / game.facts.longest
            if own["visits"]:
                assert own["value"] / own["visits"] == pytest.approx(wanted)
            seen.add(wanted)
        else:
            sign = 1 if tree.nodes[proved[0]]["player"] == own["player"] else -1
            wanted = sign * max(values[child] for child in proved)
        assert values[node] == pytest.approx(wanted)
        for child in proved:
            check(child, ply + 1)

    check(0, position.ply)
    assert len(seen) > 2
    found = tree.proved_values()
    assert max(found.values()) == pytest.approx(values[0])  # the root's own player is to move
    assert 0.5 < abs(values[0]) < 1.0


# Priors ------------------------------------------------------------------------------------------


def search(tree, favoured, simulations):
    """Grow a tree in which every value is 0 and one action has nearly all prior weight."""
    while tree.simulations < simulations:
        leaves = tree.descend()
        weights = np.where(leaves.actions == favoured, 97.0, 0.5)
        tree.back_up(np.zeros((len(leaves.states), 2)), weights)


@pytest.mark.parametrize("favoured", [0, 3, 6])
def test_priors_decide_where_nothing_else_does(connect_four, favoured):
    tree = plant(connect_four.start(), PRIORS)
    search(tree, favoured, 200)
    shares = dict(zip(tree.children()["action"].tolist(), tree.priors().tolist(), strict=True))
    assert shares == pytest.approx({a: 0.97 if a == favoured else 0.005 for a in range(7)})
    visits = dict(zip(tree.children()["action"].tolist(), tree.children()["visits"], strict=True))
    assert visits[favoured] > 150
    assert tree.line(favoured)[:3] == [favoured] * 3


def test_only_the_actions_with_the_best_priors_are_kept(connect_four):
    settings = Settings(select="puct", priors=True, best=2, nodes=1000)
    tree = plant(connect_four.start(), settings)
    tree.descend()
    tree.back_up([[0.0, 0.0]], [[0.1, 0.2, 0.05, 0.3, 0.15, 0.1, 0.1]])
    assert tree.children()["action"].tolist() == [3, 1]
    assert tree.priors().tolist() == pytest.approx([0.6, 0.4])


def test_priors_stay_with_their_nodes_when_the_tree_is_moved(connect_four):
    start = connect_four.start()
    tree = plant(start, PRIORS)
    search(tree, 3, 100)
    wanted = nested(tree, tree._child(0, 3))
    tree.plant(start.play(3))
    assert nested(tree) == wanted
    assert tree.priors().max() == pytest.approx(0.97)


def test_noise_may_be_mixed_into_the_priors_of_the_root(connect_four):
    tree = plant(connect_four.start(), PRIORS)
    search(tree, 3, 1)
    tree.priors()[:] = np.where(tree.children()["action"] == 0, 1.0, 0.0)
    search(tree, 3, 100)
    visits = tree.children()["visits"]
    assert visits[tree.children()["action"] == 0] == visits.sum() == 99


# Moving the root ---------------------------------------------------------------------------------


def test_a_tree_that_is_planted_further_on_keeps_what_it_knows(connect_four):
    start = connect_four.start()
    tree = plant(start, Settings(nodes=50_000))
    tree.grow(3000)
    after = start.play(3).play(2)
    wanted = nested(tree, tree._child(tree._child(0, 3), 2))
    tree.plant(after)
    assert nested(tree) == wanted
    assert tree.simulations == 0 < tree.visits
    tree.plant(after, reuse=False)
    assert (tree.visits, tree.used) == (0, 1)


# Errors ------------------------------------------------------------------------------------------


def test_arrays_of_wrong_shape_are_refused_in_one_line(connect_four):
    tree = plant(connect_four.start(), Settings(nodes=1000), leaves=2)
    for count in (0, 3):
        with pytest.raises(OptionError, match="allowed for this tree: 1 to 2 leaves"):
            tree.descend(count)
    with pytest.raises(OptionError, match="is not a position of"):
        tree.plant(load_game("connect_n(width=5)").start())
    tree.descend()
    with pytest.raises(OptionError, match="1 leaves wait"):
        tree.descend()
    with pytest.raises(OptionError, match="1 leaves wait"):
        tree.plant(played(connect_four, 3))
    with pytest.raises(OptionError, match="1 leaves wait"):
        tree.grow(10)
    for values in ([0.0, 0.0], [[0.0]], [[0.0, 0.0]] * 2):
        with pytest.raises(OptionError, match=r"values must have shape \(1, 2\), got"):
            tree.back_up(values)
    with pytest.raises(OptionError, match="finite"):
        tree.back_up([[float("nan"), 0.0]])
    with pytest.raises(OptionError, match="priors are given; the tree was made with priors=False"):
        tree.back_up([[0.0, 0.0]], np.ones((1, 7)))
    tree.back_up([[0.0, 0.0]])
    assert tree.simulations == 1


def test_priors_that_make_no_sense_are_refused(connect_four):
    with pytest.raises(OptionError, match="select=puct only"):
        Settings(priors=True)
    tree = plant(played(connect_four, 0, 0, 0, 0, 0, 0), PRIORS)
    tree.descend()
    values = [[0.0, 0.0]]
    with pytest.raises(OptionError, match="priors are missing; the tree was made with priors=True"):
        tree.back_up(values)
    with pytest.raises(OptionError, match="priors must have shape"):
        tree.back_up(values, np.ones((1, 6)))
    for weights in (np.zeros((1, 7)), [[-1, 2, 2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0, 0, 1]]):
        with pytest.raises(OptionError, match="weights must be at least 0"):
            tree.back_up(values, weights)  # column 0 is full: the last weight belongs to no action
    tree.back_up(values, [[0, 0, 0, 0, 0, 2, 0]])
    assert tree.priors().max() == 1.0
    assert len(tree.children()) == 6
