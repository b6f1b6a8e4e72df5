"""Forests: the same trees as searches written plainly, whatever the batch."""

from math import log
from pathlib import Path

import numpy as np
import pytest
from lines import played, random_position
from naive_search import NaiveGumbel, NaivePuct, network, uniform

from plyground import load_game
from plyground.errors import OptionError
from plyground.game.planes import network_inputs
from plyground.registry import load_file
from plyground.search.forest import Evaluation, Forest, Gumbel, Puct
from plyground.search.gumbel import halving
from plyground.search.nodes import NOTES, PRIOR
from plyground.search.tree import Settings, Tree

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


def small(spec):
    """Return a game by its spec, or one of the small games as (name, options)."""
    return load_game(spec) if isinstance(spec, str) else getattr(SMALL, spec[0])(**spec[1])


POSITIONS = [
    ("connect_n", 8),
    ("connect_n(width=4, height=4, n=3)", 6),  # many ends of games
    ("robots(board=maze, width=5, height=5, robots=2)", 1),  # one player
    (("Race", {"players": 3}), 2),
    (("Race", {"players": 2, "again": True}), 0),  # the same player twice
    ("sheep(players=4, size=6, cells=24, sheep=3)", 6),
    ("sheep(teams=True, size=6, cells=24, sheep=3)", 6),
    ("tron(map=small_room, simultaneous=True)", 0),
    ("tron(map=small_room)", 5),
    (("Ring", {}), 3),  # positions come again
    ("expendibots", 9),
]


def tree_of(forest, number, node=0):
    """Return the visits of a subtree, nested."""
    nodes = forest.trees[number].tree
    own = nodes[node]
    children = range(own["first"], own["first"] + max(0, own["count"]))
    return own["visits"].item(), tuple(tree_of(forest, number, child) for child in children)


# Against plain Python -----------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "plies"), POSITIONS)
@pytest.mark.parametrize("rescale", [False, True])
@pytest.mark.parametrize(("considered", "simulations"), [(4, 12), (16, 40), (3, 2)])
def test_gumbel_search_is_as_defined(spec, plies, rescale, considered, simulations):
    position = random_position(small(spec), 3, plies)
    evaluate = network(position.game)
    naive = NaiveGumbel(position, evaluate, considered, simulations, rescale)
    naive.run(simulations)
    rule = Gumbel(considered=considered, noise=0.0, rescale=rescale)
    forest = Forest(position.game, 1, simulations, rule)
    forest.plant([position])
    forest.grow(evaluate)
    assert tree_of(forest, 0) == naive.tree()
    assert forest.choices[0] == naive.choice()
    count = len(position.legal_actions)
    assert forest.policy[0, :count] == pytest.approx(naive.policy(), abs=1e-6)
    assert not forest.policy[0, count:].any()
    assert forest.outlooks[0] == pytest.approx(naive.value())


@pytest.mark.parametrize(("spec", "plies"), POSITIONS)
def test_puct_is_as_defined(spec, plies):
    position = random_position(small(spec), 3, plies)
    evaluate = network(position.game)
    naive = NaivePuct(position, evaluate)
    naive.run(60)
    forest = Forest(position.game, 1, 60, Puct())
    forest.plant([position])
    forest.grow(evaluate)
    assert tree_of(forest, 0) == naive.tree()
    assert forest.choices[0] == naive.choice()
    assert forest.policy[0, : len(position.legal_actions)] == pytest.approx(naive.policy())
    assert forest.outlooks[0] == pytest.approx(naive.root.value / naive.root.visits)


@pytest.mark.parametrize(("spec", "plies"), POSITIONS)
def test_a_forest_of_one_tree_is_a_tree(spec, plies):
    position = random_position(small(spec), 3, plies)
    game, evaluate = position.game, network(position.game)
    forest = Forest(game, 1, 50, Puct())
    forest.plant([position])
    forest.grow(evaluate)
    settings = Settings(select="puct", priors=True, solve=False, nodes=20_000)
    evaluator = game.evaluator("nothing")
    tree = Tree(position, game.rules(evaluator), evaluator, settings)
    while tree.simulations < 51:
        leaves = tree.descend()
        rows = []
        for setup, state, player in zip(leaves.setups, leaves.states, leaves.players, strict=True):
            inputs = network_inputs(game, setup, state[np.newaxis])
            (values,), (logits,) = evaluate(inputs.planes, inputs.entries)
            rows.append((np.roll(values, player), np.exp(logits - logits.max())))
        tree.back_up(
            np.array([row[0] for row in rows]).reshape(len(rows), game.facts.players),
            np.array([row[1] for row in rows]).reshape(len(rows), game.facts.branching),
        )
    nodes = forest.trees[0].tree[: forest.trees[0].used]
    for field in ("visits", "action", "count", "player"):
        assert (nodes[field] == tree.nodes[field])[1:].all(), field
    inner = nodes["count"] > 0
    assert (nodes["first"] == tree.nodes["first"])[inner].all()
    assert nodes["value"] == pytest.approx(tree.nodes["value"])


# Many trees ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [Gumbel(), Puct(noise=0.25)], ids=["gumbel", "puct"])
@pytest.mark.parametrize("spec", ["connect_n", "sheep(hidden=true)", "robots"])
def test_trees_do_not_know_of_each_other(spec, rule):
    game, evaluate = load_game(spec), network(load_game(spec))
    positions = [random_position(game, seed, seed) for seed in range(7)]
    grown = []
    for count in (7, 4):
        forest = Forest(game, 9, 20, rule, seed=5)
        forest.plant(positions[:count])  # the other trees are left out
        forest.grow(evaluate)
        grown.append([tree_of(forest, number) for number in range(count)])
        assert (forest.choices[:count] >= 0).all()
        assert (forest.choices[count:] < 0).all()
        assert forest.policy[:count].sum(1) == pytest.approx(1.0)
    assert grown[0][:4] == grown[1]
    assert len(set(grown[0])) > 1


