"""Confined programs see and change nothing outside, whoever starts them and in whichever way."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

import pytest
from escapes import CALLS, ESCAPES, HOARDS, READS, REFUSED, TRIAL
from unprivileged import PYTHON, run_as_user

from plyground import load_agent, load_game
from plyground.errors import AgentError, CannotPlayError, PlygroundWarning, warn_once
from plyground.programs.sandbox import process
from plyground.programs.sandbox.process import Confinement, Process

WAYS = ("bubblewrap", "namespaces")
TRICKS = (
    {name: CALLS + code for name, code in REFUSED.items()}
    | {name: READS + code for name, code in ESCAPES.items()}
    | HOARDS
)
NAMES = list(TRICKS)


@pytest.fixture(scope="module")
def places():
    """Return a public folder with one program for each attempt, and a secret elsewhere."""
    folder = Path(tempfile.mkdtemp(prefix="plyground-tests-"))
    folder.chmod(0o755)
    (folder / "other").mkdir()
    secret = folder / "other" / "working_copy.py"
    secret.write_text("the other's program")
    (folder / "other").chmod(0o777)
    secret.chmod(0o666)
    (folder / "bots").mkdir()
    for number, code in enumerate(TRICKS.values()):
        start = f"import os, sys, time\nsecret, home = {str(secret)!r}, {str(Path.home())!r}\n"
        (folder / "bots" / f"{number}.py").write_text(start + code)
    yield folder
    shutil.rmtree(folder)


def usable(way, as_root):
    """Skip where a way to confine programs does not work on this machine."""
    if way == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("needs the package bubblewrap")
    if as_root and os.getuid() != 0:
        pytest.skip("needs to be root")
    if not as_root and not PYTHON.exists():
        pytest.skip(f"needs {PYTHON}")
    if way != "nothing" and process.confined_by() == "nothing":
        pytest.skip("this system allows no namespaces")


@pytest.mark.parametrize("as_root", [True, False], ids=["root", "user"])
@pytest.mark.parametrize("way", [*WAYS, "nothing"])
def test_no_trick_gets_out_or_takes_more_than_its_share(way, as_root, places, fresh_python):
    usable(way, as_root)
    names = NAMES if way != "nothing" else list(REFUSED)
    bots = [str(places / "bots" / f"{number}.py") for number in range(len(names))]
    code = TRIAL + (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "way, python, *bots = sys.argv[1:]\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    for line in pool.map(lambda bot: attempt(way, python, bot), bots):\n"
        "        print(line)\n"
    )
    if as_root:
        python = sys.executable if way != "nothing" else PYTHON  # nobody may read it
        done = fresh_python(code, way, python, *bots)
        printed = done.stdout
        assert done.returncode == 0, done.stderr
    else:
        printed = run_as_user(code, way, PYTHON, *bots)
    became = dict(zip(names, printed.splitlines(), strict=True))
    hoards = {name: became.pop(name) for name in HOARDS if name in became}
    assert became == dict.fromkeys(became, "held")
    for name in hoards:
        limit = "memory" if name.startswith("memory") else "No space left on device"
        assert limit in hoards[name], f"{name}: {hoards[name]}"
    assert (places / "other" / "working_copy.py").read_text() == "the other's program"
    assert len(list((places / "bots").iterdir())) == len(NAMES)
    for shared in ("/dev/shm", "/tmp"):
        assert not os.path.exists(f"{shared}/plyground-was-here")


SPINS = """
import os, sys, time
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
print("ready", flush=True)
while True:
    pass
"""


@pytest.mark.parametrize("way", [*WAYS, "nothing"])
def test_a_stopped_program_computes_nothing(way, tmp_path):
    if way != "nothing":
        usable(way, as_root=os.getuid() == 0)
    python = str(PYTHON) if way == "nothing" and os.getuid() == 0 else sys.executable
    program = Process([python, "-c", SPINS], Confinement(100, 40, 20, 60, False), way=way)
    try:
        assert program.receive(monotonic() + 20) == "ready"
        sleep(0.1)
        program.freeze()
        used = program.cpu_seconds()
        sleep(0.3)
        assert 0 < program.cpu_seconds() < used + 0.02  # what it takes to stop them all
        program.thaw()
        until = monotonic() + 20
        while program.cpu_seconds() < used + 0.2:
            assert monotonic() < until
            sleep(0.01)
    finally:
        program.end()


WOKEN = """
import pathlib, signal

