"""README and docs are true: their commands and code run, their figures are those of records.

A page marks its blocks: `sh` and `python` blocks are run here, `toml` blocks are parsed; `text`
blocks show output and are not run.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from textwrap import dedent

import pytest
from test_layout import PACKAGES

from plyground import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.export.report import Report
from plyground.games import GAMES

TESTS = Path(__file__).parent
ROOT = TESTS.parent
RECORDS = {
    record.stem: record.with_suffix(".md")
    for folder in ("studies", "games", "networks")
    for record in (ROOT / "docs" / folder).glob("*.json")
}
"""Records of studies and benchmarks: their names, and the pages that are made from them."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = "\n".join(file.read_text() for file in (ROOT / "examples").glob("*.py"))

PLAYED = ("--games", "4", "--depth", "1", "--simulations", "4", "--workers", "1")
LIMITS = {
    "match": PLAYED,
    "tournament": PLAYED,
    "sprt": ("--max-games", "4", "--workers", "1"),
    "tune": ("--trials", "2", "--population", "2", "--games", "2", "--max-games", "2"),
    "analyse": ("--seconds", "0.05"),
    "reproduce": ("--quick",),
    "train": ("--minutes", "0.02", "--workers", "1"),
}
"""Options added to a command so that it ends quickly."""


def blocks(page: Path, kind: str) -> list[str]:
    found = re.findall(rf"^( *)```{kind}\n(.*?)^\1```$", page.read_text(), re.M | re.S)
    return [dedent(text) for _, text in found]


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the words of every command of a page's shell blocks."""
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars=";>")
            lexer.whitespace_split = True
            for is_end, words in groupby(lexer, lambda word: word == ";"):
                if not is_end:
                    yield list(words)


def with_block(kind: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, kind)]