def test_a_forest_can_be_planted_again(connect_four):
    positions = [random_position(connect_four, seed, 5) for seed in range(4)]
    evaluate, rule = network(connect_four), Gumbel(noise=0.0)
    forest = Forest(connect_four, 4, 16, rule)
    forest.plant(positions)
    forest.grow(evaluate)
    first = [tree_of(forest, number) for number in range(4)]
    forest.plant(positions[::-1])
    forest.grow(evaluate)
    assert [tree_of(forest, number) for number in range(4)][::-1] == first


def test_children_are_the_legal_actions(connect_four):
    position = played(connect_four, *[0] * 6, 1)
    forest = Forest(connect_four, 1, 30)
    forest.plant([position])
    forest.grow(network(connect_four))
    assert forest.children(0)["action"].tolist() == list(position.legal_actions)
    assert forest.children(0)["visits"].sum() == 30


# What the searches find ---------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [Gumbel(considered=16, noise=0.0), Puct()], ids=["gumbel", "puct"])
@pytest.mark.parametrize(
    ("text", "simulations", "best"),
    [
        ("7/7/7/7/ooo4/xxx4", 32, "4"),  # wins at once
        ("7/7/7/7/7/xxx2oo", 256, "4"),  # must block
        ("7/7/7/7/2oo3/2xx3", 800, "25"),  # an open three wins
    ],
)
def test_searches_find_a_win_without_knowing_anything(connect_four, rule, text, simulations, best):
    position = connect_four.parse(text)
    forest = Forest(connect_four, 1, simulations, rule)
    forest.plant([position])
    forest.grow(uniform(connect_four))
    assert position.format(position.legal_actions[forest.choices[0]]) in best


def test_without_simulations_actions_are_drawn_by_the_policy(connect_four):
    forest = Forest(connect_four, 20_000, 0, Gumbel())
    forest.plant([connect_four.start()] * 20_000)
    shares = np.array([0.4, 0.05, 0.15, 0.1, 0.2, 0.02, 0.08])
    logits = np.log(np.tile(shares, (20_000, 1))).astype(np.float32)
    forest.grow(lambda planes, entries: Evaluation(np.zeros((20_000, 2), np.float32), logits))
    assert forest.policy[0] == pytest.approx(shares)
    found = np.bincount(forest.choices, minlength=7) / 20_000
    assert found == pytest.approx(shares, abs=0.012)  # some four standard deviations


def test_noise_of_the_root_is_of_the_dirichlet_distribution(connect_four):
    trees, concentration = 4000, 3.5
    forest = Forest(connect_four, trees, 0, Puct(noise=1.0, concentration=concentration))
    forest.plant([connect_four.start()] * trees)
    forest.grow(uniform(connect_four))
    priors = np.array([tree.notes[NOTES : 8 * NOTES][PRIOR::NOTES] for tree in forest.trees])
    assert priors.sum(1) == pytest.approx(1.0)
    assert priors.mean(0) == pytest.approx(1 / 7, abs=0.012)
    variance = (1 / 7) * (6 / 7) / (concentration + 1)
    assert priors.var(0).mean() == pytest.approx(variance, rel=0.05)


# Sequential halving -------------------------------------------------------------------------------


def test_halving_shares_simulations_out():
    assert halving(1, 3).tolist() == [0, 1, 2]
    assert halving(2, 5).tolist() == [0, 0, 1, 1, 2]
    assert halving(4, 8).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert halving(8, 24).tolist() == [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]
    assert halving(16, 4).tolist() == [0, 0, 0, 0]
    for considered in range(1, 17):
        for simulations in range(65):
            sequence = halving(considered, simulations).tolist()
            assert len(sequence) == simulations
            assert sequence == sorted(sequence)
            assert all(sequence.count(visits) <= considered for visits in sequence)
            phases = max(1.0, log(considered, 2))
            assert not sequence or sequence[-1] >= simulations / considered / phases - 1


# What is refused ----------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused_in_one_line(connect_four):
    for wrong in ({"trees": 0}, {"simulations": -1}):
        ((name, number),) = wrong.items()
        with pytest.raises(OptionError, match=f"{name}={number}: at least"):
            Forest(connect_four, **{"trees": 2, "simulations": 4} | wrong)
    with pytest.raises(OptionError, match="considered=0: at least 1"):
        Gumbel(considered=0)
    forest = Forest(connect_four, 2, 4)
    for positions in ([], [connect_four.start()] * 3):
        with pytest.raises(OptionError, match="this forest has 2 trees"):
            forest.plant(positions)
    with pytest.raises(OptionError, match="no position of"):
        forest.plant([load_game("connect_n(width=5)").start()])
    with pytest.raises(OptionError, match="it is over"):
        forest.plant([connect_four.parse("7/7/7/7/ooo4/xxxx3")])
    hidden = load_game("sheep(hidden=true)")
    with pytest.raises(OptionError, match="or a player's view"):
        Forest(hidden, 1, 4).plant([hidden.start().observe(0)])
    forest.plant([connect_four.start()])
    values, logits = np.zeros((2, 2), np.float32), np.zeros((2, 7), np.float32)
    for evaluation, reason in (
        (Evaluation(values[:1], logits), r"values of the network: shape \(1, 2\)"),
        (Evaluation(values, logits[:, :6]), r"logits of the network: shape \(2, 6\)"),
        (Evaluation(values, logits * np.nan), "logits of the network: not all are finite"),
    ):
        with pytest.raises(OptionError, match=reason):
            forest.grow(lambda planes, entries, evaluation=evaluation: evaluation)
