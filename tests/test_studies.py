"""Studies: every one runs in its quick form, and its record is its page and its plots."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from plyground.cli.main import app
from plyground.export.report import Curve, Plot, Report, Table
from plyground.studies import STUDIES

DOCS = Path(__file__).parent.parent / "docs" / "studies"
CURVE = Curve("a", (1, 2), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7))
REPORT = Report(
    name="sample",
    title="A sample",
    about="What was asked.",
    command="plyground reproduce sample",
    tables=(Table("Figures", ("what", "seed", "ours"), (("one", 1, 2.5), ("two", None, 12345))),),
    plots=(
        Plot("Curves", "steps", "share", (CURVE,)),
        Plot(
            "Marks", "share", "", (CURVE, Curve("b", (0,), (0.5,))), names=("one", "two", "three")
        ),
    ),
    remarks=("Why.",),
    seconds=1.5,
    version="0",
)


def test_a_record_reads_back():
    assert Report.from_json(REPORT.to_json()) == REPORT


def test_the_page_shows_tables_plots_and_remarks():
    page = REPORT.page()
    assert "| two | - | 12,345 |" in page
    assert "![Curves](sample-0.svg)" in page
    assert "Why." in page
    assert "`plyground reproduce sample` in 2 s" in page


def test_a_plot_is_an_svg_and_the_same_each_time():
    pictures = REPORT.pictures()
    assert pictures == REPORT.pictures()
    assert list(pictures) == ["sample-0.svg", "sample-1.svg"]
    for picture in pictures.values():
        assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert "<!-- three -->" in pictures["sample-1.svg"]  # matplotlib draws words and notes them


DRAWING = """
import sys
import matplotlib
before = matplotlib.rcParams.copy()
from plyground.export.report import Curve, Plot
assert "<svg" in Plot("A plot", "across", "up", (Curve("a", (1, 2), (3, 4)),)).svg()
print("matplotlib.pyplot" in sys.modules, matplotlib.rcParams.copy() == before)
"""


def test_a_plot_leaves_the_process_as_it_was(fresh_python):
    assert fresh_python(DRAWING).stdout == "False True\n"


def test_without_matplotlib_a_folder_of_plots_is_refused_first(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("reproduce", "robots_uct", "--out", str(tmp_path / "folder"))
    assert (code, out) == (2, "")
    assert err == "error: plots need more: pip install 'plyground[plot]'\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", STUDIES.names())
def test_every_study_runs_in_its_quick_form(name, tmp_path, capsys):
    app(["reproduce", name, "--quick", "--json", "--out", str(tmp_path)], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert told["name"] == name
    for table in told["tables"]:
        assert all(len(row) == len(table["headings"]) for row in table["rows"])
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".md", ".svg"}
    record = Report.from_json((tmp_path / f"{name}.json").read_text())
    assert record.page() == (tmp_path / f"{name}.md").read_text()


@pytest.mark.parametrize("name", STUDIES.names())
def test_every_study_was_run_in_full_and_its_page_is_its_record(name):
    record = Report.from_json((DOCS / f"{name}.json").read_text())
    assert record.command == f"plyground reproduce {name}"
    assert record.page() == (DOCS / f"{name}.md").read_text()
    assert all((DOCS / picture).exists() for picture in record.pictures())
    assert f"]({name}.md)" in (DOCS / "README.md").read_text()
