"""Studies: each runs in its quick form, and page and plots are made from its record."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from plyground.cli.main import app
from plyground.export.report import Curve, Plot, Report, Table
from plyground.studies import STUDIES
from plyground.studies._findings import NO_DIFFERENCE, comparison, figure, leader, steps

DOCS = Path(__file__).parent.parent / "docs" / "studies"
CURVE = Curve("a", (1, 2), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7))
REPORT = Report(
    name="sample",
    title="A sample",
    about="What was asked.",
    command="plyground reproduce sample",
    tables=(
        Table("Figures", ("what", "original", "ours"), (("one", 1, 2.5), ("two", None, 12345))),
    ),
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


def stored(name):
    return Report.from_json((DOCS / f"{name}.json").read_text())


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
    assert "<!-- three -->" in pictures["sample-1.svg"]  # words are paths with a comment


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
    assert err == "error: plots need matplotlib: pip install 'plyground[plot]'\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", STUDIES.names())
def test_every_study_runs_in_its_quick_form(name, tmp_path, capsys):
    app(["reproduce", name, "--quick", "--json", "--out", str(tmp_path)], standalone_mode=False)
    output = json.loads(capsys.readouterr().out)
    assert output["name"] == name
    for table in output["tables"]:
        assert all(len(row) == len(table["headings"]) for row in table["rows"])
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".md", ".svg"}
    record = Report.from_json((tmp_path / f"{name}.json").read_text())
    assert record.page() == (tmp_path / f"{name}.md").read_text()
    assert record.remarks == STUDIES.find(name).conclude(record.tables)


@pytest.mark.parametrize("name", STUDIES.names())
def test_every_study_was_run_in_full_and_its_page_is_its_record(name):
    record = stored(name)
    assert record.command == f"plyground reproduce {name}"
    notes = (DOCS / f"{name}.notes.md").read_text()
    assert record.page(notes) == (DOCS / f"{name}.md").read_text()
    assert record.about == STUDIES.find(name).about
    assert all((DOCS / picture).exists() for picture in record.pictures())
    assert f"]({name}.md)" in (DOCS / "README.md").read_text()


# What the tables show ----------------------------------------------------------------------------

CLAIM = re.compile(r"is (above|below) (?!against)|(rises|falls) from|Elo stronger")


@pytest.mark.parametrize("name", STUDIES.names())
def test_remarks_of_a_record_follow_from_its_tables(name):
    record = stored(name)
    assert record.remarks == STUDIES.find(name).conclude(record.tables)
    assert all(remark.endswith(".") for remark in record.remarks)


def blunt(cell):
    """Return a figure as a measurement with very few games would show it."""
    if cell in ("H0", "H1"):
        return "none"
    wide = "-999 to +999" if re.search(r"[-+]\d+ to", str(cell)) else "0% to 100%"
    found = re.search(r"[-+]?[\d.]+%? to [-+]?[\d.]+%?", str(cell))
    return cell if found is None else str(cell).replace(found[0], wide)


SHARES = [name for name in STUDIES.names() if name != "tron_sarsa"]


@pytest.mark.parametrize("name", SHARES)
def test_where_intervals_overlap_no_difference_is_claimed(name):
    record = stored(name)
    tables = [
        replace(table, rows=tuple(tuple(map(blunt, row)) for row in table.rows))
        for table in record.tables
    ]
    remarks = STUDIES.find(name).conclude(tables)
    assert [remark for remark in remarks if CLAIM.search(remark)] == []
    if any(CLAIM.search(remark) for remark in record.remarks):
        assert any(NO_DIFFERENCE in remark for remark in remarks)


def test_few_games_taught_nothing():
    headings = ("against", "untrained", "trained", "95% interval")
    conclude = STUDIES.find("tron_sarsa").conclude
    (few,) = conclude([Table("Won, of 4, after 10 games", headings, (("TA1", 0, 2, ""),))])
    assert few == "Against TA1: trained (2) and untrained (0): no difference shown."
    (many,) = conclude([Table("Won, of 400, after 10 games", headings, (("TA1", 0, 200, ""),))])
    assert many == "Against TA1: trained (200) is above untrained (0)."


def test_claims_are_as_narrow_as_the_intervals():
    low, middle, high = (figure(name, "50%", f"{at}% to {at + 10}%") for name, at in
                         (("low", 0), ("middle", 9), ("high", 15)))  # fmt: skip
    assert comparison(high, low) == "high (50%) is above low (50%)"
    assert comparison(low, high) == "low (50%) is below high (50%)"
    assert comparison(low, middle) == "low (50%) and middle (50%): no difference shown"
    assert leader([low, high], "here") == "here: high (50%) is above all others"
    output = "here: the highest is high (50%); no difference shown to middle"
    assert leader([low, middle, high], "here") == output
    assert steps([low, high, middle]) == (
        "rises from low to high; between other neighbours no difference shown"
    )
    assert steps([low, middle]) == "between neighbours no difference shown"
