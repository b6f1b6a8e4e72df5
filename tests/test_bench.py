"""The bench signature: a change of search or rules that changes these counts must state it."""

from plyground.agents.bench import bench

SIGNATURE = {
    ("connect_n", "alphabeta"): 7998,
    ("connect_n", "maxn"): 7334,
    ("connect_n", "mcts(simulations=5000, reuse=False)"): 28050,
    ("expendibots", "alphabeta"): 9436,
    ("expendibots", "maxn"): 80321,
    ("expendibots", "mcts(simulations=5000, reuse=False)"): 173359,
    ("robots", "alphabeta"): 19780,
    ("robots", "maxn"): 19813,
    ("robots", "mcts(simulations=5000, reuse=False)"): 15998,
    ("sheep", "alphabeta"): 19937,
    ("sheep", "maxn"): 109412,
    ("sheep", "mcts(simulations=5000, reuse=False)"): 97239,
    ("tron", "alphabeta"): 9470,
    ("tron", "maxn"): 13142,
    ("tron", "mcts(simulations=5000, reuse=False)"): 27916,
}


def test_fixed_searches_visit_exactly_these_nodes():
    assert {(row.game, row.agent): row.nodes for row in bench()} == SIGNATURE
