"""What a command loads at its start: no more than it needs, and always the same kernels."""

import json

import pytest

import plyground
from plyground.cli.main import COMMANDS, app

ENTRIES = {name: entry for section in COMMANDS.values() for name, entry in section.items()}

LOADED = """
import json, sys
from plyground.cli.main import main
sys.argv = ["plyground", *sys.argv[1:]]
try:
    main()
except SystemExit:
    print(json.dumps(sorted(sys.modules)))
"""


def loaded(fresh_python, *arguments):
    return set(json.loads(fresh_python(LOADED, *arguments).stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), (), ("nonsense",)])
def test_help_and_version_load_nothing_large(fresh_python, arguments):
    large = {"numba", "numpy", "sqlite3", "rich", "matplotlib", "multiprocessing"}
    assert not loaded(fresh_python, *arguments) & large


def test_a_match_loads_only_what_it_needs(fresh_python):
    match = ("match", "connect_n", "random", "random", "--games=1", "--workers=1", "--store=none")
    loaded(fresh_python, *match)  # compiles
    found = loaded(fresh_python, *match)
    assert "numba" in found
    assert not found & {"sqlite3", "psycopg", "matplotlib", "ray", "optuna"}
    assert "numba.np.linalg" not in found  # nothing is compiled, and kernels need little of Numba


@pytest.mark.parametrize("name", ENTRIES)
def test_the_help_of_the_table_is_the_first_line_of_the_commands_own(name):
    command = app_group().get_command(None, name)
    assert " ".join(command.help.split("\n\n")[0].split()) == ENTRIES[name].help
    assert command.name == name


def app_group():
    from typer.main import get_command

    return get_command(app)


def test_commands_are_listed_by_what_one_wants_to_do(run):
    code, out, _ = run("--help")
    assert code == 0
    assert [section for section in COMMANDS if f"\n{section}:\n" in out] == list(COMMANDS)
    assert all(f"  {name} " in out for name in ENTRIES)


def test_public_names_are_there_before_they_are_loaded(fresh_python):
    code = "import plyground, sys; print(sorted(set(plyground.__all__) - set(dir(plyground))))"
    assert fresh_python(f"{code}; print('numba' in sys.modules)").stdout == "[]\nFalse\n"
    for name in plyground.__all__:
        assert getattr(plyground, name).__name__ == name or callable(getattr(plyground, name))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = plyground.nonsense
    star = fresh_python("from plyground import *; print(load_game('connect_n'), Game.__name__)")
    assert star.stdout == "connect_n Game\n"


FOLDERS = """
import gc, importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
from plyground.games import GAMES
for name in GAMES.names():
    GAMES.find(name)
import plyground.game.check, plyground.search.mcts, plyground.search.alphabeta
from plyground.compile import _Cache
print(sorted({(each.function.__module__, each.folder) for each in gc.get_objects()
              if isinstance(each, _Cache)}))
"""


def test_kernels_have_one_folder_whatever_else_is_loaded(fresh_python):
    ways = (
        (),
        ("plyground.options",),
        ("plyground.cli.tournament",),
        ("plyground.studies.tron_regression", "plyground.interop.openspiel"),
    )
    found = [fresh_python(FOLDERS, *modules).stdout for modules in ways]
    assert "plyground.games.tron.rules" in found[0]
    assert [each for each in found if each != found[0]] == []
