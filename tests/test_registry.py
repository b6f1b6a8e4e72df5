"""Loading by file and by entry point: errors are one line that names the place."""

import re

import pytest

from plyground import load_agent, load_game
from plyground.agents import AGENTS
from plyground.errors import LoadError, PlygroundError
from plyground.studies import STUDIES

AGENT = """
from plyground import Agent, Thought

class Some(Agent):
    name = "some"

    def choose(self, position, limit, seed):
        return Thought(position.legal_actions[0])
"""

TWICE = AGENT + "class Other(Some):\n    name = 'other'\n"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("import os\nimport nowhere", "line 2: ModuleNotFoundError: No module named 'nowhere'"),
        ("from plyground import nothing", "line 1: ImportError: cannot import name 'nothing'"),
        ("x = 1\n\ndef f(:\n", "line 3: SyntaxError: invalid syntax"),
        ("def f():\n    1 / 0\n\nf()", "line 2: ZeroDivisionError: division by zero"),
        ("raise SystemExit", "line 1: SystemExit"),
        ("raise ValueError('two\\nlines')", "line 1: ValueError: two lines"),
        ("import helper", "helper.py, line 2: NameError: name 'undefined' is not defined"),
        ("", "one class derived from Agent is needed, it defines none"),
        (TWICE, "one class derived from Agent is needed, it defines Some, Other"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_with_line_and_reason(tmp_path, source, complaint):
    (tmp_path / "helper.py").write_text("\nundefined\n")
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(LoadError) as refused:
        load_agent(f"{tmp_path}/mine.py(depth=3)")
    output = str(refused.value)
    assert output.startswith(f"agent {tmp_path}/mine.py")
    assert complaint in output
    assert "\n" not in output


@pytest.mark.parametrize(
    ("load", "kind"), [(load_agent, "agent"), (load_game, "game"), (STUDIES.load, "study")]
)
def test_errors_name_what_was_to_be_loaded(load, kind, tmp_path):
    (tmp_path / "empty.py").write_text("")
    for spec, complaint in (
        (f"{tmp_path}/empty.py", f"{kind} {tmp_path}/empty.py: one class derived from"),
        (f"{tmp_path}/nowhere.py", f"{kind}: there is no file"),
        ("nobody", f"unknown {kind} 'nobody'"),
    ):
        with pytest.raises(PlygroundError, match=re.escape(complaint)):
            load(spec)


def test_a_file_that_was_mended_can_be_loaded(tmp_path):
    path = tmp_path / "mended.py"
    path.write_text("import nowhere")
    with pytest.raises(LoadError):
        load_agent(str(path))
    path.write_text(AGENT)
    assert repr(load_agent(str(path))) == str(path)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package with entry points for three agents."""
    (tmp_path / "outside.py").write_text(AGENT)
    (tmp_path / "broken.py").write_text("import nowhere")
    output = tmp_path / "outside-1.0.dist-info"
    output.mkdir()
    (output / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (output / "entry_points.txt").write_text(
        "[plyground.agents]\nsome = outside:Some\nwrong = outside:Thought\nbad = broken:Some\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_an_installed_package_brings_agents(installed, connect_four):
    assert "some" in AGENTS.names()
    assert load_agent("some").think(connect_four.start()).action == 0


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("bad", "agent 'bad' cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("wrong", "agent 'wrong': outside:Thought is not a class derived from Agent"),
    ],
)
def test_an_installed_agent_that_cannot_be_loaded_is_named(installed, name, complaint):
    with pytest.raises(LoadError, match=re.escape(complaint)):
        load_agent(name)
