"""Plyground's games pass the tests of other libraries, and agree with their rules."""

import random
import re
import warnings
from pathlib import Path

import gymnasium
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from plyground import PlygroundError, load_agent, load_game, play_game
from plyground.arena.record import FINISHED
from plyground.interop import openspiel, pettingzoo
from plyground.interop.gymnasium import PuzzleEnv

PUZZLES = [
    "robots",
    "robots(board=classic, starts=uniform)",
    "robots(board=maze, width=8, height=8)",
]
TABLES = [
    "connect_n",
    "connect_n(width=10, height=8, n=5)",
    "tron",
    "tron(simultaneous=True)",
    "tron(map=joust)",
    "sheep",
    "sheep(size=6, cells=20, sheep=6)",
    "sheep(hidden=True)",
    "sheep(teams=True)",
    "sheep(hex=True, players=2, cells=32)",
    "expendibots",
]


@pytest.mark.parametrize("spec", PUZZLES)
def test_gymnasium_finds_no_fault(spec):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("plyground/Puzzle-v0", game=spec)
        assert isinstance(env.unwrapped, PuzzleEnv)
        check_env(env.unwrapped)


@pytest.mark.parametrize("spec", TABLES)
def test_pettingzoo_finds_no_fault(spec, capsys):
    api_test(pettingzoo.env(spec), num_cycles=100)
    seed_test(lambda: pettingzoo.env(spec), num_cycles=50)


@pytest.mark.parametrize("spec", PUZZLES + TABLES + ["tron(map=room, width=7, obstacles=9)"])
def test_openspiel_finds_no_fault(spec, capfd):
    game = openspiel.load(load_game(spec), seed=1)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_openspiel_loads_every_game_by_name():
    for name in openspiel.register():
        assert pyspiel.load_game(name).new_initial_state().legal_actions()
    game = pyspiel.load_game("plyground_connect_n(width=5,n=3)")
    assert game.num_distinct_actions() == 5
    game = pyspiel.load_game("plyground_tron(map=room,width=7,simultaneous=true)")
    assert game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    assert game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION


def test_a_game_of_a_users_own_is_known_to_openspiel_too(example):
    game = openspiel.load(load_game(str(example)))
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_ten_thousand_games_of_connect_four_are_the_same_as_openspiels(connect_four):
    theirs = pyspiel.load_game("connect_four")
    for seed in range(10_000):
        stream, position, state = (
            random.Random(seed),
            connect_four.start(),
            theirs.new_initial_state(),
        )
        while not position.is_over:
            assert not state.is_terminal()
            assert state.current_player() == position.player
            assert tuple(state.legal_actions()) == position.legal_actions
            action = stream.choice(position.legal_actions)
            position = position.play(action)
            state.apply_action(action)
        assert state.is_terminal()
        assert tuple(state.returns()) == position.returns
        drawn = re.sub(r"\d", lambda run: "." * int(run[0]), position.to_text())
        assert str(state).split() == drawn.split("/")


def test_a_puzzle_is_rewarded_at_its_end():
    env = PuzzleEnv("robots", render_mode="ansi")
    _, info = env.reset(seed=3)
    assert str(env.position) == env.render()
    for action in load_agent("shortest").think(env.position).line:
        assert info["action_mask"][action]
        _, reward, terminated, _, info = env.step(action)
    assert terminated
    assert reward == env.position.returns[0]
    _, info = env.reset(seed=3)
    illegal = int((info["action_mask"] == 0).argmax())
    assert env.step(illegal)[1:3] == (-1.0, True)


def test_a_table_is_rewarded_at_its_end():
    env = pettingzoo.env("connect_n")
    env.reset(seed=0)
    for action in (0, 1, 0, 1, 0, 1, 0):
        env.step(action)
    assert [env.rewards[agent] for agent in env.possible_agents] == [1.0, -1.0]
    assert all(env.terminations.values())


def test_an_illegal_action_at_a_table_loses(capsys):
    env = pettingzoo.env("connect_n(height=4)")
    env.reset(seed=0)
    for action in (0, 0, 0, 0, 0):
        env.step(action)
    assert env.rewards["player_0"] == -1
    assert all(env.terminations.values())


def test_a_player_observes_nothing_that_is_hidden():
    env = pettingzoo.GameEnv("sheep(hidden=True)")
    env.reset(seed=5)
    stream = random.Random(5)
    differed = 0
    while not env.position.is_over:
        truth = env.position
        seen = env.observe("player_0")["observation"]
        text = openspiel.Observer(env.game).string_from(
            openspiel.SpielState(openspiel.load(env.game), truth), 0
        )
        assert not re.search("[bcd][0-9]", text)
        env.position = truth.observe(0).determinize(stream.getrandbits(30))
        differed += env.position != truth
        assert (env.observe("player_0")["observation"] == seen).all()
        env.position = truth.play(stream.choice(truth.legal_actions))
    assert differed > 5


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("connect_n", "openspiel(simulations=20)"),
        ("connect_n", "openspiel(simulations=200, native=connect_four)"),
        ("connect_n", "openspiel(bot=uniform_random)"),
        ("sheep(players=3, size=5, cells=20, sheep=4, hidden=True)", "openspiel(simulations=5)"),
        ("expendibots", "openspiel(bot=uniform_random)"),
    ],
)
def test_bots_of_openspiel_are_agents(game, agent):
    game, agents = load_game(game), [load_agent(agent)] * load_game(game).facts.players
    first, same = (play_game(game, agents, seed=2) for _ in range(2))
    assert (first.ending, first.reason) == (FINISHED, "")
    assert first.actions == same.actions


@pytest.mark.parametrize(
    ("game", "agent", "message"),
    [
        ("connect_n", "openspiel(bot=mtcs)", "did you mean 'mcts'"),
        ("connect_n", "openspiel(native=connect_fuor)", "did you mean 'connect_four'"),
        ("tron(simultaneous=True)", "openspiel", "simultaneous moves"),
    ],
)
def test_games_that_openspiels_bots_cannot_play_are_reported(game, agent, message):
    with pytest.raises(PlygroundError, match=message):
        load_agent(agent).prepare(load_game(game))


def test_each_kind_of_game_has_its_tool():
    with pytest.raises(PlygroundError, match=r"2 players: use plyground.interop.pettingzoo"):
        PuzzleEnv("connect_n")
    with pytest.raises(PlygroundError, match=r"one player: use plyground.interop.gymnasium"):
        pettingzoo.env("robots")


@pytest.mark.parametrize(
    ("module", "package"),
    [("gymnasium", "gymnasium"), ("pettingzoo", "pettingzoo"), ("openspiel", "pyspiel")],
)
def test_without_a_package_the_error_says_what_to_install(fresh_python, module, package):
    code = (
        f"import sys\nsys.modules[{package!r}] = None\nfrom plyground import PlygroundError\n"
        f"try:\n    import plyground.interop.{module}\n"
        "except PlygroundError as error:\n    print(error)"
    )
    assert "pip install 'plyground[interop]'" in fresh_python(code).stdout


def test_the_page_on_other_tools_shows_what_works(capsys):
    page = Path(__file__).parent.parent / "docs" / "interop.md"
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        exec(block, {})
