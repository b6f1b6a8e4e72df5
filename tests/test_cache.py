"""The cache of compiled kernels: reused by later processes, and never stale."""

import os
import pickle

import pytest

START = """
import sys
from plyground import load_game
position = load_game(sys.argv[1]).start()
position = position.play(position.legal_actions[0])
print(position.setup[0], "|", position.state[0])
"""

STEPPING = """
from plyground import helper

@helper
def step(word):
    return word + {step}
"""

PASSING = """
from far.stepping import step as step_far

from plyground import helper

@helper
def step(word):
    return step_far(word)
"""

COUNTING = """
from {module} import {name}

from plyground import Facts, Game, Kernels, kernel

@kernel("player")
def player(setup, state):
    return 0

@kernel("legal")
def legal(setup, state, out):
    out[0] = 0
    return 1

@kernel("play")
def play(setup, state, action):
    state[0] = {play}

@kernel("over")
def over(setup, state):
    return state[0] >= 1000

@kernel("returns")
def returns(setup, state, out):
    out[0] = 0.0

class Counting(Game):
    name = "counting"
    kernels = Kernels(player, legal, play, over, returns)

    def measure(self):
        return Facts(players=1, actions=1, branching=1, longest=1000)

    def begin(self, seed):
        return [0], [0]
"""


def write_counting(folder, step, where="beside"):
    """Write a game that counts by `step`, a number defined in another file."""
    stepping = STEPPING.format(step=step)
    module, name, play, files = {
        "beside": ("stepping", "step", "step(state[0])", {"stepping.py": stepping}),
        "behind a helper": (
            "near.passing",
            "step",
            "step(state[0])",
            {"near/passing.py": PASSING, "far/stepping.py": stepping},
        ),
        "in a constant": (
            "far.numbers", "STEP", "state[0] + STEP", {"far/numbers.py": f"STEP = {step}"},
        ),
    }[where]  # fmt: skip
    for path, text in (files | {"counting.py": COUNTING}).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text.format(module=module, name=name, play=play))
    return folder / "counting.py"


@pytest.fixture
def own_cache(tmp_path):
    """Return the environment for a process with its own cache folder and module folder."""
    return {
        "PLYGROUND_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", ""))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_kernels_compile_once_and_an_edited_helper_is_noticed(fresh_python, tmp_path, own_cache):
    game = write_counting(tmp_path, step=1)
    first = fresh_python(START, game, **own_cache)
    assert first.stdout == "0 | 1\n"
    assert "compiling kernels, once" in first.stderr
    second = fresh_python(START, game, **own_cache)
    assert second.stdout == "0 | 1\n"
    assert second.stderr == ""
    write_counting(tmp_path, step=7)
    third = fresh_python(START, game, **own_cache)
    assert third.stdout == "0 | 7\n"


@pytest.mark.parametrize("where", ["behind a helper", "in a constant"])
def test_an_edit_in_another_folder_is_noticed(fresh_python, tmp_path, own_cache, where):
    game = write_counting(tmp_path, 1, where)
    assert fresh_python(START, game, **own_cache).stdout == "0 | 1\n"
    write_counting(tmp_path, 7, where)
    assert fresh_python(START, game, **own_cache).stdout == "0 | 7\n"


