"""Ray plays the same games as local workers, even if one of two nodes is lost."""

import os
from pathlib import Path

import numpy as np
import pytest
from test_workers import DEADLY, timeless

from plyground import Tournament
from plyground.arena.cluster import Cluster
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.errors import OptionError

pytest.importorskip("ray")
SLOW = str(Path(__file__).parent / "agents" / "slow.py")


@pytest.fixture(scope="module")
def nodes():
    """Start a cluster of two nodes on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield nodes
    nodes.shutdown()


def test_a_node_that_is_removed_in_the_middle_costs_nothing(nodes, tmp_path):
    plan = Tournament(game="connect_n", agents=(f"{SLOW}(seconds=0.002)", "random"), games=120)
    second = nodes.add_node(num_cpus=1)
    records = []
    with Store(str(tmp_path / "games.sqlite")) as store, Cluster(nodes.address) as pool:
        run = store.begin(plan)
        for record in play_tournament(plan, pool, store, run):
            records.append(record)
            if len(records) == 20:
                nodes.remove_node(second, allow_graceful=False)
        assert list(store.records(run)) == sorted(records, key=lambda each: each.number)
    assert timeless(records) == timeless(play_tournament(plan))


def test_a_game_that_kills_its_workers_is_lost_there_too(nodes):
    plan = Tournament(game="connect_n", agents=(DEADLY, "random"), games=1)
    with Cluster(nodes.address) as pool:
        (record,) = play_tournament(plan, pool)
    assert (record.ending, record.fault) == ("failed", 0)
    assert record.reason == "3 processes died of this game"


def test_a_cluster_that_is_not_there_is_one_clear_line():
    with pytest.raises(OptionError, match="--ray: there is no cluster at 'nonsense'") as output:
        Cluster("nonsense")
    assert "\n" not in str(output.value)


def test_a_cluster_feeds_a_learner_as_one_process_does(nodes, tmp_path):
    pytest.importorskip("jax", reason="JAX is not installed")
    from test_training import TINY, weights

    from plyground.learn.recipe import Limit
    from plyground.learn.training import train

    here = train(TINY, tmp_path / "here", Limit(steps=20))
    there = train(TINY, tmp_path / "there", Limit(steps=20), ray=nodes.address)
    assert np.array_equal(weights(here), weights(there))