def by_path(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Return a folder with the files that the pages mention, and a store with one run."""
    folder = tmp_path_factory.mktemp("reader")
    folder.chmod(0o755)
    (folder / "examples").symlink_to(ROOT / "examples")
    bot = ROOT / "examples" / "bots" / "random_bot.py"
    shutil.copy(bot, folder / "mybot.py")
    (folder / "mybot").write_text(f"#!{sys.executable}\n{bot.read_text()}")
    (folder / "mybot").chmod(0o755)
    for team in ("alice", "bob", "students/ada", "students/carl"):
        shutil.copytree(TESTS / "courses" / "brown", folder / team)
    shutil.copytree(TESTS / "courses" / "melbourne" / "keen_team", folder / "my_team")
    for module in (folder / "my_team").glob("*.py"):  # a package's name stands in its imports
        module.write_text(module.read_text().replace("keen_team", "my_team"))
    (folder / "league.toml").write_text(blocks(ROOT / "docs" / "arena.md", "toml")[0])
    (folder / "edge.py").write_text(blocks(ROOT / "docs" / "new-agent.md", "python")[0])
    shutil.copy(ROOT / "examples" / "tic_tac_toe.py", folder / "my_game.py")
    plan = Tournament(game="connect_n", agents=("random", "greedy", "random"), games=2)
    with Store(str(folder / "games.sqlite")) as store:
        assert len(list(play_tournament(plan, None, store, store.begin(plan)))) == 6
    return folder


@pytest.fixture
def at_readers(reader, monkeypatch, tmp_path):
    """Change to that folder, with a copy of the store."""
    shutil.copy(reader / "games.sqlite", tmp_path)
    monkeypatch.chdir(reader)
    monkeypatch.setenv("PLYGROUND_STORE", str(tmp_path / "games.sqlite"))
    monkeypatch.setattr(sys, "stdin", io.StringIO(":quit\n"))
    return reader


@pytest.mark.parametrize("page", with_block("sh"), ids=by_path)
def test_commands_run(page, run, at_readers):
    for words in commands(page):
        program, *arguments = words
        if program == "plyground":
            run_plyground(run, arguments)
        elif program == "make":
            run_target(run, arguments[0])
        elif words[:2] == ["pip", "install"]:  # not run: it needs a network
            extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
            for extra in re.fullmatch(r"plyground\[(.*)\]", words[2])[1].split(","):
                assert extra in extras["optional-dependencies"], words
        elif words[:2] == ["python", "examples/time_kernels.py"]:
            assert Path(arguments[1]).exists(), words  # tests/test_example.py runs it
        else:
            raise AssertionError(f"{page}: a shell block has the unknown command {program}")


def run_plyground(run, arguments):
    """Run a command with limits; write its output to a file where it is redirected."""
    *arguments, sign, target = arguments if ">" in arguments else [*arguments, "", ""]
    code, out, errors = run(*arguments, *LIMITS.get(arguments[0], ()))
    assert code == 0, f"{arguments}: {errors}"
    if sign:
        Path(target).write_text(out)


def run_target(run, target):
    """Run the `plyground` commands of a target of the Makefile.

    What installs Plyground needs a network, and `make test` would run this test: they are not run.
    """
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.M)
    assert recipe is not None, f"make {target}"
    for command in re.findall(r"^\t\$\(RUN\)/plyground (.*)$", recipe[1], re.M):
        run_plyground(run, shlex.split(command))


def test_commands_in_running_text_exist(run):
    """Such as `plyground NAME ...`, `python -m MODULE` and `make TARGET` within a sentence."""
    makefile = (ROOT / "Makefile").read_text()
    known = run("--help")[1]
    for page in PAGES:
        text = page.read_text()
        for name in re.findall(r"`plyground ([a-z]+)", text):
            assert re.search(rf"\b{name}\b", known), f"{page}: plyground {name}"
        for module in re.findall(r"`python -m ([\w.]+)", text):
            assert find_spec(module) is not None, f"{page}: python -m {module}"
        for target in re.findall(r"`make (\w+)`", text):
            assert re.search(rf"^{target}:", makefile, re.M), f"{page}: make {target}"


def test_the_readmes_code_does_what_it_shows():
    failures, tries = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tries >= 5
    assert failures == 0


@pytest.mark.parametrize("page", with_block("python"), ids=by_path)
def test_code_runs(page, at_readers):
    for block in blocks(page, "python"):
        if block.startswith(">>>") or block.strip() in EXAMPLES:
            continue  # run as a doctest, or by the tests of the examples
        (at_readers / "script.py").write_text(block)
        done = subprocess.run(
            [sys.executable, "script.py"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stderr}"


def test_blocks_say_what_they_are():
    for page in PAGES:
        for kind, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", page.read_text(), re.M | re.S):
            assert kind in ("sh", "python", "toml", "text", ""), page
            shown = kind in ("text", "")
            assert not (shown and re.search(r"^(plyground|python|make|pip) ", block, re.M)), page
        for block in blocks(page, "toml"):
            tomllib.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=by_path)
def test_links_lead_somewhere(page):
    for target, heading in re.findall(r"(?:\]\(|src=\")([^)\"#]*)(#[^)\"]+)?", page.read_text()):
        file = page.parent / target if target else page
        assert file.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", file.read_text(), re.M)
            anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert heading[1:] in anchors, f"{target}{heading}"


# Figures ----------------------------------------------------------------------------------------

FIGURE = re.compile(r"[+-]?\d+(?:,\d{3})*(?:\.\d+)?%?")


MEASURED = re.compile(
    r"\d%|\b(won|drew|lost|solved) \d|\d of \d+ games|\d (million )?nodes|\d times|\d ms\b"
)
"""Phrases that report a measurement, not a rule or an option."""


def figures(text: str) -> set[tuple[float, bool]]:
    """Return the numbers of a text, each with whether it is a percentage."""
    numbers = FIGURE.findall(text)
    return {(float(each.replace(",", "").rstrip("%")), each.endswith("%")) for each in numbers}


def paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n|\n(?=\|)|\n(?=- )", text)


def linked_records(paragraph: str) -> list[Path]:
    names = re.findall(r"\(\S*?(\w+)\.md\)", paragraph)
    return [RECORDS[name] for name in names if name in RECORDS]


@pytest.mark.parametrize("page", PAGES, ids=by_path)
def test_figures_beside_a_link_to_a_record_are_those_of_the_record(page):
    for paragraph in paragraphs(page.read_text()):
        records = linked_records(paragraph)
        if records and page not in records:
            known = set().union(*(figures(record.read_text()) for record in records))
            words = re.sub(r"\]\([^)]*\)|`[^`]*`", "", paragraph)
            assert figures(words) <= known, f"{page}: {figures(words) - known}"


@pytest.mark.parametrize("game", GAMES.inside)
def test_measurements_on_the_page_of_a_game_link_to_a_record(game):
    text = (ROOT / "docs" / "games" / f"{game}.md").read_text()
    for paragraph in paragraphs(text):
        if MEASURED.search(paragraph):
            assert linked_records(paragraph), paragraph


@pytest.mark.parametrize("name", ["advice", "solvers"])
def test_the_page_of_a_benchmark_is_its_record(name):
    """That the pages of studies are their records is tested in test_studies.py."""
    record = Report.from_json((ROOT / "docs" / "games" / f"{name}.json").read_text())
    assert record.page() == RECORDS[name].read_text()


@pytest.mark.parametrize("name", [name for name in RECORDS if name.startswith("tuning_")])
def test_the_page_of_a_tuning_is_its_record_and_notes(name):
    folder = ROOT / "docs" / "games"
    record = Report.from_json((folder / f"{name}.json").read_text())
    assert record.page((folder / f"{name}.notes.md").read_text()) == RECORDS[name].read_text()
    assert all((folder / picture).exists() for picture in record.pictures())
    assert f"]({name}.md)" in (folder / "tuning.md").read_text()


# Single pages -----------------------------------------------------------------------------------


def test_contributing_stays_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 60


def test_the_page_on_new_games_shows_the_examples_as_they_are():
    examples = [(ROOT / "examples" / name).read_text() for name in ("tic_tac_toe.py", "othello.py")]
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "new-game.md").read_text(), re.S)
    assert len(blocks) >= 8
    for block in blocks:
        assert any(block in example for example in examples), block


def test_the_agent_of_the_page_on_new_agents_plays(at_readers):
    from plyground import load_agent, load_game

    agent = load_agent(f"{at_readers}/edge.py(right=True)")
    assert agent.think(load_game("connect_n").start()).action == 6


def test_the_page_of_options_is_what_the_descriptors_say():
    from plyground.export.manual import options_page

    command = "python -m plyground.export.manual > docs/options.md"
    assert (ROOT / "docs" / "options.md").read_text() == options_page(), command


def test_every_game_has_a_page_with_the_same_headings():
    wanted = ["Rules", "Setup options", "Actions", "Text format", "Heuristics", "Sources"]
    for name in GAMES.inside:
        page = (ROOT / "docs" / "games" / f"{name}.md").read_text()
        assert re.findall(r"^## (.*)$", page, re.M) == wanted


def test_the_layout_names_every_package():
    rows = re.findall(
        r"^\| `(\w+)(?:\.py|/)` \|", (ROOT / "docs/how-it-works.md").read_text(), re.M
    )
    assert sorted(rows) == sorted(PACKAGES)


def test_every_command_takes_json():
    import click
    import typer

    from plyground.cli.main import app

    assert "takes `--help`, `--json` and `--debug`" in (ROOT / "README.md").read_text()
    whole = typer.main.get_command(app)
    context = click.Context(whole)
    for name in whole.list_commands(context):
        command = whole.get_command(context, name)
        inner = getattr(command, "commands", None) or {name: command}
        for title, each in inner.items():
            options = {option for param in each.params for option in param.opts}
            assert {"--json", "--debug"} <= options, title
