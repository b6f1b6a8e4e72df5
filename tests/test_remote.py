"""Programs as agents: the protocol, the limits, and nothing left behind."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from plyground import Limit, PlygroundError, load_agent, load_game, play_game
from plyground.arena.record import FINISHED, positions
from plyground.errors import AgentError
from plyground.programs.sandbox import process
from plyground.programs.sandbox.supervisor import system

ROOT = Path(__file__).parent.parent
BOTS = ROOT / "examples" / "bots"

TELLS_ALL = """
import json, os, sys
from polite import begin, hear, move
message = begin()
heard = open({heard!r}, "w")  # a pipe: files outside are read-only
while True:
    print(json.dumps(message), file=heard, flush=True)
    if message["type"] == "bye":
        break
    if message["type"] == "turn":
        move(message, message["names"][-1])
    message = hear()
print(json.dumps(sorted(os.environ)), json.dumps(os.getcwd() == os.environ["HOME"]), file=heard)
"""


def remote(path, **options):
    return load_agent("remote", command=f"{sys.executable} {path}", **options)


@pytest.fixture
def heard(public_folder):
    """Return a named pipe that bots write to, and a function that reads new lines from it."""
    shutil.copy(ROOT / "tests" / "hostile" / "polite.py", public_folder)
    os.mkfifo(public_folder / "heard")
    os.chmod(public_folder / "heard", 0o666)
    pipe = os.open(public_folder / "heard", os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 2**20)

    def read():
        try:
            return os.read(pipe, 2**20).decode().splitlines()
        except BlockingIOError:
            return []

    yield read
    os.close(pipe)


@pytest.fixture
def listener(public_folder, heard):
    """Return an agent that forwards the messages it receives, and a function that reads them."""
    path = public_folder / "listener.py"
    path.write_text(TELLS_ALL.format(heard=str(public_folder / "heard")))

    def last_program_heard():
        lines = heard()[:-1]
        ends = [number for number, line in enumerate(lines) if line.startswith("[")]
        return [json.loads(line) for line in lines[ends[-1] + 1 if ends else 0 :]]

    return remote(path), last_program_heard


def test_a_person_meets_one_program_for_a_game_and_another_after_a_move_taken_back(listener):
    agent, heard = listener
    plan = [sys.executable, "-m", "plyground", "play", "connect_n", repr(agent), "--json"]
    output = {}
    for moves in ("4\n4\n4\n:quit\n", "4\n4\n:undo\n5\n:quit\n"):
        subprocess.run(plan, input=moves, text=True, check=True, timeout=60, capture_output=True)
        messages = heard()
        output[moves] = [each["played"] for each in messages if each["type"] == "turn"]
        assert messages[-1]["type"] == "bye"
    straight, taken_back = output.values()
    assert straight == [["4"], ["7", "4"], ["7", "4"]]
    assert taken_back == [["4", "7", "5"]]


@pytest.mark.parametrize("spec", ["connect_n", "tron", "sheep", "robots", "expendibots"])
def test_the_python_example_plays_every_game_to_its_end(spec):
    game = load_game(spec)
    bots = [remote(BOTS / "random_bot.py")] * game.facts.players
    record = play_game(game, bots)
    assert record.ending == FINISHED
    assert positions(game, record)[-1].is_over


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_the_cpp_example_plays(tmp_path):
    program = tmp_path / "random bot"  # a blank, as in many people's folders
    subprocess.run(["g++", "-o", program, BOTS / "random_bot.cpp"], check=True)
    bot = load_agent("remote", command=f"'{program}'")
    record = play_game(load_game("tron"), [bot, bot])
    assert record.ending == FINISHED
    assert record.actions


@pytest.mark.parametrize("bot", ["random_bot.py", "random_bot.cpp"])
def test_the_examples_are_short(bot):
    assert len((BOTS / bot).read_text().splitlines()) < 60


def test_a_seed_repeats_the_game():
    bots = [remote(BOTS / "random_bot.py")] * 2
    game = load_game("connect_n")
    first, same, other = (play_game(game, bots, seed=seed).actions for seed in (1, 1, 2))
    assert first == same
    assert first != other


def test_a_bot_receives_all_it_needs(listener):
    agent, heard = listener
    game = load_game("connect_n(width=5)")
    record = play_game(game, [load_agent("greedy"), agent], Limit(seconds=5))
    *turns, result, bye = heard()
    line = positions(game, record)
    assert len(turns) == (len(line) - 1) // 2
    for number, turn in enumerate(turns, start=1):
        position = line[2 * number - 1]
        assert turn["turn"] == number
        assert turn["position"] == position.to_text()
        assert tuple(turn["legal"]) == position.legal_actions
        assert [position.parse(name) for name in turn["names"]] == turn["legal"]
        assert (turn["seconds"], turn["bank"]) == (5, None)
    output = [
        (name, seat)
        for turn in turns
        for name, seat in zip(turn["played"], turn["by"], strict=True)
    ]
    played = [(before.format(after.action), before.player) for before, after in pairwise(line)]
    assert output == played[: len(output)]
    assert len(output) >= len(played) - 2
    assert result["returns"] == list(record.returns)
    assert bye == {"type": "bye"}


def test_a_bot_receives_its_remaining_time(listener):
    agent, heard = listener
    play_game(load_game("connect_n"), [agent, load_agent("random")], Limit(bank=20), increment=1)
    first, second, *_ = [message for message in heard() if message["type"] == "turn"]
    assert first["bank"] == 20
    assert 19 < second["bank"] < 21
    assert 0 < first["seconds"] < 20


def test_a_bot_receives_nothing_hidden(listener):
    agent, heard = listener
    game = load_game("sheep(players=2, size=4, cells=12, sheep=4, hidden=True)")
    play_game(game, [agent, load_agent("random")])
    turns = [message for message in heard() if message["type"] == "turn"]
    assert any("b?" in turn["position"] for turn in turns)
    for turn in turns:
        assert not re.search("b[0-9]", turn["position"])
        assert turn["played"] == []


def test_a_bot_gets_little_of_our_environment(listener, heard, monkeypatch):
    monkeypatch.setenv("MY_SECRET", "1")
    play_game(load_game("connect_n"), [listener[0], load_agent("random")])
    variables, at_home = heard()[-1].split("] ")
    assert "PATH" in variables
    assert "MY_SECRET" not in variables
    assert at_home == "true"


def test_an_agent_that_has_no_seat_plays_for_a_move():
    position = load_game("connect_n").start()
    assert remote(BOTS / "random_bot.py").think(position).action in position.legal_actions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "command must name the bot's program"),
        ({"command": "./no_such_bot"}, "no program './no_such_bot'"),
        ({"command": "python3 'unclosed"}, "No closing quotation"),
    ],
)
def test_a_wrong_command_is_reported_before_the_game(options, message):
    with pytest.raises(PlygroundError, match=message):
        load_agent("remote", **options).prepare(load_game("connect_n"))


def test_the_program_behind_a_version_managers_script_is_run(tmp_path, monkeypatch):
    """The script needs files that a confined program does not see."""
    root = tmp_path / ".pyenv"
    for name, text in (
        ("shims/python3", 'exec "$(dirname "$0")/../bin/pyenv" exec "$@"'),
        ("bin/pyenv", f'[ "$1" = which ] || exit 3\necho {sys.executable}'),
        ("other/shims/python3", "exit 4"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"#!/bin/sh\n{text}\n")
        (root / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}/shims:{os.environ['PATH']}")
    bot = load_agent("remote", command=f"python3 {BOTS / 'random_bot.py'}")
    position = load_game("connect_n").start()
    assert bot.think(position).action in position.legal_actions
    assert bot.program()[0] == sys.executable
    assert load_agent("kaggle_connectx", path=__file__, python="python3").program()[0] == (
        sys.executable
    )
    monkeypatch.setenv("PATH", f"{root}/other/shims:{os.environ['PATH']}")
    assert bot.program()[0] == f"{root}/other/shims/python3"


def test_computing_is_limited_whatever_the_clock(tmp_path):
    (tmp_path / "busy.py").write_text("while True:\n    pass\n")
    with pytest.raises(AgentError, match=r"SIGXCPU|SIGKILL"):
        remote(tmp_path / "busy.py", cpu=1).sit(load_game("connect_n"), 0)


@pytest.mark.skipif(process.confined_by() == "nothing", reason="no namespaces here")
def test_a_bot_has_a_network_of_its_own(tmp_path):
    (tmp_path / "nosy.py").write_text(
        "import os, socket, sys\n"
        "with socket.create_server(('localhost', 8887)) as own:\n"
        "    socket.create_connection(own.getsockname()).close()\n"
        "try:\n"
        "    socket.create_connection(('192.0.2.1', 9), timeout=9)\n"
        "except OSError as error:\n"
        "    sys.exit(f'{os.getpid()} {error.strerror}')\n"
    )
    with pytest.raises(AgentError, match="2 Network is unreachable"):
        remote(tmp_path / "nosy.py").sit(load_game("connect_n"), 0)


def test_nothing_is_left_when_we_are_killed(public_folder, tmp_path, heard):
    (public_folder / "bot.py").write_text(
        f"import os, time\nprint('here', file=open({str(public_folder / 'heard')!r}, 'w'))\n"
        "if os.fork():\n    time.sleep(1_000)\nos.setsid()\ntime.sleep(1_000)\n"
    )
    code = (
        "import sys, tempfile\nfrom plyground import load_agent, load_game\n"
        "tempfile.tempdir = sys.argv[1]\n"
        "load_agent('remote', command=sys.argv[2]).sit(load_game('connect_n'), 0)\n"
    )
    (tmp_path / "folders").mkdir()
    command = [
        sys.executable,
        "-c",
        code,
        tmp_path / "folders",
        f"{sys.executable} {public_folder}/bot.py",
    ]
    ours = subprocess.Popen(command, env=os.environ)
    wait_until(heard)
    ours.kill()
    ours.wait()
    wait_until(lambda: not list((tmp_path / "folders").iterdir()))
    bot = os.fsencode(public_folder / "bot.py")
    wait_until(lambda: not any(bot in read(each) for each in Path("/proc").glob("[0-9]*/cmdline")))


def wait_until(holds):
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_ctrl_c_ends_the_bot_too(public_folder, tmp_path, heard, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "folders"))
    (tmp_path / "folders").mkdir()
    (public_folder / "slow.py").write_text(
        f"from polite import begin\nimport time\nbegin()\n"
        f"print('here', file=open({str(public_folder / 'heard')!r}, 'w'))\ntime.sleep(1_000)\n"
    )

    def interrupt():
        wait_until(heard)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        play_game(load_game("connect_n"), [remote(public_folder / "slow.py"), load_agent("random")])
    assert list((tmp_path / "folders").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells by files who started whom")
def test_descendants_are_found_by_their_parents_where_parents_do_not_know(monkeypatch):
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    try:
        wait_until(lambda: len(list(system.descendants(parent.pid))) == 1)
        known = list(system.descendants(parent.pid))
        monkeypatch.setattr(os.path, "exists", lambda path: False)
        assert list(system.descendants(parent.pid)) == known
    finally:
        parent.communicate(b"\n")


def test_tighter_limits_of_our_own_do_not_keep_a_bot_from_starting(fresh_python):
    code = (
        "import resource, sys\nfrom plyground import load_agent, load_game\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\n"
        "game = load_game('connect_n')\nagent = load_agent('remote', command=sys.argv[1])\n"
        "print(agent.think(game.start()).action)\n"
    )
    done = fresh_python(code, f"{sys.executable} {BOTS / 'random_bot.py'}")
    assert done.stdout.strip() in "0123456", done.stderr


def test_the_sandbox_is_imported_where_there_is_no_posix(fresh_python):
    """Windows runs no bots, but plyground."""
    code = (
        "import sys, types\n"
        "sys.modules.update(dict.fromkeys(('fcntl', 'resource', 'pwd', 'grp', 'termios')))\n"
        "package = types.ModuleType('plyground')\n"  # not its __init__, which takes long
        "package.__path__ = [sys.argv[1]]\n"
        "sys.modules['plyground'] = package\n"
        "import plyground.programs.sandbox.process\n"
    )
    done = fresh_python(code, ROOT / "src" / "plyground")
    assert done.returncode == 0, done.stderr


def test_the_page_on_the_protocol_shows_real_messages(listener):
    """Every message on the page has the keys of the real ones, in the same order."""
    agent, heard = listener
    play_game(load_game("connect_n"), [load_agent("random"), agent])
    said = {message["type"]: list(message) for message in heard()}
    page = (ROOT / "docs" / "bot-protocol.md").read_text()
    shown = [json.loads(line[2:]) for line in re.findall("^[<>] {.*", page, re.M)]
    assert [message["type"] for message in shown] == [
        "hello", "hello", "new_game", "ready", "turn", "move", "result", "bye",
    ]  # fmt: skip
    for message in shown:
        if message["type"] in said:
            assert list(message) == said[message["type"]]
    game, turn = load_game(shown[2]["game"]), shown[4]
    position = game.parse(turn["position"])
    assert list(position.legal_actions) == turn["legal"]
    assert [position.format(action) for action in turn["legal"]] == turn["names"]