python, *ways = sys.argv[1:]
spins = "print('ready', flush=True)\\nwhile True: pass  # woken"
orphans = (
    "import os, signal, time\\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\\n"
    "for _ in range(2):\\n    if os.fork() == 0:\\n"
    "        while time.process_time() < 0.3: pass\\n        os._exit(0)\\n"
    "    while True:\\n        try:\\n            os.wait()\\n"
    "        except ChildProcessError:\\n            break\\n"
    "print('ready', flush=True)\\ntime.sleep(99)"
)

def started(way, code):
    program = Process([python, "-c", code], Confinement(100, 40, 20, 60, False), way=way)
    assert program.receive(monotonic() + 20) == "ready"
    return program

def spinning():
    for each in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"# woken" in each.read_bytes() and int(each.parent.name) != os.getpid():
                yield int(each.parent.name)
        except OSError:
            pass

for way in ways:
    program = started(way, spins)
    program.freeze()
    used = program.cpu_seconds()
    pids = list(spinning())
    try:
        for number in range(5000):
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
            time.sleep(0.004)
            more = program.cpu_seconds() - used
            if more > 0.3 or (number > 50 and more < 0.02):
                break
        print("held" if more < 0.02 else f"escaped {more}")
    except (AgentError, ProcessLookupError):
        print(program.end())
    program.end()
    program = started(way, orphans)
    print("counted" if program.cpu_seconds() > 0.3 else program.cpu_seconds())
    program.end()
"""


@pytest.mark.parametrize("as_root", [True, False], ids=["root", "user"])
def test_cpu_time_is_neither_stolen_nor_hidden(as_root, fresh_python):
    """A stopped program is sent SIGCONT from outside; another one's children are not waited for."""
    usable("nothing", as_root)
    ways = [way for way in (*WAYS, "nothing") if way != "bubblewrap" or shutil.which("bwrap")]
    if as_root:
        done = fresh_python(TRIAL + WOKEN, PYTHON, *ways)
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    else:
        printed = run_as_user(TRIAL + WOKEN, PYTHON, *ways)
    woken, counted = printed.splitlines()[::2], printed.splitlines()[1::2]
    assert counted == ["counted"] * len(ways)
    for line in woken:  # control groups keep it stopped; elsewhere it has lost
        assert line == "held" or re.match(r"it computed for .* s when it was not its turn", line)


def test_a_bot_is_stopped_in_the_others_turn_unless_it_may_ponder(tmp_path):
    (tmp_path / "bot.py").write_text(
        "import threading\nfrom polite import begin, hear, move\n"
        "def burn():\n    while True:\n        pass\n"
        "threading.Thread(target=burn, daemon=True).start()\n"
        "message = begin()\nwhile True:\n    move(message)\n    message = hear()\n"
    )
    shutil.copy(Path(__file__).parent / "hostile" / "polite.py", tmp_path)
    game = load_game("connect_n")
    agent = load_agent("remote", command=f"{sys.executable} {tmp_path}/bot.py")
    used = {}
    for ponder in (False, True):
        seated = agent.sit(game, 0, ponder=ponder)
        try:
            seated.think(game.start())
            program = seated.process
            before = program.cpu_seconds()
            sleep(1)
            used[ponder] = program.cpu_seconds() - before
        finally:
            seated.close((0.0, 0.0))
    assert used[False] < 0.02 < used[True]


def test_programs_that_cannot_be_confined_are_reported_or_refused(monkeypatch):
    monkeypatch.setattr(process, "confined_by", lambda: "nothing")
    agent, game = load_agent("remote", command="true"), load_game("connect_n")
    monkeypatch.delenv(process.STRICT, raising=False)
    warn_once.cache_clear()
    with pytest.warns(PlygroundWarning, match="not kept here: bots from your files"):
        agent.prepare(game)
    monkeypatch.setenv(process.STRICT, "1")
    with pytest.raises(CannotPlayError, match="--strict refuses"):
        agent.prepare(game)


def test_what_only_root_or_control_groups_keep_is_said_once(places):
    usable("nothing", as_root=False)
    code = (
        "import os, warnings\n"
        "from plyground.errors import CannotPlayError\n"
        "from plyground.programs.sandbox.process import STRICT, confined_by, require_confinement\n"
        "with warnings.catch_warnings(record=True) as given:\n"
        "    warnings.simplefilter('always')\n"
        "    require_confinement()\n"
        "    require_confinement()\n"
        "    print(*(each.message for each in given))\n"
        "os.environ[STRICT] = '1'\n"
        "try:\n"
        "    require_confinement()\n"
        "except CannotPlayError as error:\n"
        "    print(error)\n"
    )
    said, refused = run_as_user(code).splitlines()
    assert re.match("not kept here: .*memory that no process shows", said)
    assert said.count("not kept") == 1
    assert refused == f"{said} (--strict refuses to run them)"
    page = (Path(__file__).parent.parent / "docs" / "bot-protocol.md").read_text()
    assert all(text in page for text in process.NOT_KEPT.values())


