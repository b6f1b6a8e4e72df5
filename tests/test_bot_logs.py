"""What a bot writes to standard error is kept with its game and shown."""

import json

import pytest

from plyground import load_agent, load_game, play_game
from plyground.arena.faults import LONGEST_LOG
from plyground.arena.record import Record
from plyground.errors import DEBUG

LOUD = """
import sys
def agent(observation, configuration):
    print("thinking \\x1b[31m<b>hard</b>")
    if sum(map(bool, observation.board)) > 1:
        return fragile(observation)
    return 0

def fragile(observation):
    return 1 // 0
"""


@pytest.fixture
def loud(tmp_path):
    (tmp_path / "loud.py").write_text(LOUD)
    return f"kaggle_connectx(path='{tmp_path}/loud.py')"


def test_prints_and_traceback_of_a_bot_are_kept_and_shown(loud, run, tmp_path, monkeypatch):
    store, page = str(tmp_path / "games.sqlite"), tmp_path / "report.html"
    monkeypatch.setenv(DEBUG, "")  # so that it is put back after the test
    command = ("match", "connect_n", f"loud={loud}", "random", "--games", "1", "--opening", "0")
    code, out, _ = run(*command, "--store", store, "--report", str(page), "--debug")
    assert code == 0
    assert "in fragile" in out  # --debug shows it with the forfeit
    for shown in (run("runs", "show", "1", "1", "--store", store)[1], out):
        assert "loud wrote to standard error:" in shown
        assert "thinking ?[31m<b>hard</b>" in shown
        assert 'loud.py", line 10, in fragile' in shown
        assert "ZeroDivisionError" in shown
        assert "plyground_shim.py" not in shown
    assert "&lt;b&gt;hard&lt;/b&gt;" in page.read_text()
    _, out, _ = run("runs", "show", "1", "1", "--store", store, "--json")
    assert [bool(log) for log in json.loads(out)["logs"]] == [True, False]


def test_a_log_is_bounded_and_survives_its_way_through_json(tmp_path):
    (tmp_path / "start.py").write_text(
        "print('x' * 100_000)\nraise ValueError('no weights')\ndef agent(o, c): pass\n"
    )
    bot = load_agent("kaggle_connectx", path=str(tmp_path / "start.py"))
    record = play_game(load_game("connect_n"), ["random", bot])
    assert (record.fault, record.reason) == (1, "ValueError: no weights (start.py, line 2)")
    assert record.logs[0] == ""
    assert record.logs[1].endswith("ValueError: no weights")
    assert len(record.logs[1]) <= LONGEST_LOG
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_games_without_programs_have_no_logs():
    assert "logs" not in play_game("connect_n", ["random", "random"]).to_json()
