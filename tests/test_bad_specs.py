"""Specs that are wrong: each is refused with a reason, at once, and no code in them is run."""

import time

import pytest
from sample_options import Sample

from plyground import load_agent
from plyground.errors import OptionError, PlygroundError, SpecError, UnknownNameError


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        ("alphabet", UnknownNameError, "did you mean 'alphabeta'?"),
        ("stockfish", UnknownNameError, "known: alphabeta, "),
        ("mcts(simulation=5)", UnknownNameError, "did you mean 'simulations'?"),
        ("random(depth=5)", UnknownNameError, "option of random 'depth'; known: none"),
        ("alphabeta(depth=2.0)", OptionError, "depth must be int, got 2.0"),
        ("alphabeta(depth=True)", OptionError, "depth must be int, got True"),
        ("alphabeta(depth='3')", OptionError, "depth must be int, got '3'"),
        ("alphabeta(evaluate=7)", OptionError, "evaluate must be str, got 7"),
        ("alphabeta(table_bits=None)", OptionError, "table_bits must be int, got None"),
        ("mcts(exploration='1')", OptionError, "exploration must be float, got '1'"),
        ("mcts(reuse=1)", OptionError, "reuse must be bool, got 1"),
        ("alphabeta(depth=0)", OptionError, "depth=0 is out of range; allowed: 1 to 1000"),
        ("alphabeta(depth=1001)", OptionError, "1 to 1000"),
        ("mcts(exploration=-0.5)", OptionError, "out of range"),
        ("mcts(exploration=1e999)", OptionError, "exploration"),
        ("mcts(simulations=99999999999999999999)", OptionError, "simulations"),
        ("mcts(100)", SpecError, "every option is written option=value"),
        ("mcts(*[1])", SpecError, "every option is written option=value"),
        ("mcts(**{'simulations': 1})", SpecError, "every option is written option=value"),
        ("mcts(simulations=1, simulations=2)", SpecError, "simulations"),
        ("mcts(simulations=1)(reuse=False)", SpecError, "cannot read"),
        ("mcts(simulations=1", SpecError, "cannot read"),
        ("mcts(simulations=)", SpecError, "cannot read"),
        ("mcts(simulations=1)x", SpecError, "cannot read"),
        ("mcts(simulations=1+1)", SpecError, "give a literal value"),
        ("mcts)", SpecError, "cannot read"),
        ("(simulations=1)", SpecError, "cannot read"),
        ("", SpecError, "cannot read"),
        ("mcts(simulations=1\0)", SpecError, "cannot read"),
        ("nowhere.py", SpecError, "there is no file"),
    ],
)
def test_a_bad_spec_is_refused_with_a_reason(text, kind, part):
    with pytest.raises(kind) as caught:
        load_agent(text)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"colour": "blue"}, UnknownNameError),
        ({"colours": "red"}, UnknownNameError),
        ({"words": "red"}, OptionError),
        ({"words": (1,)}, OptionError),
        ({"whole": 6}, OptionError),
        ({"real": float("nan")}, OptionError),
    ],
)
def test_a_bad_value_is_refused(values, kind):
    with pytest.raises(kind):
        Sample.make(values)


@pytest.mark.parametrize(
    "code",
    [
        "mcts(simulations=__import__('os').mkdir('made'))",
        "alphabeta(evaluate=__import__('os').mkdir('made'))",
        "mcts(simulations=[x for x in __import__('os').listdir()])",
        "mcts(simulations=(lambda: __import__('os').mkdir('made'))())",
        'mcts(simulations=f\'{__import__("os").mkdir("made")}\')',
        "mcts(simulations=(made := 3))",
    ],
)
def test_code_is_refused_and_never_run(code, tmp_path, monkeypatch, connect_four):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlygroundError):
        load_agent(code).think(connect_four.start())
    assert not list(tmp_path.iterdir())


LONG = {
    "a long name": "m" * 100_000,
    "many brackets": "mcts(simulations=" + "(" * 50_000 + ")" * 50_000 + ")",
    "many signs": "mcts(simulations=" + "-" * 900 + "1)",
    "a long sum": "mcts(simulations=" + "+".join(["1"] * 900) + ")",
    "a long path": "mcts(simulations=a" + ".b" * 900 + ")",
    "many calls": "mcts(simulations=a" + "()" * 900 + ")",
    "a long number": "mcts(simulations=" + "9" * 5000 + ")",
    "much space": "mcts" + " " * 1000 + ")",
    "a long list": "mcts(simulations=[" + "1," * 20_000 + "])",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_huge_text_is_refused_at_once(text):
    began = time.process_time()
    with pytest.raises(PlygroundError):
        load_agent(text)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("what", ["a long name", "a long number", "a long list"])
def test_huge_text_is_not_quoted_whole(what):
    with pytest.raises(PlygroundError) as caught:
        load_agent(LONG[what])
    assert len(str(caught.value)) < 1000
