"""The signature: a change of search or rules that moves these counts must say so."""

from plyground.bench import bench

SIGNATURE = {
    ("connect_n", "alphabeta(depth=8)"): 35273,
    ("connect_n", "mcts(simulations=20000, reuse=False)"): 107063,
}


def test_fixed_searches_visit_exactly_these_nodes():
    assert {(row.game, row.agent): row.nodes for row in bench()} == SIGNATURE
