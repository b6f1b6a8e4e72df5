"""The agent `champion`: the strongest known agent of a game, one chosen by its facts, or weaker."""

import sys

import pytest

from plyground import load_agent, load_game
from plyground.agents.agent import Limit
from plyground.agents.champion import TOP, choice_of
from plyground.errors import GameError
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


@pytest.mark.parametrize(
    "name",
    [*sorted(GAMES.names()), "tron(simultaneous=True)", "sheep(players=2)", "robots(rounds=3)"]
    + [f"examples/{file}.py" for file in ("othello", "tic_tac_toe")],
)
def test_levels_are_nine_different_agents_that_play_the_game(name):
    game = load_game(name)
    chosen = [choice_of(game, level) for level in range(1, TOP)]
    assert len({repr(agent) for agent, _ in chosen}) == TOP - 1
    assert [reason for _, reason in chosen] == [f"level {level} of 10" for level in range(1, TOP)]
    for agent, _ in chosen:
        agent.prepare(game)
    assert choice_of(game, TOP) == choice_of(game)


def test_a_level_plays_and_says_which_one_it_is():
    game = load_game("connect_n(width=5, height=4, n=3)")
    thought = load_agent("champion(level=2)").think(game.start(), QUICK)
    assert thought.info["note"] == f"played by {choice_of(game, 2).agent}: level 2 of 10"
    assert load_agent("champion(level=10)") == load_agent("champion")


def test_a_game_with_a_wrong_number_of_levels_is_told_so(monkeypatch):
    monkeypatch.setattr(Robots, "levels", lambda self: ["mcts"] * 4)
    with pytest.raises(GameError, match="robots: `levels` returned 4 agents; needed are 9"):
        choice_of(load_game("robots"), 3)
