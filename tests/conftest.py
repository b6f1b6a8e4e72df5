"""What most tests share: two games, and a fresh Python process."""

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

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so shells start what runs behind
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("plyground", deadline=None, max_examples=60, print_blob=True)
settings.load_profile("plyground")

FOLDER = tempfile.mkdtemp(prefix="plyground-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ["PLYGROUND_STORE"] = f"{FOLDER}/games.sqlite"

EXAMPLE = Path(__file__).parent.parent / "examples" / "tic_tac_toe.py"


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
    """Give a server of one's own."""
    if programs() is None:
        pytest.skip("needs the package postgresql")
    server = Server()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, tmp_path):
    """Give the place of a store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "folder" / "games.sqlite")
    return request.getfixturevalue("postgres").database()


@pytest.fixture
def mounted(tmp_path):
    """Mount a small file system on a folder, as with a disk that is full or read-only."""
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
    """A folder that every user can read, as `tmp_path` is not."""
    folder = Path(tempfile.mkdtemp(prefix="plyground-tests-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def fresh_python():
    """Run code in a Python process of its own; give what became of it."""

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
    """Import a module as a shim and its bots do."""

    def give(name, folder="."):
        shims = Path(plyground.programs.courses.__file__).parent
        for path in (shims, shims / folder):
            monkeypatch.syspath_prepend(str(path))
        return importlib.import_module(name)

    return give


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process; give its exit code, standard output and standard error."""

    def run_command(*arguments):
        monkeypatch.setattr(sys, "argv", ["plyground", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        told_once = "compiling kernels, once (later runs load them from disk)\n"
        return stopped.value.code or 0, out, err.replace(told_once, "")

    return run_command