def test_strict_is_an_option_of_every_command_that_starts_programs(monkeypatch, run):
    monkeypatch.setattr(process, "confined_by", lambda: "nothing")
    monkeypatch.setenv(process.STRICT, "")
    for command in (
        ["match", "connect_n", "remote(command='true')", "random", "--strict", "--store", "none"],
        ["tournament", "connect_n", "remote(command='true')", "random", "--strict", "--store",
         "none"],
        ["sprt", "connect_n", "remote(command='true')", "random", "--strict", "--store", "none"],
        ["serve", "--agent", "remote(command='true')", "--strict", "--store", "none", "--port",
         "0"],
    ):  # fmt: skip
        monkeypatch.setenv(process.STRICT, "")
        code, _, err = run(*command)
        assert (code, "--strict refuses" in err) == (2, True), err


def test_kernel_ends_a_program_whose_memory_only_it_can_count(tmp_path):
    """Memory held only by messages in flight is not counted for any process."""
    usable("namespaces", as_root=True)
    if not any("memory" in line for line in Path("/proc/self/cgroup").read_text().splitlines()):
        pytest.skip("needs control groups that may be made here")
    (tmp_path / "bot.py").write_text(
        "import os, socket, time\n"
        "pairs = []\n"
        "for _ in range(60):\n"
        "    one, other = socket.socketpair()\n"
        "    file = os.memfd_create('hoard')\n"
        "    for _ in range(10):\n"
        "        os.write(file, bytes(2**20))\n"
        "    socket.send_fds(one, [b'x'], [file])\n"
        "    os.close(file)\n"
        "    pairs.append((one, other))\n"
        "time.sleep(1000)\n"
    )
    program = Process(
        [sys.executable, str(tmp_path / "bot.py")], Confinement(100, 40, 20, 60, False)
    )
    with pytest.raises(AgentError, match="memory"):
        program.receive(monotonic() + 20)


@pytest.mark.parametrize("way", [*WAYS, "nothing"])
def test_a_bots_own_files_count_and_nothing_is_left_of_one_that_cannot_start(way, tmp_path):
    usable(way, as_root=os.getuid() == 0)
    (tmp_path / "film").write_bytes(bytes(3 * 2**20))
    limits = Confinement(100, 40, 1, 60, False)
    program = Process(["sleep", "9"], limits, [tmp_path / "film"], way=way)
    with pytest.raises(AgentError, match=r"disk=1 MiB|more than 1 MiB of files"):
        program.receive(monotonic() + 20)
    name = Path(program.folder).name
    groups = (line.split(" ")[1] for line in Path("/proc/self/mounts").read_text().splitlines())
    assert not [found for place in groups for found in Path(place).glob(f"*/{name}")]
    assert not os.path.exists(program.folder)


@pytest.mark.parametrize("way", [*WAYS, "nothing"])
def test_programs_of_other_languages_run(way):
    usable(way, as_root=os.getuid() == 0)
    for name, *words in (
        ("java", "-XX:TieredStopAtLevel=1", "-version"),
        ("node", "-e", "new (require('worker_threads').Worker)('0', {eval: true})"),
    ):
        if shutil.which(name) is None:
            continue
        program = Process([name, *words], Confinement(1024, 128, 64, 60, False), way=way)
        with pytest.raises(AgentError, match=r"^it ended with status 0"):
            program.receive(monotonic() + 20)  # it prints nothing, not even a warning


def test_mounts_below_a_private_folder_are_not_counted(public_folder):
    """An interpreter or a bot may be below /tmp; its files were not written by the bot."""
    usable("namespaces", as_root=os.getuid() == 0)
    for number in range(2_100):
        (public_folder / str(number)).touch()
    (public_folder / "bot.py").write_text("import time\ntime.sleep(1.5)\nprint('done')\n")
    command = [sys.executable, str(public_folder / "bot.py")]
    program = Process(command, Confinement(100, 40, 20, 60, False))
    try:
        assert program.receive(monotonic() + 20) == "done"
    finally:
        program.end()
