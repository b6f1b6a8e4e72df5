"""Agents play legally, repeatably, within their limits, and are stopped by Ctrl-C."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lines import played

from plyground import Limit, load_agent, load_game
from plyground.agents import AGENTS
from plyground.agents.program import ProgramAgent
from plyground.errors import CannotPlayError, OptionError, UnknownNameError
from plyground.registry import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")

SPECS = [
    "random",
    "greedy",
    "alphabeta(depth=3)",
    "alphabeta(depth=3, evaluate=nothing)",
    "mcts(simulations=100)",
    "mcts(simulations=100, reuse=False)",
]
OTHERS = {name for name in AGENTS.names() if issubclass(AGENTS.find(name), ProgramAgent)}
OTHERS |= {"openspiel", "perfect", "rule", "shortest"}
"""Those that need someone else's program or package, a game with rules of play or with a
solver, or a puzzle."""
LEARNED = {"alphazero", "network"}  # they need trained weights: see test_training.py
SPECS += sorted(set(AGENTS.names()) - OTHERS - LEARNED - {spec.partition("(")[0] for spec in SPECS})

THINK_LONG = """
import sys
from plyground import Limit, load_agent, load_game
agent, position = load_agent(sys.argv[1]), load_game("connect_n").start()
agent.think(position, Limit(seconds=0.01))
print("thinking", flush=True)
agent.think(position.play(3), Limit(seconds=60))
"""


@pytest.fixture(params=["connect_four", "tic_tac_toe"])
def game(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("spec", SPECS)
def test_an_agent_plays_legally_to_the_end_and_the_same_for_a_seed(spec, game):
    def line():
        agent, position = load_agent(spec), game.start()
        while not position.is_over:
            thought = agent.think(position, seed=position.ply)
            assert thought.value is None or -1 <= thought.value <= 1
            assert not thought.policy or sum(thought.policy.values()) == pytest.approx(1)
            position = position.play(thought.action)
        return [each.action for each in position.line()]

    assert line() == line()


@pytest.mark.parametrize("spec", SPECS)
def test_a_thought_depends_on_nothing_but_position_limit_and_seed(spec, game):
    used, fresh = load_agent(spec), load_agent(spec)
    position = game.start().play(0)
    used.think(game.start(), seed=3)
    used.think(position, seed=8)
    assert vars(used) == vars(fresh)  # nothing but its options
    one, other = used.think(position, seed=4), fresh.think(position, seed=4)
    assert (one.action, one.value, one.policy) == (other.action, other.value, other.policy)


@pytest.mark.parametrize("spec", SPECS)
def test_a_finished_game_is_nothing_to_think_about(spec, tic_tac_toe):
    with pytest.raises(CannotPlayError, match="the game is over"):
        load_agent(spec).think(played(tic_tac_toe, 0, 3, 1, 4, 2))


def test_different_seeds_choose_differently(connect_four):
    for spec in ("random", "greedy(evaluate=nothing)"):
        chosen = {load_agent(spec).think(connect_four.start(), seed=s).action for s in range(60)}
        assert chosen == set(range(7)), spec


def test_shortest_is_for_puzzles():
    with pytest.raises(CannotPlayError, match="1 player"):
        load_agent("shortest").think(SMALL.Race(players=3).start())


@pytest.mark.parametrize("spec", ["alphabeta(evaluate=windws)", "greedy(evaluate=windws)"])
def test_an_unknown_heuristic_is_refused_with_a_suggestion(spec, connect_four):
    with pytest.raises(UnknownNameError, match="did you mean 'windows'"):
        load_agent(spec).think(connect_four.start())


def test_greedy_takes_a_win_or_else_the_best_heuristic_value(connect_four):
    agent = load_agent("greedy")
    assert agent.think(played(connect_four, 0, 6, 0, 6, 0, 6)).action == 0
    position = played(connect_four, 3, 2)
    chosen = agent.think(position)
    values = [position.play(action).evaluate()[0] for action in range(7)]
    assert chosen.value == max(values) == values[chosen.action]


def test_an_agent_may_think_about_what_it_cannot_see():
    position = SMALL.Secret().start().play(2)
    seen = position.observe(1)
    for spec in ("random", "greedy", "alphabeta(depth=2)", "mcts(simulations=50)"):
        guesses = {load_agent(spec).think(seen, seed=seed).action for seed in range(40)}
        assert guesses == {0, 1, 2}, f"{spec} knows the secret"


# Limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["seconds", "depth", "nodes", "simulations"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_above_0(name, value):
    with pytest.raises(OptionError, match=f"{name}={value} must be above 0"):
        Limit(**{name: value})


@pytest.mark.parametrize(
    "values",
    [
        {"seconds": float("nan")},
        {"seconds": "1"},
        {"depth": 2.5},
        {"simulations": 1.5},
        {"nodes": 2**70},
    ],
    ids=str,
)
def test_a_limit_that_makes_no_sense_is_refused(values):
    with pytest.raises(OptionError):
        Limit(**values)


def test_an_endless_time_is_no_limit(connect_four):
    limit = Limit(seconds=float("inf"), depth=2)
    assert load_agent("alphabeta").think(connect_four.start(), limit).depth == 2


def test_the_tighter_limit_counts():
    limit = Limit(seconds=3, depth=8).within(depth=5, simulations=100)
    assert limit == Limit(seconds=3, depth=5, simulations=100)
    assert Limit(depth=2).within(depth=5) == Limit(depth=2)
    assert Limit().otherwise(depth=6) == Limit(depth=6)
    assert Limit(seconds=1).otherwise(depth=6) == Limit(seconds=1)


def test_limits_bind_agents_that_have_their_own(connect_four):
    position = connect_four.start()
    alphabeta, mcts = load_agent("alphabeta(depth=9)"), load_agent("mcts(simulations=900)")
    assert alphabeta.think(position, Limit(depth=2)).depth == 2
    assert mcts.think(position, Limit(simulations=70)).simulations == 70
    assert mcts.think(position).simulations == 900


@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "alphabeta(evaluate=nothing)"])
def test_an_agent_thinks_for_as_long_as_it_may(spec, connect_four):
    agent, position = load_agent(spec), connect_four.start()
    agent.think(position, Limit(seconds=0.01))
    began = time.perf_counter()
    agent.think(position.play(3), Limit(seconds=0.3))
    assert 0.25 < time.perf_counter() - began < 2.3


@pytest.mark.parametrize("spec", ["alphabeta", "mcts"])
def test_ctrl_c_ends_a_long_thought_at_once(spec):
    process = subprocess.Popen(
        [sys.executable, "-c", THINK_LONG, spec],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "thinking\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)  # of 60 that it would think
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0


def test_a_relay_hands_over_after_the_first_moves():
    game = load_game("sheep(hidden=True)")
    agent = load_agent("relay(first='rule(by=spreading)', then='random')")
    position = game.start(1)
    for _ in range(8):
        seen = position.observe(position.player)
        assert seen.ply == position.ply
        by = "rule(by=spreading)" if position.ply < 4 else "random"
        assert agent.think(seen, seed=3) == load_agent(by).think(seen, seed=3)
        position = position.play(agent.think(seen, seed=3).action)
