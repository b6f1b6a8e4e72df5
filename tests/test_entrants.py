"""A folder of students' bots, one command, and a table with a reason for every forfeit."""

import csv
import html
import sys
from pathlib import Path

import pytest

from plyground import PlygroundError, load_agent
from plyground.arena.record import Record
from plyground.arena.tournament import Standing
from plyground.cli.entrants import bot_spec, gather
from plyground.export.standings import Result, as_csv, as_html

TESTS = Path(__file__).parent
GOOD = (TESTS / "courses" / "kaggle" / "submission.py").read_text()
PLAIN = "def agent(observation, configuration):\n    return observation.board.index(0)\n"
FAULTY = {
    "crash": ("def agent(observation, configuration):\n    return 1 / 0\n", "(crash.py, line 2)"),
    "illegal": (
        "def agent(observation, configuration):\n    return 99\n",
        "its action is 99",
    ),
    "hang": ("def agent(o, c):\n    while True:\n        pass\n", "late: no move within"),
    "quit": ("import os\ndef agent(o, c):\n    os._exit(3)\n", "status 3"),
    "script": ("def agent(o, c):\n    raise ValueError('<script>alert(1)</script>')\n", "<script>"),
}


@pytest.fixture
def students(tmp_path):
    """Return a class of 30 bots: most work, some have bugs, one cannot be loaded."""
    folder = tmp_path / "students"
    folder.mkdir()
    for number in range(23):
        (folder / f"student{number:02}").mkdir()
        source = GOOD if number < 3 else PLAIN
        (folder / f"student{number:02}" / "submission.py").write_text(source)
        (folder / f"student{number:02}" / "helper.py").write_text("")
    (folder / "syntax.py").write_text("def agent(:\n")
    for name, (source, _) in FAULTY.items():
        (folder / f"{name}.py").write_text(source)
    (folder / "late_essay.txt").write_text("I am sorry.")
    return folder


def test_a_class_is_ranked_with_a_reason_for_every_forfeit(students, run, tmp_path):
    page, sheet = tmp_path / "class.html", tmp_path / "class.csv"
    code, out, errors = run(
        "tournament", "connect_n", str(students), "random",
        "--interface", "kaggle_connectx(memory=512, overage=0)", "--format", "swiss",
        "--rounds", "2", "--games", "1", "--seconds", "2", "--store", "none", "--workers", "2",
        "--report", str(page), "--report", str(sheet),
    )  # fmt: skip
    assert code == 0, errors
    assert "late_essay takes no part" in errors
    assert "syntax takes no part: SyntaxError" in errors
    rows = list(csv.DictReader(sheet.open()))
    assert len(rows) == 31
    by_name = {row["bot"]: row for row in rows}
    assert [int(row["rank"]) for row in rows[:-2]] == list(range(1, 30))
    for row, reason in zip(rows[-2:], ("not a program", "(syntax.py, line 1)"), strict=True):
        assert row["reasons"].startswith("not entered: ")
        assert reason in row["reasons"]
    assert [row["bot"] for row in rows[-2:]] == ["late_essay", "syntax"]
    written = page.read_text()
    for name, (_, reason) in FAULTY.items():
        row = by_name[name]
        assert int(row["forfeits"]) == int(row["games"]) - int(row["won"]) > 0
        assert reason in row["reasons"]
        assert html.escape(reason) in written
    assert "<script>" not in written
    assert written.count("<tr>") >= 30 + sum(int(row["forfeits"]) for row in rows[:-2])
    for name, row in by_name.items():
        if name.startswith("student") or name == "random":
            assert row["forfeits"] == "0", row
    assert "student00" in out


def test_bots_in_a_folder_are_found_by_their_kind(tmp_path):
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "anything.py").touch()
    (tmp_path / "named").mkdir()
    for name in ("bots.py", "support.py"):
        (tmp_path / "named" / name).touch()
    program = tmp_path / "a program"
    program.touch(mode=0o755)
    for name, main in (("alone", "anything.py"), ("named", "bots.py")):
        agent = load_agent(bot_spec("brown_tron(memory=99)", tmp_path / name))
        assert (agent.path, agent.arguments()[0]) == (str(tmp_path / name), main)
    assert bot_spec("remote", tmp_path / "alone") == (
        f"remote(command='{sys.executable} {tmp_path}/alone/anything.py')"
    )
    assert bot_spec("remote", program) == f"remote(command=\"'{program}'\")"
    assert (
        bot_spec("wpi_connect_n", tmp_path / "named") == f"wpi_connect_n(path='{tmp_path}/named')"
    )
    (tmp_path / "unclear").mkdir()
    for name in ("one.py", "two.py"):
        (tmp_path / "unclear" / name).touch()
    with pytest.raises(PlygroundError, match="has 2 programs, 0 of them called one of bot"):
        load_agent(bot_spec("kaggle_connectx", tmp_path / "unclear")).arguments()


def test_an_empty_folder_is_reported(tmp_path):
    with pytest.raises(PlygroundError, match="no bots in"):
        gather([str(tmp_path)], "remote", "connect_n")


def test_a_report_has_one_of_two_forms(run, tmp_path):
    code, _, errors = run("match", "connect_n", "random", "random", "--report", "x.pdf")
    assert code == 2
    assert "x.pdf: a report's name must end in .html or .csv" in errors


def test_nothing_a_student_writes_is_a_formula_or_a_script():
    record = Record("connect_n", ("a", "b"), (0, 1), 4, 0, "", 0, (), (), (), (), (-1.0, 1.0),
                    "failed", "=1+1 <b>", 0, "0")  # fmt: skip
    rows = [Standing("=cmd()", 0, losses=1, forfeits=1), Standing("<i>", 1, wins=1, points=1)]
    result = Result("a & b", rows, ["=cmd()", "<i>"], [record], [("@x", "<u>")])
    assert "\n1,'=cmd(),1,0,0,1,0,1," in as_csv(result)
    assert "1 x failed: =1+1 <b>" in as_csv(result)
    assert "\n,'@x," in as_csv(result)
    page = as_html(result)
    for text in ("a &amp; b", "&lt;i&gt;", "=1+1 &lt;b&gt;", "&lt;u&gt;"):
        assert text in page


def test_a_plan_in_a_file_may_name_a_folder(tmp_path, run):
    (tmp_path / "bots").mkdir()
    for name in ("ada", "bob"):
        (tmp_path / "bots" / f"{name}.py").write_text(PLAIN)
    plan = f'game = "connect_n"\nagents = ["random", "{tmp_path}/bots"]\ngames = 1\n'
    (tmp_path / "plan.toml").write_text(plan)
    command = ("tournament", str(tmp_path / "plan.toml"), "--interface", "kaggle_connectx")
    code, out, errors = run(*command, "--store", "none", "--workers", "1")
    assert code == 0, errors
    assert "3 games" in out
    assert "ada" in out
    code, out, _ = run(*command, "random", "greedy", "--store", "none", "--workers", "1")
    assert code == 0
    assert "1 game" in out
    assert "1 games" not in out
    (tmp_path / "plan.toml").write_text('game = "connect_n"\nagents = [1, 2]\n')
    assert "agents must be a list of texts, got [1, 2]" in run(*command)[2]
