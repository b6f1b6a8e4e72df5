"""The agent `champion`: the strongest known agent of a game, or one chosen by its facts."""

import sys

import pytest

from plyground import load_agent, load_game
from plyground.agents.agent import Limit
from plyground.agents.champion import choice_of
from plyground.games import GAMES
from plyground.games.robots import Robots
from plyground.inference import _session

QUICK = Limit(nodes=5000)


@pytest.mark.parametrize("name", sorted(GAMES.names()))
def test_every_game_names_agents_that_play_it(name):
    game = load_game(name)
    assert game.champions()
    chosen, reason = choice_of(game)
    assert repr(chosen) == repr(load_agent(game.champions()[0]))
    assert reason == "the strongest known"


@pytest.mark.parametrize(
    ("game", "agent", "reason"),
    [
        ("examples/othello.py", "alphabeta", "two players and a heuristic"),
        ("examples/tic_tac_toe.py", "mcts", "the game has no heuristic"),
    ],
)
def test_other_games_get_an_agent_by_their_facts(game, agent, reason):
    assert choice_of(load_game(game)) == (load_agent(agent), reason)


def test_a_variant_that_the_first_cannot_play_gets_the_next():
    chosen, reason = choice_of(load_game("connect_n(width=16, height=12)"))
    assert repr(chosen) == "alphabeta"
    assert reason.startswith("the strongest known that can play here (not perfect:")


def test_without_the_runtime_of_networks_the_best_without_one_plays(monkeypatch):
    monkeypatch.setattr(Robots, "champions", lambda self: ("alphazero", "perfect"))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    _session.cache_clear()
    chosen, reason = choice_of(load_game("robots"))
    assert repr(chosen) == "perfect"
    assert 'pip install "plyground[play]"' in reason


def test_it_plays_as_the_chosen_agent_and_says_so_once():
    game = load_game("connect_n(width=5, height=4, n=3)")
    position = game.start()
    with load_agent("champion").sit(game, 0) as player:
        first, second = (player.think(position, QUICK, seed) for seed in (1, 1))
        assert first.action == load_agent("perfect").think(position, QUICK, 1).action
    assert first.info["note"] == "played by perfect: the strongest known"
    assert "note" not in second.info
    assert list(load_agent("champion").analyse(position, QUICK, 1))[-1].values
