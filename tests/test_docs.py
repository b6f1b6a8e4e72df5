"""What the documents say must hold."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_readmes_code_does_what_it_shows():
    failures, tries = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tries >= 5
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"(?:\]\(|src=\")([^)\"#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_contributing_stays_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 60


def test_the_page_on_new_games_shows_the_examples_as_they_are():
    examples = [(ROOT / "examples" / name).read_text() for name in ("tic_tac_toe.py", "othello.py")]
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "new-game.md").read_text(), re.S)
    assert len(blocks) >= 8
    for block in blocks:
        assert any(block in example for example in examples), block


def test_the_agent_of_the_page_on_new_agents_plays(tmp_path):
    from plyground import load_agent, load_game

    page = (ROOT / "docs" / "new-agent.md").read_text()
    source = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    (tmp_path / "edge.py").write_text(source)
    agent = load_agent(f"{tmp_path}/edge.py(right=True)")
    assert agent.think(load_game("connect_n").start()).action == 6


def test_the_plan_and_the_script_of_the_page_on_tournaments_work(tmp_path):
    from plyground.arena.plan import load_tournament

    page = (ROOT / "docs" / "arena.md").read_text()
    (tmp_path / "league.toml").write_text(re.findall(r"```toml\n(.*?)```", page, re.S)[0])
    assert load_tournament(tmp_path / "league.toml").total == 12 * 4
    (tmp_path / "script.py").write_text(re.findall(r"```python\n(.*?)```", page, re.S)[0])
    told = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert [line.split()[:2] for line in told.stdout.splitlines()] == [
        ["greedy", "8"], ["random", "8"], ["random", "8"],
    ]  # fmt: skip


def test_the_search_with_values_from_elsewhere_runs_as_it_is_shown(fresh_python):
    page = (ROOT / "docs" / "how-it-works.md").read_text()
    (source,) = re.findall(r"```python\n(.*?)```", page, re.S)
    done = fresh_python(source + "print(*(tree.simulations for tree in trees))")
    assert done.returncode == 0, done.stderr
    assert all(int(count) >= 100 for count in done.stdout.split())


def test_the_page_of_options_is_what_the_descriptors_say():
    from plyground.export.manual import options_page

    command = "python -m plyground.export.manual > docs/options.md"
    assert (ROOT / "docs" / "options.md").read_text() == options_page(), command


def test_every_game_has_a_page_with_the_same_headings():
    from plyground.games import GAMES

    wanted = ["Rules", "Setup options", "Actions", "Text format", "Heuristics", "Sources"]
    for name in GAMES.inside:
        page = (ROOT / "docs" / "games" / f"{name}.md").read_text()
        assert re.findall(r"^## (.*)$", page, re.M) == wanted
