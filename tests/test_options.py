"""Options: texts such as `mcts(simulations=100)` make what they say, and print back the same."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as some
from sample_options import Sample

from plyground import load_agent, load_game
from plyground.errors import BadSpec
from plyground.games.connect_n.evaluate import Windows
from plyground.options import parse_setting, parse_spec

AMOUNTS = some.floats(0, 1e9)


def same_again(made, load):
    again = load(repr(made))
    assert again == made
    assert hash(again) == hash(made)
    assert repr(again) == repr(made)
    return True


# What is written is read ------------------------------------------------------------------------


@given(
    depth=some.none() | some.integers(1, 1000),
    evaluate=some.text(max_size=20),
    table_bits=some.integers(1, 28),
)
def test_an_alphabeta_reads_back(**values):
    assert same_again(load_agent("alphabeta", **values), load_agent)


@given(
    simulations=some.none() | some.integers(1, 10**9),
    exploration=AMOUNTS,
    nodes=some.integers(1000, 10**9),
    reuse=some.booleans(),
)
def test_an_mcts_reads_back(**values):
    assert same_again(load_agent("mcts", **values), load_agent)


@given(width=some.integers(8, 16), height=some.integers(1, 16), n=some.integers(3, 8))
def test_a_game_reads_back(**values):
    assert same_again(load_game("connect_n", **values), load_game)


@given(weights=some.lists(AMOUNTS, min_size=1).map(tuple), offensiveness=some.floats(0, 1))
def test_an_evaluator_reads_back_inside_an_agents_spec(**values):
    game = load_game("connect_n")
    agent = load_agent("alphabeta", evaluate=repr(Windows(**values)))
    assert same_again(agent, load_agent)
    assert game.evaluator(load_agent(repr(agent)).evaluate) == Windows(**values)


@given(words=some.lists(some.text()).map(tuple), real=some.none() | AMOUNTS, flag=some.booleans())
def test_every_type_of_option_reads_back(**values):
    assert same_again(Sample(**values), lambda text: Sample.make(parse_spec(text)[1]))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("alphabeta(evaluate=windows)", "alphabeta(evaluate='windows')"),
        (
            "alphabeta(evaluate=windows(offensiveness=0.5))",
            "alphabeta(evaluate='windows(offensiveness=0.5)')",
        ),
        ("  mcts ( simulations = 10 , reuse=False ) ", "mcts(simulations=10, reuse=False)"),
        ("mcts()", "mcts"),
        ("mcts(exploration=2)", "mcts(exploration=2.0)"),
        ("alphabeta(depth=None)", "alphabeta"),
        ("mcts(simulations=1_000)", "mcts(simulations=1000)"),
    ],
)
def test_two_ways_of_writing_make_one_agent(text, same):
    assert load_agent(text) == load_agent(same)
    assert repr(load_agent(text)) == same


def test_settings_override_the_text():
    assert load_agent("alphabeta(depth=3)", depth=5) == load_agent("alphabeta(depth=5)")


def test_a_setting_is_an_option_and_a_value():
    assert parse_setting("depth=5") == ("depth", 5)
    assert parse_setting("evaluate=windows") == ("evaluate", "windows")
    for text in ("depth", "", "=5", "two words=5", "depth(x=2"):
        with pytest.raises(BadSpec, match="write option=value"):
            parse_setting(text)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        ("-2.5", -2.5),
        (" 1_000 ", 1000),
        ("true", True),
        ("False", False),
        ("none", None),
        ("(1, 2)", (1, 2)),
        ("['a']", ["a"]),
        ("'5'", "5"),
        ("'a = \"b\"'", 'a = "b"'),
        ("", ""),
        ("/path/x.txt", "/path/x.txt"),
        ("maps/a map (1), 'old'.txt", "maps/a map (1), 'old'.txt"),
        ("C:\\maps\\x.txt", "C:\\maps\\x.txt"),
        ("windows(offensiveness=0.5)", "windows(offensiveness=0.5)"),
        ("1 + 1", "1 + 1"),
        ("007", "007"),
        ("1, table_bits=2", "1, table_bits=2"),
        ("{1: 2}", "{1: 2}"),
        ("(" * 5000, "(" * 5000),
        ("print('x')", "print('x')"),
    ],
)
def test_a_settings_value_is_a_text_unless_it_is_written_as_another(written, value):
    assert parse_setting(f"option={written}") == ("option", value)


def test_an_agent_travels_without_what_it_remembers(connect_four):
    for spec in ("mcts(simulations=50)", "alphabeta(depth=2)"):
        agent = load_agent(spec)
        agent.think(connect_four.start())
        sent = pickle.dumps(agent)
        assert len(sent) < 1000
        assert pickle.loads(sent) == agent
