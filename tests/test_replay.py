"""Replays in a real browser."""

from __future__ import annotations

import os
import shutil

import pytest

from plyground import load_agent, load_game, play_game
from plyground.ui.replay import replay_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def record():
    agents = [load_agent("greedy"), load_agent("mcts(simulations=200)")]
    return play_game(load_game("connect_n"), agents, seed=3, opening=2)


def test_a_page_needs_nothing_else(record):
    page = replay_page(load_game("connect_n"), record)
    for reaching_out in ("http:", "https:", "<link", "src="):
        assert reaching_out not in page.replace("http://www.w3.org/2000/svg", "")


def test_agents_names_cannot_break_out_of_the_page(record):
    from dataclasses import replace

    hostile = replace(record, agents=("</script><script>alert(1)</script>", "b"))
    page = replay_page(load_game("connect_n"), hostile)
    assert page.count("</script>") == 1


@pytest.mark.skipif(CHROMIUM is None, reason="needs the program chromium")
def test_the_board_follows_the_buttons(record, tmp_path):
    from playwright.sync_api import sync_playwright

    path = tmp_path / "replay.html"
    path.write_text(replay_page(load_game("connect_n"), record), encoding="utf-8")
    flags = ["--disable-gpu", "--no-first-run", "--disable-background-networking"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page()
        problems: list[object] = []
        page.on("pageerror", lambda problem: problems.append(problem))
        page.goto(path.as_uri())
        discs = 'circle[stroke-width="0.05"]'
        assert page.locator(f"#board {discs}").count() == 0
        page.click("#next")
        page.keyboard.press("ArrowRight")
        assert page.locator(f"#board {discs}").count() == 2
        page.click(f"#moves li:nth-child({len(record.actions)}) button")
        assert page.locator(f"#board {discs}").count() == len(record.actions)
        assert "won" in page.inner_text("#note") or "draw" in page.inner_text("#note")
        page.click("#back")
        assert page.locator(f"#board {discs}").count() == len(record.actions) - 1
        page.click("#run")
        page.wait_for_function("document.getElementById('run').textContent === 'play'")
        assert page.locator(f"#board {discs}").count() == len(record.actions)
        assert problems == []
        browser.close()
