"""What students hand in: zip files and folders in folders are taken, hostile ones are refused."""

import struct
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from plyground import PlygroundError, load_agent, load_game, play_game
from plyground.arena.record import FINISHED
from plyground.cli.entrants import bot_spec, gather
from plyground.programs.sandbox.copies import MOST_FILES
from plyground.programs.submission import unpacked

BOTS = Path(__file__).parent / "courses"
PLAIN = "def agent(observation, configuration):\n    return observation.board.index(0)\n"
PROGRAM = Path(__file__).parent.parent / "examples" / "bots" / "random_bot.py"
LINK = 0o120777 << 16


def zipped(path, files, **options):
    """Write a zip file of texts by name and return its path."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = options.get("attributes", 0)
            archive.writestr(member, text, zipfile.ZIP_DEFLATED)
    return path


def test_zip_files_and_folders_in_folders_are_bots(tmp_path):
    students = tmp_path / "class"
    (students / "ada" / "ada").mkdir(parents=True)
    (students / "ada" / "__MACOSX").mkdir()
    (students / "ada" / "notes.txt").touch()
    (students / "ada" / "ada" / "submission.py").write_text("import helper\n" + PLAIN)
    (students / "ada" / "ada" / "helper.py").touch()
    zipped(students / "bob.zip", {"bob/main.py": PLAIN, "__MACOSX/bob/._main.py": "\0"})
    zipped(students / "eve.zip", {"main.py": PLAIN.replace("agent", "agent (")})
    zipped(students / "max.zip", {"../max.py": PLAIN})
    field = gather([str(students)], "kaggle_connectx", "connect_n")
    assert field.names == ["ada", "bob"]
    reasons = dict(field.absent)
    assert reasons["eve"].startswith("SyntaxError")
    assert "'../max.py' is outside" in reasons["max"]
    record = play_game("connect_n", field.specs)
    assert record.ending == FINISHED, record.reason


@pytest.mark.parametrize("nested", ["", "Group01/", "hand in/Group01/"])
def test_a_package_may_be_zipped(tmp_path, nested):
    source = (BOTS / "Group01" / "alpha_beta_agent.py").read_text()
    package = zipped(tmp_path / "Group 01.zip", {f"{nested}alpha_beta_agent.py": source})
    bot = load_agent("wpi_connect_n", path=str(package))
    record = play_game(load_game("connect_n"), [bot, "random"])
    assert record.ending == FINISHED, record.reason


def test_a_program_may_be_zipped(tmp_path):
    source = PROGRAM.read_text()
    spec = bot_spec("remote", zipped(tmp_path / "ada.zip", {"ada/bot.py": source}))
    record = play_game("connect_n", [spec, "random"], opening=0)
    assert record.ending == FINISHED, record.reason


def test_one_bots_own_folder_is_an_agent(tmp_path, run):
    for name, main in (("ada", "bots.py"), ("bob", "anything.py")):
        (tmp_path / name).mkdir()
        (tmp_path / name / main).write_text(PLAIN)
    (tmp_path / "ada" / "support.py").touch()
    (tmp_path / "cat.py").write_text(PLAIN)
    named = [str(tmp_path / "ada"), f"robert={tmp_path / 'bob'}", str(tmp_path / "cat.py")]
    field = gather(named, "kaggle_connectx", "connect_n")
    assert field.names == ["ada", "robert", "cat"]
    assert field.specs[1] == f"kaggle_connectx(path='{tmp_path}/bob')"


def test_a_named_bot_that_cannot_start_ends_the_command(tmp_path, run):
    (tmp_path / "ada.py").write_text("import no_such_module\n" + PLAIN)
    spec = f"ada=kaggle_connectx(path='{tmp_path}/ada.py')"
    code, out, errors = run("tournament", "connect_n", spec, "random", "greedy", "--store", "none")
    assert (code, out) == (2, "")
    assert "ada cannot start: ModuleNotFoundError: No module named 'no_such_module'" in errors
    missing = f"bob=remote(command='{sys.executable} missing.py')"
    for command in ("match", "sprt"):
        code, out, errors = run(command, "connect_n", missing, "random", "--store", "none")
        assert (code, out) == (2, "")
        assert "bob cannot start: it ended with status 2" in errors


def test_hostile_zip_files_are_refused(tmp_path):
    many = {str(number): "" for number in range(MOST_FILES + 1)}
    long_names = {"x" * 60_000 + str(number): "" for number in range(5)}
    cases = [
        ("is outside", zipped(tmp_path / "up.zip", {"a/../../x.py": ""})),
        ("is outside", zipped(tmp_path / "root.zip", {"/etc/x.py": ""})),
        ("is outside", zipped(tmp_path / "windows.zip", {"..\\x.py": ""})),
        ("is not a plain file", zipped(tmp_path / "l.zip", {"x.py": "/etc"}, attributes=LINK)),
        ("the most to be copied", zipped(tmp_path / "bomb.zip", {"x.py": "0" * 70_000_000})),
        ("the most to be copied", zipped(tmp_path / "many.zip", many)),
        ("the most to be copied", zipped(tmp_path / "names.zip", long_names)),
        ("File exists", zipped(tmp_path / "twice.zip", {"x.py": "", "./x.py": ""})),
        ("cannot be unpacked", zipped(tmp_path / "through.zip", {"x.py": "", "x.py/y": ""})),
    ]  # fmt: skip
    lying = zipped(tmp_path / "lying.zip", {"x.py": "0" * 100_000})
    content = bytearray(lying.read_bytes())
    for signature, place in ((b"PK\3\4", 22), (b"PK\1\2", 24)):  # the size, less than it is
        struct.pack_into("<L", content, content.find(signature) + place, 10)
    lying.write_bytes(content)
    (tmp_path / "text.zip").write_text("PK\5\6")
    cases += [("Bad CRC", lying), ("not a zip file", tmp_path / "text.zip")]
    before = set(Path(tempfile.gettempdir()).glob("plyground-zip-*"))
    for reason, path in cases:
        with pytest.raises(PlygroundError, match=reason), unpacked(path):
            pass
    assert not set(Path(tempfile.gettempdir()).glob("plyground-zip-*")) - before
    assert not (tmp_path / "x.py").exists()
