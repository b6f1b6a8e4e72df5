"""Fixtures shared by most tests: games, stores, folders, and ways to run commands."""

import atexit
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from postgres import Server, programs

import plyground.programs.courses
from plyground import load_game
from plyground.cli.main import main

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start background processes
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("plyground", deadline=None, max_examples=60, print_blob=True)
settings.load_profile("plyground")

FOLDER = tempfile.mkdtemp(prefix="plyground-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ["PLYGROUND_STORE"] = f"{FOLDER}/games.sqlite"
# Networks are compiled once for all processes of a run: xdist's workers inherit these.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", f"{FOLDER}/jax")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
# Small networks take longer to compile than to run; level 1 compiles twice as fast.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=1")

LONGEST = (
    "test_training", "test_learned_play", "test_docs", "test_pages", "test_pages_games",
    "test_cluster", "test_studies", "test_site", "test_resume", "test_clocks", "test_cache",
)  # fmt: skip
"""Files that take longest: started first, or one process would still be busy with one of them when
the others have nothing left to do."""

EXAMPLE = Path(__file__).parent.parent / "examples" / "tic_tac_toe.py"


def pytest_collection_modifyitems(items):
    """Put the longest files first; all other tests stay in their order."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONGEST)))


@pytest.fixture(scope="session")
def connect_four():
    return load_game("connect_n")


@pytest.fixture(scope="session")
def example():
    return EXAMPLE


@pytest.fixture(scope="session")
def tic_tac_toe():
    return load_game(str(EXAMPLE))


@pytest.fixture(scope="session")
def postgres():
    """Yield a PostgreSQL server of the tests' own."""
    if programs() is None:
        pytest.skip("needs the package postgresql")
    server = Server()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, tmp_path):
    """Return the location of a store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "folder" / "games.sqlite")
    return request.getfixturevalue("postgres").database()


@pytest.fixture
def mounted(tmp_path):
    """Return a function that mounts a small file system on a folder: a full or read-only disk."""
    folders = []

    def mount(folder, options):
        folder.mkdir(exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        try:
            subprocess.run(command, capture_output=True, text=True, check=True)
        except FileNotFoundError:
            pytest.skip("needs the program mount")
        except subprocess.CalledProcessError as error:
            pytest.skip(f"mounting is not permitted: {error.stderr.strip()}")
        if "remount" not in options:
            folders.append(folder)

    yield mount
    for folder in folders:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def public_folder():
    """Yield a folder that every user can read, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="plyground-tests-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def fresh_python():
    """Return a function that runs code in a new Python process and returns its result."""

    def run(code, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def course(monkeypatch):
    """Return a function that imports a module as a shim and its bots do."""

    def give(name, folder="."):
        shims = Path(plyground.programs.courses.__file__).parent
        for path in (shims, shims / folder):
            monkeypatch.syspath_prepend(str(path))
        return importlib.import_module(name)

    return give


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs a command here: exit code, standard output, standard error."""

    def run_command(*arguments):
        monkeypatch.setattr(sys, "argv", ["plyground", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        compiling_note = "compiling kernels, once (later runs load them from disk)\n"
        return stopped.value.code or 0, out, err.replace(compiling_note, "")

    return run_command