def test_a_game_imports_a_file_beside_it(fresh_python, tmp_path):
    game = write_counting(tmp_path, step=1)
    done = fresh_python(START, game, PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout == "0 | 1\n", done.stderr.strip().splitlines()[-1]


# Damaged, full and foreign folders ----------------------------------------------------------------

DAMAGES = (
    lambda data: b"",
    lambda data: data[: len(data) // 2],
    lambda data: os.urandom(len(data)),
    lambda data: data[:-100] + bytes(100),
    lambda data: pickle.dumps(["garbage"]),
    lambda data: data[:32] + pickle.dumps(["garbage"]),
)


def kernels(folder):
    return sorted(each for each in (folder / "cache").rglob("*") if each.is_file())


def test_damaged_kernels_are_compiled_again(fresh_python, tmp_path, own_cache):
    game = write_counting(tmp_path, step=1)
    fresh_python(START, game, **own_cache)
    files = kernels(tmp_path)
    assert len(files) >= len(DAMAGES)
    for number, file in enumerate(files):
        file.write_bytes(DAMAGES[number % len(DAMAGES)](file.read_bytes()))
    again = fresh_python(START, game, **own_cache)
    assert (again.returncode, again.stdout) == (0, "0 | 1\n")
    damaged, compiling = again.stderr.splitlines()
    assert "damaged kernels in" in damaged
    assert "compiling kernels, once" in compiling
    assert kernels(tmp_path) == files
    warm = fresh_python(START, game, **own_cache)
    assert (warm.stdout, warm.stderr) == ("0 | 1\n", "")


SWAPPED = """
from plyground.cache import kernel_folder, load_kernel, save_kernel
names = [("rules-1", "play"), ("rules-1", "legal"), ("other-2", "play")]
for folder, name in names:
    save_kernel(folder, name, f"{folder} {name}".encode())
files = [kernel_folder() / folder / name for folder, name in names]
contents = [file.read_bytes() for file in files]
for file, content in zip(files, contents[1:] + contents[:1]):
    file.write_bytes(content)
print([load_kernel(*each) for each in names], [file.exists() for file in files])
"""


def test_a_kernel_under_the_name_of_another_is_damaged(fresh_python, own_cache):
    done = fresh_python(SWAPPED, **own_cache)
    assert done.stdout == "[None, None, None] [False, False, False]\n", done.stderr


def costs_only_time(fresh_python, folder, own_cache, reason, code=START):
    """Run with a cache that cannot be used: one line says why, and no folder is left behind."""
    game = write_counting(folder, step=1)
    (folder / "temporary").mkdir()
    done = fresh_python(code, game, **own_cache, TMPDIR=str(folder / "temporary"))
    assert (done.returncode, done.stdout) == (0, "0 | 1\n"), done.stderr
    output = [line for line in done.stderr.splitlines() if "compiling kernels" not in line]
    assert len(output) == 1
    assert f"kernels cannot be saved in {folder}/cache/kernels: {reason}" in output[0]
    assert list((folder / "temporary").iterdir()) == []


def test_a_file_where_the_folder_should_be(fresh_python, tmp_path, own_cache):
    (tmp_path / "cache").write_text("a file where the folder should be")
    costs_only_time(fresh_python, tmp_path, own_cache, "Not a directory")


def test_a_read_only_folder(fresh_python, tmp_path, own_cache, mounted):
    mounted(tmp_path / "cache", "ro")
    costs_only_time(fresh_python, tmp_path, own_cache, "Read-only file system")


def test_a_full_disk(fresh_python, tmp_path, own_cache, mounted):
    mounted(tmp_path / "cache", "size=16k,mode=700")
    costs_only_time(fresh_python, tmp_path, own_cache, "No space left on device")
    assert not [file for file in kernels(tmp_path) if file.name.startswith("tmp")]


def test_no_more_than_a_few_bytes_a_file(fresh_python, tmp_path, own_cache):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    costs_only_time(fresh_python, tmp_path, own_cache, "File too large", f"{limit}\n{START}")
    assert kernels(tmp_path) == []


def test_a_folder_that_others_may_write(fresh_python, tmp_path, own_cache):
    (tmp_path / "cache" / "kernels").mkdir(parents=True)
    (tmp_path / "cache" / "kernels").chmod(0o777)
    costs_only_time(fresh_python, tmp_path, own_cache, "every user may write to it")
    assert kernels(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user(fresh_python, tmp_path, own_cache):
    (tmp_path / "cache" / "kernels").mkdir(parents=True)
    os.chown(tmp_path / "cache" / "kernels", 12345, 12345)
    costs_only_time(fresh_python, tmp_path, own_cache, "it belongs to another user")
    assert kernels(tmp_path) == []


WORKERS = """
import os, sys
from plyground import Tournament
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Processes
if __name__ == "__main__":
    plan = Tournament(game=sys.argv[1], agents=("random",), games=4)
    with Processes(2) as pool:
        print(len(list(play_tournament(plan, pool))))
    print(len(os.listdir(os.environ["TMPDIR"])))
"""


def test_workers_share_the_temporary_folder(fresh_python, tmp_path, public_folder, own_cache):
    game = write_counting(tmp_path, step=1)
    (tmp_path / "cache").write_text("a file where the folder should be")
    (tmp_path / "workers.py").write_text(WORKERS)
    run = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    # Workers are reached by a socket in this folder, and a socket's path must be short.
    done = fresh_python(run, tmp_path / "workers.py", game, **own_cache, TMPDIR=str(public_folder))
    assert done.stdout.splitlines()[:1] == ["4"], done.stderr
    assert done.stderr.count("cannot be saved") == 1
    assert done.stderr.count("compiling kernels") == 1
    assert list(public_folder.iterdir()) == []


HASHING = """
from plyground import Facts, Game, Kernels, kernel
from counting import Counting as Plain, legal, over, player, returns

@kernel("play")
def play(setup, state, action):
    state[0] += 1 + (hash("some text") - hash("some text"))

class Hashing(Game):
    name = "hashing"
    kernels = Kernels(player, legal, play, over, returns)
    measure, begin = Plain.measure, Plain.begin
"""


def test_a_kernel_that_needs_more_of_numba_is_loaded_too(fresh_python, tmp_path, own_cache):
    """Python's own hash is available to kernels only after Numba has been loaded fully."""
    write_counting(tmp_path, step=1)
    (tmp_path / "hashing.py").write_text(HASHING)
    for output in ("compiling kernels, once (later runs load them from disk)\n", ""):
        done = fresh_python(START, tmp_path / "hashing.py", **own_cache)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 | 1\n", output)


MUTUAL = """
from plyground import Facts, Game, Kernels, helper, kernel
from counting import Counting as Plain, legal, over, player, returns

@helper
def even(number):
    return 1 if number <= 0 else odd(number - 1)

@helper
def odd(number):
    return 0 if number <= 0 else even(number - 1)

@kernel("play")
def play(setup, state, action):
    state[0] += even(state[0] + 6)

class Mutual(Game):
    name = "mutual"
    kernels = Kernels(player, legal, play, over, returns)
    measure, begin = Plain.measure, Plain.begin
"""


def test_functions_that_call_each_other_are_compiled_each_time(fresh_python, tmp_path, own_cache):
    """Numba cannot load them: the second process would crash."""
    write_counting(tmp_path, step=1)
    (tmp_path / "mutual.py").write_text(MUTUAL)
    for _ in range(2):
        done = fresh_python(START, tmp_path / "mutual.py", **own_cache)
        assert (done.returncode, done.stdout) == (0, "0 | 1\n")
