"""Replays: a page and an animation in a real browser, a playback in a real terminal."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from plyground import PlygroundError, load_agent, load_game, play_game
from plyground.arena.record import positions
from plyground.cli.playback import play_back
from plyground.export.animation import _merged, replay_animation, replay_form
from plyground.export.replay import replay_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs the program chromium")
DISCS = 'circle[stroke-width="0.05"]'
HOSTILE = "</script><script>alert(1)</script>&\"'"


@pytest.fixture(scope="module")
def record():
    agents = [load_agent("greedy"), load_agent("mcts(simulations=200)")]
    return play_game(load_game("connect_n"), agents, seed=3, opening=2)


@contextmanager
def browsing(path, text):
    """Yield a function that opens a file in a browser; errors on the page fail the test."""
    from playwright.sync_api import sync_playwright

    path.write_text(text, encoding="utf-8")
    flags = ["--disable-gpu", "--no-first-run", "--disable-background-networking"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page()
        problems: list[object] = []
        page.on("pageerror", lambda problem: problems.append(problem))
        page.on("console", lambda line: problems.append(line.text) if line.type == "error" else 0)
        page.goto(path.as_uri())
        yield page
        assert problems == []
        browser.close()


@pytest.mark.parametrize("form", [replay_page, replay_animation])
def test_a_file_needs_nothing_else(record, form):
    text = form(load_game("connect_n"), record).replace("http://www.w3.org/2000/svg", "")
    for reaching_out in ("http:", "https:", "<link", "src=", "href", "url("):
        assert reaching_out not in text


def test_agents_names_cannot_break_out_of_the_page(record):
    page = replay_page(load_game("connect_n"), replace(record, names=(HOSTILE, "b")))
    assert page.count("</script>") == 1


def test_agents_names_cannot_break_out_of_the_animation(record):
    text = replay_animation(load_game("connect_n"), replace(record, names=(HOSTILE, "b")))
    root = ElementTree.fromstring(text)
    assert "script" not in {each.tag.split("}")[1] for each in root.iter()}
    assert any(HOSTILE in (each.text or "") for each in root.iter())


def test_the_form_is_chosen_by_the_files_ending():
    assert replay_form(Path("x/best.html")) is replay_page
    assert replay_form(Path("best.SVG")) is replay_animation
    with pytest.raises(PlygroundError, match=r"best\.gif: a replay's name must end in \.html or"):
        replay_form(Path("best.gif"))


@given(some.lists(some.lists(some.sampled_from("abcdef"), max_size=8), min_size=1, max_size=6))
def test_every_frame_is_seen_as_it_was_drawn(frames):
    merged = _merged(frames)
    for number, frame in enumerate(frames):
        assert [shape for shape, seen in merged if number in seen] == frame


def test_shapes_that_stay_are_written_once():
    assert _merged([["a", "b"], ["a", "c", "b"]]) == [("a", (0, 1)), ("c", (1,)), ("b", (0, 1))]


def test_where_nothing_moves_the_last_position_is_seen(record):
    game = load_game("connect_n")
    root = ElementTree.fromstring(replay_animation(game, record))
    space = "{http://www.w3.org/2000/svg}"
    groups = [each for each in root.findall(f"{space}g") if each.get("visibility") == "hidden"]
    hidden = {id(each) for group in groups for each in group.iter(f"{space}circle")}
    shown = [each for each in root.iter(f"{space}circle") if id(each) not in hidden]
    discs = [each for each in shown if each.get("stroke-width") == "0.05"]
    assert len(discs) == len(record.actions)


@in_chromium
def test_the_result_is_on_top_and_one_colour_is_one_player(record, tmp_path):
    page_text = replay_page(load_game("connect_n"), record)
    with browsing(tmp_path / "replay.html", page_text) as page:
        assert page.inner_text("#outcome") == record.outcome
        assert [text.split()[-1] for text in page.locator("#players li").all_inner_texts()] == [
            "won" if gained > 0 else "lost" for gained in record.returns
        ]
        page.click("#moves li:last-child button")
        assert page.inner_text("#note").endswith(f". {record.outcome}.")
        seen = "each => [...new Set(each.map(one => getComputedStyle(one)[%s]))]"
        discs = page.locator("#players .disc").evaluate_all(seen % "'backgroundColor'")
        assert len(discs) == 2
        stones = page.locator(f"#board {DISCS}").evaluate_all(seen % "'fill'")
        moves = page.locator("#moves .disc").evaluate_all(seen % "'backgroundColor'")
        curves = page.locator('#chart polyline[stroke-width="2.5"]').evaluate_all(seen % "'stroke'")
        assert set(discs) == set(stones) == set(moves) == set(curves)


@in_chromium
def test_a_piece_slides_from_where_it_was(tmp_path):
    game = load_game("tron")
    ride = play_game(game, [load_agent("greedy"), load_agent("greedy")], seed=1)
    with browsing(tmp_path / "replay.html", replay_page(game, ride)) as page:
        frames = page.evaluate(  # in one step, as the animation is short
            """() => { document.querySelector("#next").click();
                return document.querySelector("[data-id=bike-1]").getAnimations()[0]
                    .effect.getKeyframes().map(frame => frame.transform) }"""
        )
    drawn = [game.draw(position).svg() for position in positions(game, ride)[:2]]
    places = [re.search(r'"bike-1" transform="translate\((\S+) (\S+)\)', each) for each in drawn]
    assert frames == [f"translate({each[1]}px, {each[2]}px)" for each in places]


@in_chromium
def test_the_board_follows_the_buttons(record, tmp_path):
    plies = len(record.actions)
    page_text = replay_page(load_game("connect_n"), record)
    with browsing(tmp_path / "replay.html", page_text) as page:
        discs = page.locator(f"#board {DISCS}")
        assert discs.count() == 0
        assert page.is_visible("#chart")
        page.click("#next")
        page.keyboard.press("ArrowRight")
        assert discs.count() == 2
        assert "random opening" in page.inner_text("#note")
        page.click(f"#moves li:nth-child({plies}) button")
        assert discs.count() == plies
        assert "won" in page.inner_text("#note") or "draw" in page.inner_text("#note")
        page.click("#back")
        assert discs.count() == plies - 1
        page.click("#run")
        page.wait_for_function("document.getElementById('run').textContent === 'play'")
        assert discs.count() == plies


@in_chromium
def test_a_game_that_ended_before_it_began_has_a_page(record, tmp_path):
    nothing = replace(
        record,
        actions=(),
        players=(),
        seconds=(),
        values=(),
        opening=0,
        ending="failed",
        reason="it went away",
        fault=0,
    )
    with browsing(tmp_path / "replay.html", replay_page(load_game("connect_n"), nothing)) as page:
        assert page.inner_text("#note") == "the start. player 1 failed: it went away."
        assert not page.is_visible("#chart")  # no player reported a value
        page.click("#next")
        page.click("#run")


@in_chromium
def test_the_animation_shows_ply_after_ply(record, tmp_path):
    plies = len(record.actions)
    text = replay_animation(load_game("connect_n"), record)
    seconds = float(re.search(r'dur="([\d.]+)s"', text)[1])
    with browsing(tmp_path / "replay.svg", text) as page:

        def discs(at):
            """Stop the animation at a time; count the visible discs."""
            return page.evaluate(
                """([moment, discs]) => {
                    const root = document.documentElement;
                    root.pauseAnimations();
                    root.setCurrentTime(moment);
                    const seen = each => getComputedStyle(each).visibility === "visible";
                    return [...root.querySelectorAll(discs)].filter(seen).length;
                }""",
                [at, DISCS],
            )

        assert [discs(0.7 * (ply + 0.5)) for ply in range(plies + 1)] == list(range(plies + 1))
        assert discs(seconds - 0.1) == plies
        assert discs(seconds + 0.1) == 0  # the animation repeats


def test_a_playback_without_a_terminal_shows_every_position(record, capsys):
    play_back(load_game("connect_n"), record, speed=1)
    output = capsys.readouterr().out
    assert output.count("1 2 3 4 5 6 7") == len(record.actions) + 1
    assert "ply 1: player 1 played" in output
    assert "\x1b" not in output


PLAY_BACK = """
from plyground import load_agent, load_game, play_game
from plyground.cli.playback import play_back
game = load_game("connect_n")
play_back(game, play_game(game, [load_agent("greedy"), load_agent("random")], seed=1), speed=1000)
"""


def test_a_playback_in_a_terminal_draws_in_one_place():
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", PLAY_BACK], stdout=theirs, env=os.environ | {"LINES": "30"}
    )
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(ours)
    assert done.wait() == 0
    moves = len(set(re.findall(rb"ply (\d+):", output)))
    assert moves >= 7
    assert output.count(b"\x1b[1A") >= 7 * moves  # the cursor goes back to the top of the board
    assert b"player 1 won" in output
