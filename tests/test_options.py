"""Options: specs such as `mcts(simulations=100)` are parsed, and printed as they were written."""

import json
import pickle
from dataclasses import MISSING

import pytest
from hypothesis import given
from hypothesis import strategies as some
from sample_options import Sample

from plyground import load_agent, load_game
from plyground import option as declare
from plyground.agents import AGENTS
from plyground.errors import OptionError, SpecError
from plyground.games import GAMES
from plyground.games.connect_n.evaluate import Windows
from plyground.options import Kind, Options
from plyground.spec import parse_setting, parse_spec

AMOUNTS = some.floats(0, 1e9)


def same_again(made, load):
    again = load(repr(made))
    assert again == made
    assert hash(again) == hash(made)
    assert repr(again) == repr(made)
    return True


# Reading and writing ----------------------------------------------------------------------------


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
        with pytest.raises(SpecError, match="write option=value"):
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


def test_an_agent_is_pickled_without_its_caches(connect_four):
    for spec in ("mcts(simulations=50)", "alphabeta(depth=2)"):
        agent = load_agent(spec)
        agent.think(connect_four.start())
        sent = pickle.dumps(agent)
        assert len(sent) < 1000
        assert pickle.loads(sent) == agent


# Descriptors ------------------------------------------------------------------------------------

DESCRIBED = [
    *(GAMES.find(name) for name in GAMES.inside),
    *(each for name in GAMES.inside for each in GAMES.find(name).evaluators),
    *(AGENTS.find(name) for name in AGENTS.inside),
]


def described(kind):
    return {each.name: each for each in kind.declared()}


def test_descriptors_hold_what_was_declared():
    options = described(Sample)
    kinds = [
        Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.TEXT, Kind.CHOICE, Kind.INT,
        Kind.FILE, Kind.PROGRAM, Kind.COMMAND, Kind.AGENT, Kind.EVALUATOR,
    ]  # fmt: skip
    assert [each.kind for each in options.values()] == kinds
    whole, real, words, pair = (options[each] for each in ("whole", "real", "words", "pair"))
    assert (whole.low, whole.high, whole.default, whole.optional) == (-5, 5, 1, False)
    assert real.optional
    assert not real.many
    assert (words.many, words.length) == (True, None)
    assert (pair.many, pair.length) == (True, 2)
    spoken = {name: (each.type_words, each.range_words) for name, each in options.items()}
    assert spoken["whole"] == ("int", "-5 to 5")
    assert spoken["real"] == ("float or none", "at least 0")
    assert spoken["words"] == ("list of text", "")
    assert spoken["pair"] == ("list of 2 int", "at most 9")
    assert spoken["colour"] == ("choice", "one of red, green")
    assert spoken["data"] == ("file", "plain or a file")


def test_an_option_without_a_default_is_required():
    class Needy(Options):
        name = "needy"
        count: int = declare(help="how many")

    (count,) = Needy.declared()
    assert count.default is MISSING
    assert count.to_json() | {"required": True, "default": None, "help": "how many"} == (
        count.to_json()
    )


@pytest.mark.parametrize("kind", [dict, int | str, tuple[int, str], list[int]])
def test_a_type_that_options_cannot_have_is_refused(kind):
    class Odd(Options):
        name = "odd"
        value: kind = declare(1)

    with pytest.raises(OptionError, match=r"odd: value is declared as .* allowed: bool, int"):
        Odd()


@pytest.mark.parametrize("kind", DESCRIBED, ids=lambda kind: kind.__name__)
def test_everything_is_described_as_plain_data(kind):
    output = kind.describe()
    assert json.loads(json.dumps(output))["name"] == kind.name
    assert output["about"]
    assert [each["name"] for each in output["options"]] == list(described(kind))
    assert all(each["help"] for each in output["options"])


@pytest.mark.parametrize("name", GAMES.inside)
def test_what_is_allowed_in_a_game_can_be_asked_and_is_accepted(name):
    game = GAMES.load(name)
    options = [each for agent in AGENTS.inside for each in AGENTS.find(agent).declared()]
    for each in options:
        allowed = each.allowed(game)
        if each.kind is Kind.EVALUATOR:
            assert allowed[0] == game.evaluator("").name
            for choice in allowed:
                assert each.nested(choice, game).name == choice
        elif each.kind in (Kind.ORDER, Kind.LOUD, Kind.UNWISE, Kind.ROLLOUT, Kind.SKIP):
            assert allowed[-1] == "nothing"
            assert each.default in ("", *allowed)
            for choice in allowed[len(each.choices) : -1]:
                assert game.advisor(each.kind, choice).__name__ == choice


def test_a_nested_option_names_what_its_kind_says():
    for agent, name, kind in (
        ("alphabeta", "evaluate", Kind.EVALUATOR),
        ("alphabeta", "order", Kind.ORDER),
        ("alphabeta", "loud", Kind.LOUD),
        ("alphabeta", "skip", Kind.SKIP),
        ("mcts", "unwise", Kind.UNWISE),
        ("mcts", "playout", Kind.ROLLOUT),
        ("relay", "then", Kind.AGENT),
        ("remote", "command", Kind.COMMAND),
        ("brown_tron", "path", Kind.PROGRAM),
    ):
        assert described(AGENTS.find(agent))[name].kind is kind
    playout = described(AGENTS.find("mcts"))["playout"]
    assert playout.allowed(GAMES.load("robots")) == ("random", "heuristic", "homing", "nothing")
